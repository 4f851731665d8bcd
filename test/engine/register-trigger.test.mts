import type { IDataObject } from 'n8n-workflow';

import { eventId } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import { holderKey } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { NEW_FILING } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { Register } from '../../sandbox/index.mts';
import { compiledAnew } from '../support/compiled.mts';
import { DAY, ListedTrigger, MINUTE, useClock } from '../support/listed-trigger.mts';
import type { Poller, Saving } from '../support/poller.mts';

/** `REGISTER=full` takes all of Florida, with 9,000 new filings, and prints what it costs. */
const isFull = process.env.REGISTER === 'full';
const RECORDS = isFull ? 108_000 : 3000;
const DAYS = isFull ? 30 : 22;
/** A small register meets small limits. */
const PER_MINUTE = isFull ? 60 : 4;
const ANSWER_TAKES = isFull ? 1500 : 9000;
/** What comes on the last day has as long to be found, while nothing changes any more. */
const LAST_DAYS = 4;

interface Trouble {
	/** How many requests a minute the service takes. */
	perMinute?: number;
	/** Milliseconds that an answer takes, and a poll may. */
	answerTakes?: number;
	budget?: number;
	saving?: Saving;
	/** Whether any event is chosen, and not new filings alone. */
	isOfAnyEvent?: boolean;
}

beforeEach(() => useClock(Date.parse('2026-04-01T09:00:00Z')));

const nameOf = ({ id, legalName }: IDataObject): string =>
	JSON.stringify([id, holderKey({ legalName })]);

/** A trigger on a register that changes once a day, without HTTP between n8n-core and the service. */
class Month {
	private readonly register = new Register({ records: RECORDS });
	private readonly poller: Poller;
	private asked = 0;
	private minute = 0;
	private askedInMinute = 0;
	requests = 0;
	/** How often the service asked to wait. */
	refusals = 0;
	/** How often each has come: new filings by license and holder, other events by their IDs. */
	readonly came = new Map<string, number>();
	/** When the list showed a new filing: as the trigger was published, during its first reading, or after that. */
	readonly shown = new Map<string, 'old' | 'meanwhile' | 'news'>();
	private isKnown = false;
	/** Whether publishing was enough to read the list. Else some of the meantime may come. */
	isKnownAtOnce = false;

	constructor(
		private readonly counties: string[],
		private readonly trouble: Trouble,
	) {
		const { saving = 'memory', budget = 60_000, isOfAnyEvent } = trouble;
		const eventTypes = isOfAnyEvent ? [] : [NEW_FILING];
		const filters = counties[0] === '' ? {} : { counties };
		const trigger = new ListedTrigger(
			[],
			{ eventTypes, filters, options: { maxItems: 10_000 } },
			{ ...compiledAnew('LicensingDataTrigger'), saving, budget },
		);
		trigger.answer = (query) => this.answer(query);
		this.poller = trigger.poller;
	}

	async run(interval: number): Promise<void> {
		const start = Date.now();
		this.show('old');
		this.take(await this.poller.activate());
		this.isKnownAtOnce = this.isKnown;
		let listedOn = 0;
		for (let at = start + interval; at <= start + (DAYS + LAST_DAYS) * DAY; at += interval) {
			vi.setSystemTime(Math.max(at, Date.now()));
			// The list of a day is there an hour after midnight of these days.
			const day = Math.min(Math.floor((at - start) / DAY), DAYS);
			if (day > listedOn) {
				this.register.advance(day - listedOn);
				this.show(this.isKnown ? 'news' : 'meanwhile');
			}
			listedOn = day;
			const before = this.asked;
			this.take(await this.poller.poll());
			if (at <= start + DAYS * DAY) this.requests += this.asked - before;
		}
	}

	private show(phase: 'old' | 'meanwhile' | 'news'): void {
		for (const county of this.counties)
			for (const record of this.register.all({ event_type: 'new_filing', county })) {
				const name = nameOf(record as unknown as IDataObject);
				this.shown.set(name, this.shown.get(name) ?? phase);
			}
	}

	private take(items: IDataObject[]): void {
		for (const item of items) {
			const name = item.eventType === NEW_FILING ? nameOf(item) : eventId(item);
			this.came.set(name, (this.came.get(name) ?? 0) + 1);
		}
		this.isKnown ||= this.poller.notes.join().includes('has been read for the first time');
	}

	private answer(query: Record<string, string>) {
		this.asked++;
		const { perMinute = Number.POSITIVE_INFINITY, answerTakes = 100 } = this.trouble;
		vi.setSystemTime(Date.now() + answerTakes);
		const minute = Math.floor(Date.now() / MINUTE);
		if (minute !== this.minute) this.askedInMinute = 0;
		this.minute = minute;
		if (this.askedInMinute++ < perMinute) return { status: 200, body: this.register.list(query) };
		this.refusals++;
		return { status: 429, headers: { 'retry-after': '60' } };
	}
}

const PLACES: Array<[string, string[]]> = [
	['all of Florida', ['']],
	['two counties', ['Miami-Dade', 'Orange']],
];
const INTERVALS = [5, 30, 60, 240, 720, 1440];

const TROUBLES: Array<[string, Trouble]> = [
	['no trouble', {}],
	['a limited key', { perMinute: PER_MINUTE }],
	[
		'polls cut off after 45 seconds',
		{ answerTakes: ANSWER_TAKES, budget: 45_000, saving: 'durable' },
	],
	['any event', { isOfAnyEvent: true }],
];

/** The others differ in how often they poll, and take minutes. */
const inEveryRun = (place: string, minutes: number, trouble: string): boolean =>
	place === 'all of Florida' ? minutes === 1440 : minutes === 240 && trouble === 'no trouble';

const cases = PLACES.flatMap(([place, counties]) =>
	INTERVALS.flatMap((minutes) =>
		TROUBLES.map(([name, trouble]) => [place, minutes, name, counties, trouble] as const),
	),
).filter(([place, minutes, name]) => isFull || inEveryRun(place, minutes, name));

it.each(cases)(
	'the register in %s, polled every %d minutes with %s, brings each news once',
	async (place, minutes, name, counties, trouble) => {
		const month = new Month([...counties], trouble);
		await month.run(minutes * MINUTE);
		const { came, shown, requests, refusals } = month;
		const shownAs = (phase: string) => [...shown.keys()].filter((one) => shown.get(one) === phase);
		const news = shownAs('news');
		const filings = [...came.keys()].filter((one) => shown.has(one)).length;
		const row = [place, minutes, name, news.length, filings, came.size - filings];
		if (isFull) process.stdout.write(`| ${[...row, requests, refusals].join(' | ')} |\n`);
		expect(news.length).toBeGreaterThan(0);
		expect(news.filter((one) => !came.has(one))).toEqual([]);
		expect(shownAs('old').filter((one) => came.has(one))).toEqual([]);
		expect([...came].filter(([, times]) => times > 1)).toEqual([]);
		if (month.isKnownAtOnce)
			expect(shownAs('meanwhile').filter((one) => came.has(one))).toEqual([]);
		expect(refusals > 0).toBe(trouble.perMinute !== undefined && place === 'all of Florida');
	},
	// A month of all Florida takes minutes of a processor.
	isFull ? 3_600_000 : undefined,
);
