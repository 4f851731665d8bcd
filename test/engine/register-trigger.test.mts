import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';

import { eventId, holderKey } from '../../nodes/LicensingData/licenses/identity.ts';
import { NEW_FILING } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { Register } from '../../sandbox/index.mts';
import { compiledAnew } from '../support/compiled.mts';
import { DAY, ListedTrigger, MINUTE, useClock } from '../support/listed-trigger.mts';
import { Database, type Poller, type Saving } from '../support/poller.mts';

/** `REGISTER=full` takes all of Florida, with 9,000 new filings, and prints what it costs. */
const isFull = process.env.REGISTER === 'full';
const RECORDS = isFull ? 108_000 : 3000;
const DAYS = isFull ? 30 : 22;
/** A small register meets small limits. */
const PER_MINUTE = isFull ? 60 : 4;
const ANSWER_TAKES = isFull ? 1500 : 9000;
/** What comes on the last day has as long to be found, while nothing changes any more. */
const LAST_DAYS = 4;
const MOST_LOSSES = 10;

interface Trouble {
	/** How many requests a minute the service takes. */
	perMinute?: number;
	/** Milliseconds that an answer takes, and a poll may. */
	answerTakes?: number;
	budget?: number;
	/** Whether processes are lost in the middle of polls. */
	losesProcesses?: boolean;
	saving?: Saving;
	/** Whether any event is chosen, and not new filings alone. */
	isOfAnyEvent?: boolean;
}

beforeEach(() => useClock(Date.parse('2026-04-01T09:00:00Z')));

const rows: string[] = [];
afterAll(() => {
	if (isFull) process.stdout.write(`${rows.join('\n')}\n`);
});

/** A trigger on a register that changes once a day, without HTTP between n8n-core and the service. */
class Month {
	private readonly register = new Register({ records: RECORDS });
	private readonly database = new Database();
	private poller: Poller;
	private asked = 0;
	requests = 0;
	/** At which request from now on the process is lost. */
	private lostAfter = Number.POSITIVE_INFINITY;
	private lose = () => {};
	losses = 0;
	/** How often the service asked to wait. */
	refusals = 0;
	/** What has come: new filings by license and holder, and other events by their IDs. */
	readonly came = new Map<string, number>();
	readonly others = new Map<string, number>();
	/** What the list showed when the trigger was published, during its first reading, and after that. */
	readonly old = new Set<string>();
	readonly meanwhile = new Set<string>();
	readonly news = new Set<string>();
	private isKnown = false;
	/** Whether publishing was enough to read the list. Else some of the meantime may come. */
	isKnownAtOnce = false;

	constructor(
		private readonly counties: string[],
		private readonly trouble: Trouble,
	) {
		this.poller = this.newProcess();
	}

	async run(interval: number): Promise<void> {
		const start = Date.now();
		const end = start + DAYS * DAY;
		this.show(this.old);
		this.take(await this.poller.activate());
		this.isKnownAtOnce = this.isKnown;
		let listedOn = 0;
		for (let at = start + interval; at <= end + LAST_DAYS * DAY; at += interval) {
			vi.setSystemTime(Math.max(at, Date.now()));
			// The list of a day is there an hour after midnight of these days.
			const day = Math.min(Math.floor((at - start) / DAY), DAYS);
			if (day > listedOn) this.register.advance(day - listedOn);
			if (day > listedOn) this.show(this.isKnown ? this.news : this.meanwhile);
			listedOn = day;
			const isToBeLost = this.losses < MOST_LOSSES && day > 1 && day > this.losses * 2;
			if (this.trouble.losesProcesses && isToBeLost && this.lostAfter === Number.POSITIVE_INFINITY)
				this.lostAfter = 1 + (this.losses % 3);
			const before = this.asked;
			await this.poll();
			if (at <= end) this.requests += this.asked - before;
		}
	}

	private async poll(): Promise<void> {
		const lost = new Promise<'lost'>((resolve) => (this.lose = () => resolve('lost')));
		const result = await Promise.race([this.poller.poll(), lost]);
		if (result !== 'lost') return this.take(result);
		this.losses++;
		this.lostAfter = Number.POSITIVE_INFINITY;
		this.poller = this.newProcess();
		this.take(await this.poller.activate());
	}

	private show(phase: Set<string>): void {
		const listed = this.counties.flatMap((county) =>
			this.register.all({ event_type: 'new_filing', county }),
		);
		for (const record of listed) {
			const key = nameOf(record as unknown as IDataObject);
			const isKnown = [this.old, this.meanwhile, this.news].some((shown) => shown.has(key));
			if (!isKnown) phase.add(key);
		}
	}

