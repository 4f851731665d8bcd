import type { IDataObject } from 'n8n-workflow';

import { eventId } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import { NEW_FILING } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { holderKey } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { DAY, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import { Register } from '../../sandbox/index.mts';
import { compiled } from '../support/compiled.mts';
import { ListedTrigger, useClock } from '../support/listed-trigger.mts';
import type { PollerOptions } from '../support/poller.mts';

/** `REGISTER=full` takes all of Florida, with 9,000 new filings, and prints what it costs. */
const isFull = process.env.REGISTER === 'full';
const RECORDS = isFull ? 108_000 : 3000;
const DAYS = isFull ? 30 : 22;
/** A small register meets small limits. */
const PER_MINUTE = isFull ? 60 : 4;
const ANSWER_TAKES = isFull ? 1500 : 9000;
/** What comes on the last day has as long to be found, while nothing changes any more. */
const LAST_DAYS = 4;

interface Trouble extends Pick<PollerOptions, 'budget' | 'saving'> {
	/** How many requests a minute the service takes. */
	perMinute?: number;
	/** Milliseconds that an answer takes. */
	answerTakes?: number;
	eventTypes?: string[];
}

beforeEach(() => useClock(Date.parse('2026-04-01T09:00:00Z')));

const nameOf = ({ id, legalName }: IDataObject): string =>
	JSON.stringify([id, holderKey({ legalName })]);

/** A trigger on a register that changes once a day, without HTTP between n8n-core and the service. */
async function playMonth(counties: string[], interval: number, trouble: Trouble) {
	const { perMinute = Infinity, answerTakes = 100, eventTypes = [NEW_FILING], ...more } = trouble;
	const filters = counties[0] === '' ? {} : { counties };
	const trigger = new ListedTrigger(
		[],
		{ eventTypes, filters, options: { maxItems: 10_000 } },
		{ ...compiled('LicensingDataTrigger'), budget: 60_000, ...more },
	);
	const register = new Register({ records: RECORDS });
	/** How often the service asked to wait. */
	let refusals = 0;
	let minute = { number: 0, asked: 0 };
	trigger.answer = (query) => {
		vi.setSystemTime(Date.now() + answerTakes);
		const number = Math.floor(Date.now() / MINUTE);
		if (number !== minute.number) minute = { number, asked: 0 };
		if (minute.asked++ < perMinute) return { body: register.list(query) };
		refusals++;
		return { status: 429, headers: { 'retry-after': '60' } };
	};
	const isKnown = () => trigger.said('has been read for the first time').length > 0;

	/** When the list showed a new filing: as the trigger was published, during its first reading, or after that. */
	const shown = new Map<string, 'old' | 'meanwhile' | 'news'>();
	const show = (phase: 'old' | 'meanwhile' | 'news') => {
		const records = counties.flatMap((county) => register.all({ event_type: NEW_FILING, county }));
		for (const record of records) {
			const name = nameOf({ ...record });
			shown.set(name, shown.get(name) ?? phase);
		}
	};
	/** What has come: new filings by license and holder, other events by their IDs. */
	const came: string[] = [];
	const poll = async (wait: number) => {
		await trigger.poll(wait);
		const { items } = trigger;
		came.push(...items.map((one) => (one.eventType === NEW_FILING ? nameOf(one) : eventId(one))));
	};

	const start = Date.now();
	show('old');
	expect(await trigger.publish()).toEqual([]);
	/** Whether publishing was enough to read the list. Else some of the meantime may come. */
	const isKnownAtOnce = isKnown();
	const { requests: before } = trigger;
	let requests = 0;
	let listedOn = 0;
	for (let at = start + interval; at <= start + (DAYS + LAST_DAYS) * DAY; at += interval) {
		// The list of a day is there an hour after midnight of these days.
		const day = Math.min(Math.floor((at - start) / DAY), DAYS);
		if (day > listedOn) {
			register.advance(day - listedOn);
			show(isKnown() ? 'news' : 'meanwhile');
		}
		listedOn = day;
		await poll(Math.max(0, at - Date.now()));
		if (at <= start + DAYS * DAY) requests = trigger.requests - before;
	}
	expect(trigger.failures).toEqual([]);
	return { came, shown, requests, refusals, isKnownAtOnce };
}

const PLACES: Array<[string, string[]]> = [
	['all of Florida', ['']],
	['two counties', ['Miami-Dade', 'Orange']],
];
const INTERVALS = [5, 30, 60, 240, 720, 1440];

const TROUBLES: Array<[string, Trouble]> = [
	['no trouble', {}],
	['a limited key', { perMinute: PER_MINUTE }],
	['polls cut off after 45 s', { answerTakes: ANSWER_TAKES, budget: 45_000, saving: 'durable' }],
	['any event', { eventTypes: [] }],
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
		const month = await playMonth(counties, minutes * MINUTE, trouble);
		const { came, shown, requests, refusals, isKnownAtOnce } = month;
		const shownAs = (phase: string) => [...shown.keys()].filter((one) => shown.get(one) === phase);
		const news = shownAs('news');
		const filings = came.filter((one) => shown.has(one)).length;
		const row = [place, minutes, name, news.length, filings, came.length - filings];
		if (isFull) process.stdout.write(`| ${[...row, requests, refusals].join(' | ')} |\n`);
		const all = new Set(came);
		expect(came).toEqual([...all]);
		expect(news.length).toBeGreaterThan(0);
		expect(news.filter((one) => !all.has(one))).toEqual([]);
		const known = isKnownAtOnce ? [...shownAs('old'), ...shownAs('meanwhile')] : shownAs('old');
		expect(known.filter((one) => all.has(one))).toEqual([]);
		expect(refusals > 0).toBe(trouble.perMinute !== undefined && place === 'all of Florida');
	},
	// A month of all Florida takes minutes of a processor.
	isFull ? 3_600_000 : undefined,
);
