import { setTimeout as sleep } from 'node:timers/promises';
import { eventId, holderKey } from '../../nodes/LicensingData/licenses/identity.ts';
import type { Crm } from '../../playground/crm/server.mts';
import type { License, Sandbox } from '../../sandbox/index.mts';

export const COUNTY = 'Miami-Dade';

export async function waitFor(isSo: () => Promise<boolean> | boolean, seconds = 360) {
	const deadline = Date.now() + seconds * 1000;
	while (Date.now() < deadline) {
		if (await isSo()) return true;
		await sleep(500);
	}
	return false;
}

/** What a workflow had to bring, against what came. */
export class Leads {
	/** Licenses with their holders, as far as they were not there when the workflow was published. */
	private readonly due = new Map<string, string>();
	private readonly old: Set<string>;
	private readonly begun: number;
	private repeats = 0;

	constructor(
		private readonly sandbox: Sandbox,
		private readonly crm: Crm,
		readonly workflow: string,
	) {
		this.old = new Set(this.listed().map(nameOf));
		this.begun = crm.book.leads.length;
	}

	/** Lets days pass until something is filed, and returns how many filings there are. */
	nextDay(): number {
		const before = this.due.size;
		while (this.due.size === before) {
			this.sandbox.register.advance();
			this.look();
		}
		return this.due.size - before;
	}

	/** What is listed by now has to come. */
	look(): void {
		for (const license of this.listed())
			if (!this.old.has(nameOf(license)))
				this.due.set(nameOf(license), eventId({ ...license, address: null }));
	}

	/** Those that came, again and again or not. */
	get came() {
		const { leads } = this.crm.book;
		return leads.slice(this.begun).filter(({ sentBy }) => sentBy === this.workflow);
	}

	get missing(): string[] {
		const came = new Set(this.came.map((lead) => lead.eventId));
		return [...this.due.values()].filter((id) => !came.has(id));
	}

	/** How many came again since this was last asked. */
	newRepeats(): number {
		const repeats = this.came.length - this.events;
		const since = repeats - this.repeats;
		this.repeats = repeats;
		return since;
	}

	/** Whether each came, and nothing else. */
	get isExact(): boolean {
		return this.missing.length === 0 && this.events === this.due.size;
	}

	private get events(): number {
		return new Set(this.came.map(({ eventId }) => eventId)).size;
	}

	private listed(): License[] {
		return this.sandbox.register.all({ event_type: 'new_filing', county: COUNTY });
	}
}

const nameOf = ({ id, legalName }: License) => JSON.stringify([id, holderKey({ legalName })]);
