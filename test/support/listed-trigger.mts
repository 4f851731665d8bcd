import type { IDataObject } from 'n8n-workflow';
import { vi } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, HOUR } from '../../nodes/LicensingData/licenses/time.ts';
import { BASE_URL } from './answers.mts';
import { contextFor } from './list-service.mts';
import { pollerOf } from './nodes.mts';
import type { Poller } from './poller.mts';

export { DAY };
export const MINUTE = 60_000;
const START = Date.parse('2026-07-01T12:00:00Z');

export const dayBefore = (days: number): string =>
	new Date(START - days * DAY).toISOString().slice(0, 10);

/** A new filing as a register lists it. */
export const filed = (number: string, more: License = {}, days = 1): License => ({
	id: `lic_${number}`,
	licenseNumber: number,
	licenseType: 'COP',
	status: 'active',
	businessName: `The ${number}`,
	legalName: `Holder of ${number} LLC`,
	eventType: 'new_filing',
	filedDate: dayBefore(days),
	eventTimestamp: `${dayBefore(days)}T00:00:00Z`,
	address: { street: '1 Bay St', county: 'Lee', zip: '33901' },
	...more,
});

/** `old1`, `old2` and so on, filed a day apart over two months. */
export const listed = (count: number, name = 'old', more: License = {}): License[] =>
	Array.from({ length: count }, (_, at) => filed(`${name}${at + 1}`, more, 1 + (at % 60)));

type Query = Record<string, string>;
type Answer = { status: number; headers?: IDataObject; body?: unknown };

const numbersOf = (items: IDataObject[]) => items.map(({ licenseNumber }) => String(licenseNumber));

let keys = 0;

/** The node as n8n polls it, on a list in memory, with a clock that the test moves. */
export class ListedTrigger {
	readonly poller: Poller;
	/** Each request of the last poll. */
	asked: Query[] = [];
	/** Answers in the list's place, if it returns something. */
	answer: (query: Query) => Answer | Promise<Answer> | undefined | void = () => undefined;
	readonly failures: string[] = [];

	constructor(
		public records: License[],
		parameters: IDataObject = {},
		{
			kind = 'live',
			change: also,
			...more
		}: Parameters<typeof pollerOf>[2] & { kind?: string } = {},
	) {
		const { helpers: answering } = contextFor(async (query) => await this.send(query));
		const change = (context: Record<string, unknown>) => {
			Object.assign(context.helpers as object, answering);
			also?.(context);
		};
		const apiKey = `ls_${kind}_listed_${++keys}`;
		const options = { budget: 300_000, change, ...more };
		this.poller = pollerOf({ baseUrl: BASE_URL, apiKey }, parameters, options);
	}

	/** Everything that was said beside what came. */
	get log(): string[] {
		return [...this.poller.notes, ...this.poller.warnings];
	}

	async publish(): Promise<string[]> {
		return numbersOf(await this.poller.activate());
	}

	/** A poll this long after the last one. A failed one brings nothing. */
	async poll(after = HOUR): Promise<string[]> {
		vi.setSystemTime(Date.now() + after);
		this.asked = [];
		const items = await this.poller.poll().catch((error: Error) => {
			this.failures.push(error.message);
			return [];
		});
		return numbersOf(items);
	}

	/** What comes with so many polls, an hour apart. */
	async polls(count: number): Promise<string[]> {
		const came: string[] = [];
		for (let polls = 0; polls < count; polls++) came.push(...(await this.poll()));
		return came;
	}

	private async send(query: Query) {
		this.asked.push(query);
		const given = await this.answer(query);
		const { status, headers, body = {} } = given ?? { status: 200, body: this.page(query) };
		return { statusCode: status, headers, body };
	}

	/** What the service lists, and of what says nothing it knows no better. */
	page({ cursor = '0', limit = '50', county, event_type }: Query, records = this.records) {
		const is = (asked: string | undefined, value: unknown) =>
			asked === undefined || String(value ?? asked).startsWith(asked);
		const all = records.filter(
			({ address, eventType }) => is(county, address?.county) && is(event_type, eventType),
		);
		const end = Number(cursor) + Number(limit);
		const hasMore = end < all.length;
		return {
			data: all.slice(Number(cursor), end),
			pagination: { cursor: hasMore ? String(end) : null, hasMore, total: all.length },
		};
	}
}

/** Published: what the list shows is known. */
export async function publishedOn(...args: ConstructorParameters<typeof ListedTrigger>) {
	const trigger = new ListedTrigger(...args);
	await trigger.publish();
	return trigger;
}

/** The clock of a test. A wait within a poll is over at once, but the clock has moved. Returns what ends that. */
export function useClock(now = START): () => void {
	vi.useFakeTimers({ toFake: ['Date'], now });
	const { setTimeout } = globalThis;
	vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, wait = 0) => {
		if (wait >= 100) vi.setSystemTime(Date.now() + wait);
		return setTimeout(run, 0);
	}) as typeof setTimeout);
	return () => {
		vi.useRealTimers();
		vi.restoreAllMocks();
	};
}
