import type { IDataObject } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, HOUR } from '../../nodes/LicensingData/licenses/time.ts';
import { LIMITS } from '../../nodes/LicensingData/trigger/limits.ts';
import { BASE_URL } from './answers.mts';
import { type Answer, answerWith, isListed, pageOf, type Query } from './list-service.mts';
import { pollerOf, triggerAnew } from './nodes.mts';
import type { Poller } from './poller.mts';
import { skipWaits } from './waits.mts';

const START = Date.parse('2026-07-01T12:00:00Z');

export const dayBefore = (days: number): string =>
	new Date(START - days * DAY).toISOString().slice(0, 10);

/** Filed, and in effect, so many days before the first poll. */
export const on = (days: number): License => ({
	filedDate: dayBefore(days),
	eventTimestamp: `${dayBefore(days)}T00:00:00Z`,
});

/** A new filing as a register lists it. */
export const filed = (number: string, more: License = {}, days = 1): License => ({
	id: `lic_${number}`,
	licenseNumber: number,
	licenseType: 'COP',
	status: 'active',
	businessName: `The ${number}`,
	legalName: `Holder of ${number} LLC`,
	eventType: 'new_filing',
	...on(days),
	address: { street: '1 Bay St', county: 'Lee', zip: '33901' },
	...more,
});

/** `old1`, `old2` and so on, filed a day apart over two months. */
export const listed = (count: number, name = 'old', more: License = {}, newest = 1): License[] =>
	Array.from({ length: count }, (_, at) => filed(`${name}${at + 1}`, more, newest + (at % 60)));

export const renewal = { eventType: 'renewal' };
export const both = { eventTypes: ['new_filing', 'renewal'] };
export const atMost = (maxItems: number): IDataObject => ({ options: { maxItems } });

type Options = Parameters<typeof pollerOf>[2] & {
	kind?: string;
	/** Less than what is asked for, if a test says so. */
	pageSize?: number;
};

const numbersOf = (items: IDataObject[]) => items.map(({ licenseNumber }) => String(licenseNumber));

let keys = 0;

/** The node as n8n polls it, on a list in memory, with a clock that the test moves. */
export class ListedTrigger {
	poller: Poller;
	/** Each request of the last poll, and how many there were in all. */
	asked: Query[] = [];
	requests = 0;
	/** How many requests a poll has the time for. */
	time = Number.POSITIVE_INFINITY;
	/** Answers in the list's place, if it returns something. */
	answer: (query: Query) => Answer | Promise<Answer> | undefined | void = () => undefined;
	readonly failures: string[] = [];
	/** What the last poll emitted. */
	items: IDataObject[] = [];
	private readonly options: Options;
	private readonly pageSize: number;

	constructor(
		public records: License[],
		parameters: IDataObject = {},
		{ kind = 'live', pageSize = 50, change: also, ...more }: Options = {},
	) {
		const change = (context: Record<string, unknown>) => {
			answerWith(context.helpers as object, async (query) => await this.send(query));
			also?.(context);
		};
		this.pageSize = pageSize;
		this.options = { budget: 300_000, change, ...more };
		const credentials = { baseUrl: BASE_URL, apiKey: `ls_${kind}_listed_${++keys}` };
		this.poller = pollerOf(credentials, parameters, this.options);
	}

	/** What was said in the log with these words. */
	said(words: string): string[] {
		return [...this.poller.notes, ...this.poller.warnings].filter((line) => line.includes(words));
	}

	/** The same with other filters, options or events, if any are given. */
	async publish(parameters: IDataObject = {}): Promise<string[]> {
		Object.assign(this.poller.parameters, parameters);
		return numbersOf(await this.poller.activate());
	}

	/** Another process goes on this long after, with what n8n has saved. */
	async restart(after = 0, more: Options = {}): Promise<void> {
		vi.setSystemTime(Date.now() + after);
		const { credentials, parameters, database } = this.poller;
		const { nodeType = await triggerAnew(database) } = more;
		this.poller = pollerOf(
			credentials,
			parameters,
			Object.assign(this.options, { database, ...more, nodeType }),
		);
	}

	/** A poll this long after the last one. A failed one brings nothing. */
	async poll(after = HOUR): Promise<string[]> {
		vi.setSystemTime(Date.now() + after);
		this.asked = [];
		this.items = await this.poller.poll().catch((error: Error) => {
			this.failures.push(error.message);
			return [];
		});
		return numbersOf(this.items);
	}

	/** What comes with so many polls, an hour apart if not told otherwise. */
	async polls(count: number, every = HOUR): Promise<string[]> {
		const came: string[] = [];
		for (let polls = 0; polls < count; polls++) came.push(...(await this.poll(every)));
		return came;
	}

	private async send(query: Query): Promise<Answer> {
		this.asked.push(query);
		this.requests++;
		if (this.asked.length >= this.time) vi.setSystemTime(Date.now() + 0.8 * this.poller.budget);
		return (await this.answer(query)) ?? { body: this.page(query) };
	}

	/** What the service lists, and of what says nothing it knows no better. */
	page(query: Query, records = this.records) {
		const all = records.filter((record) => isListed(query, record, true));
		const limit = Math.min(Number(query.limit ?? 50), this.pageSize);
		return pageOf(all, { ...query, limit: String(limit) });
	}
}

/** Published: what the list shows is known. */
export async function publishedOn(...args: ConstructorParameters<typeof ListedTrigger>) {
	const trigger = new ListedTrigger(...args);
	await trigger.publish();
	return trigger;
}

/** How much the trigger may read and remember, until the test has ended. */
export function limitTo(limits: Partial<typeof LIMITS>): void {
	const before = { ...LIMITS };
	Object.assign(LIMITS, limits);
	onTestFinished(() => void Object.assign(LIMITS, before));
}

/** The clock of a test. A wait within a poll is over at once, but the clock has moved. */
export function useClock(now = START): void {
	skipWaits(now);
	// An answer that never comes would fail after half a minute of real time, and its poll go on in a later history.
	vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
}
