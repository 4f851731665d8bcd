import { hash } from 'node:crypto';

import { eventOf, keysOf } from '../licenses/identity';
import { findLicenseType, NEW_FILING } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { cycleDetector } from '../service/list';
import { DAY, momentOf } from '../licenses/text';
import { countiesOf } from '../places/places';
import type { PlacedPage, Selection } from './watchedLists';
import type { Listed, ListState } from './memory';

const WEEK = 7 * DAY;

/** What a list is known by. */
interface KnownList {
	state: ListState;
	/** What other filters select, with which it was last read in full; undefined if there were none. */
	before: Selection | undefined;
	/** Whether it was never read in full with these filters. */
	isUnknown: boolean;
	/** Whether the record stands where the last reading of a cut list did not get. */
	isBelowKnown: boolean;
	/** The newest date of any event in the list, and of a filing of a license type. */
	newestOf: (of: string) => number;
}

/**
 * What an event is that the list has not shown before, and that matches the filters.
 *
 * The list                   News is
 * was never read in full     what Start From asks for
 * was read with other        what those select as well, unless the list was cut
 *   filters
 * is cut                     on pages that were read last time: what Start From asks for, and what is dated within a
 *                            week of the newest, and no more than two weeks before the first reading
 * any other                  everything
 *
 * Except in the first, new filings older than Lookback Days are too old, unless Start From asks for them.
 */
export function classify(record: License, wanted: Selection, known: KnownList) {
	const { state, before, isUnknown, isBelowKnown, newestOf } = known;
	const { startFrom, isCut, knownSince = 0 } = state;
	const date = momentOf(record.eventTimestamp) ?? Number.NEGATIVE_INFINITY;
	const isAskedFor = startFrom !== undefined && date >= startFrom;
	if (state.filters === undefined) return isAskedFor ? 'news' : 'known';
	if (isUnknown && (isCut || !before?.matches(record))) return 'known';
	// Tens of thousands may have one date, years ago. Where some of them leave, others move up to what is read.
	const isRecent = date >= Math.max(newestOf(ANY_EVENT) - WEEK, knownSince - 2 * WEEK);
	if (isCut && (isBelowKnown || !(isRecent || isAskedFor))) return 'known';
	const lookback = Math.min(wanted.lookback, before?.lookback ?? wanted.lookback);
	const isTooOld =
		eventOf(record) === NEW_FILING && Number(filedAt(record)) < newestOf(typeOf(record)) - lookback;
	return isTooOld && !isAskedFor ? 'tooOld' : 'news';
}

/** A new filing that the list had not shown before. */
export interface Unseen {
	key: string;
	type: string;
	county: string;
	filedAt: number | undefined;
}

const filedAt = ({ filedDate, eventTimestamp }: License): number | undefined =>
	momentOf(filedDate) ?? momentOf(eventTimestamp);

const typeOf = ({ licenseType }: License): string => findLicenseType(licenseType) ?? 'OTHER';

export const toUnseen = (key: string, record: License): Unseen => ({
	key,
	type: typeOf(record),
	county: countiesOf(record.address)[0] ?? 'no county',
	filedAt: filedAt(record),
});

/** A few are old each day, as licenses are listed weeks after they were filed. */
const MOST_OLD = 20;
/** No register has filed as many on one day. */
const MOST_OF_A_DAY = 150;

/**
 * Which of these are no news, but an addition to the list: a source, a county, the rest of a sample. In the whole list,
 * or in one type or county of it, more than twenty are old and more than half of what is listed there; or more than 150
 * were filed on one day. Old is what was filed before the newest of its type, as the last full reading left the list.
 * What an earlier process may have found already is no addition: it takes so many more.
 */
export function bulkAdditions(found: Unseen[], last: Listed, now: Listed, again = 0): Unseen[] {
	const isOld = ({ type, filedAt: date }: Unseen) => {
		const newest = last.newest[type];
		return newest === undefined || (date !== undefined && date < newest);
	};
	const oldIn: Counts = {};
	const ofDay: Counts = {};
	for (const one of found) {
		countIn(oldIn, isOld(one) ? groupsOf(one) : []);
		countIn(ofDay, one.filedAt === undefined ? [] : [String(one.filedAt)]);
	}
	const isAddition = (group: string) => {
		const { [group]: old = 0 } = oldIn;
		const listed = Math.max(last.counts[group] ?? 0, now.counts[group] ?? 0);
		return old > MOST_OLD + again && old > listed / 2;
	};
	return found.filter(
		(one) =>
			(isOld(one) && groupsOf(one).some(isAddition)) ||
			(ofDay[String(one.filedAt)] ?? 0) > MOST_OF_A_DAY + again,
	);
}

type Counts = Record<string, number>;

const groupsOf = ({ type, county }: Unseen) => ['all', `type ${type}`, `county ${county}`];

function countIn(counts: Counts, names: string[]): void {
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
}

const ANY_EVENT = 'any event';

/** One wild date, or a few, must not make all others old. */
const NEWEST = 10;

/** What was read of a list, from its first page on. As a full reading, it may go on with the next poll. */
export class Scan implements Listed {
	/** Leads to the next page; null at the end. */
	cursor: string | null = null;
	pages = 0;
	/** How many records were shown, and how many of those that match the filters were unseen. */
	records = 0;
	unseen = 0;
	readonly counts: Counts = {};
	readonly newest: Record<string, number> = {};
	private readonly dates: Record<string, number[]> = {};
	/** The unseen new filings. */
	readonly filings: Unseen[] = [];
	/** In how many polls in a row its next page has failed. */
	failures = 0;
	/** Whether page one and total have changed since the full reading before, and this was the reason for it. */
	showsChanges = false;
	readonly goesInCircles = cycleDetector();
	/** The first page and the total as they were. */
	readonly signs: string;

	constructor(
		readonly began: number,
		{ records, total }: PlacedPage,
	) {
		const shown = records.map(({ record }) => [keysOf(record).keys, record.eventTimestamp]);
		this.signs = `${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 8)} ${total}`;
	}

	turnTo({ records, cursor }: PlacedPage, now: number): void {
		this.cursor = cursor;
		this.pages++;
		this.records += records.length;
		for (const { record } of records) {
			this.date(ANY_EVENT, momentOf(record.eventTimestamp), now);
			this.date(typeOf(record), filedAt(record), now);
		}
	}

	/** One that matches the filters, and what it is if it is a new filing. */
	count(filing?: Unseen): void {
		countIn(this.counts, filing ? groupsOf(filing) : ['all']);
	}

	/** Those in the future are left out. */
	private date(of: string, date = Infinity, now: number): void {
		const { [of]: dates = [] } = this.dates;
		if (date > now || date <= Number(dates[NEWEST - 1])) return;
		this.dates[of] = [...dates, date].sort((a, b) => b - a).slice(0, NEWEST);
		this.newest[of] = Number(this.dates[of].at(-1));
	}
}