	private take(items: IDataObject[]): void {
		for (const item of items) {
			const isFiling = item.eventType === NEW_FILING;
			const [into, key] = isFiling ? [this.came, nameOf(item)] : [this.others, eventId(item)];
			into.set(key, (into.get(key) ?? 0) + 1);
		}
		this.isKnown ||= this.poller.notes.some((note) =>
			note.includes('has been read for the first time'),
		);
	}

	private newProcess(): Poller {
		const { saving = 'memory', budget = 60_000, isOfAnyEvent = false } = this.trouble;
		const eventTypes = isOfAnyEvent ? [] : [NEW_FILING];
		const filters = this.counties[0] === '' ? {} : { counties: this.counties };
		const trigger = new ListedTrigger(
			[],
			{ eventTypes, filters, options: { maxItems: 10_000 } },
			{ ...compiledAnew('LicensingDataTrigger'), saving, budget, database: this.database },
		);
		trigger.answer = async (query) => await this.answer(query);
		return trigger.poller;
	}

	private async answer(query: Record<string, string>) {
		this.asked++;
		const { perMinute = Number.POSITIVE_INFINITY, answerTakes = 100 } = this.trouble;
		vi.setSystemTime(Date.now() + answerTakes);
		if (--this.lostAfter === 0) {
			this.lose();
			return await new Promise<never>(() => {});
		}
		const minute = Math.floor(Date.now() / MINUTE);
		if (minute !== this.minute) [this.minute, this.used] = [minute, 0];
		if (this.used++ < perMinute) return { status: 200, body: this.register.list(query) };
		this.refusals++;
		return { status: 429, headers: { 'retry-after': '60' } };
	}

	private minute = 0;
	private used = 0;
}

const nameOf = ({ id, legalName }: IDataObject): string =>
	JSON.stringify([id, holderKey({ legalName })]);

const PLACES: Array<[string, string[]]> = [
	['all of Florida', ['']],
	['two counties', ['Miami-Dade', 'Orange']],
	['one county', ['Miami-Dade']],
];
const INTERVALS = [5, 30, 60, 240, 720, 1440];

const TROUBLES: Array<[string, Trouble]> = [
	['no trouble', {}],
	['a limited key', { perMinute: PER_MINUTE }],
	[
		'polls cut off after 45 seconds',
		{ answerTakes: ANSWER_TAKES, budget: 45_000, saving: 'durable' },
	],
	['ten processes lost', { losesProcesses: true }],
	['any event', { isOfAnyEvent: true }],
];

/** The others differ in how often they poll, and take minutes. */
const inEveryRun = (place: string, minutes: number, trouble: string): boolean =>
	place === 'all of Florida'
		? minutes === 1440 || (minutes === 240 && trouble === 'ten processes lost')
		: minutes === 240 && trouble === 'no trouble' && place === 'one county';

const cases = PLACES.flatMap(([place, counties]) =>
	INTERVALS.flatMap((minutes) =>
		TROUBLES.map(([name, trouble]) => [place, minutes, name, counties, trouble] as const),
	),
).filter(([place, minutes, name]) => isFull || inEveryRun(place, minutes, name));

it.each(cases)(
	'the register in %s, day by day and polled every %d minutes with %s, brings each new license once and nothing else',
	async (place, minutes, name, counties, trouble) => {
		const month = new Month([...counties], trouble);
		await month.run(minutes * MINUTE);
		const { came, news, old, meanwhile, requests, others } = month;
		rows.push(
			`| ${place} | ${minutes} | ${name} | ${news.size} | ${came.size} | ${others.size} | ${requests} | ${month.refusals} |`,
		);
		expect([...news].filter((key) => !came.has(key))).toEqual([]);
		expect([...came.keys()].filter((key) => old.has(key))).toEqual([]);
		expect([...came, ...others].filter(([, times]) => times > 1)).toEqual([]);
		if (month.isKnownAtOnce)
			expect([...came.keys()].filter((key) => meanwhile.has(key))).toEqual([]);
		expect(news.size).toBeGreaterThan(0);
		expect(month.losses).toBe(trouble.losesProcesses ? MOST_LOSSES : 0);
		const isLimited = trouble.perMinute !== undefined && counties[0] === '';
		expect(month.refusals > 0).toBe(isLimited);
	},
);
