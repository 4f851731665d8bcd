import { hash } from 'node:crypto';

import { keysOf } from '../licenses/eventIdentity';
import { NEW_FILING } from '../licenses/eventTypes';
import { type License, licenseKey } from '../licenses/license';
import { findLicenseType } from '../licenses/licenseTypes';
import { DAY, HOUR, MINUTE, momentOf } from '../licenses/time';
import { countiesOf } from '../places/address';
import { endlessDetector } from '../service/listRequests';
import type { Placed, PlacedPage } from './listPages';
import type { Listed, ListState } from './memory';

/** A source without filing dates still says when a filing took effect, or was published. */
export const filedAt = ({ filedDate, eventTimestamp }: License): number | undefined =>
	momentOf(filedDate) ?? momentOf(eventTimestamp);

export const typeOf = ({ licenseType }: License): string => findLicenseType(licenseType) ?? 'OTHER';

export const countyOf = ({ address }: License): string => countiesOf(address)[0] ?? 'no county';

/** When it was filed, or took effect. */
export const dateOf = (record: License, event: string): number | undefined =>
	event === NEW_FILING ? filedAt(record) : momentOf(record.eventTimestamp);

export const groupsOf = (record: License): string[] => [
	'all',
	`type ${typeOf(record)}`,
	`county ${countyOf(record)}`,
];

/** How often each name occurs, together with what was counted before. */
export function countBy(names: string[], counts: Record<string, number> = {}) {
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}

const idOf = ({ record }: Placed): unknown => licenseKey(record);

/** What tells records apart. */
const aboutOf = ({ record }: Placed) => [keysOf(record).keys, record.eventTimestamp];

/** One wild date, or a few, must not make all others old. */
const NEWEST = 10;

/** What was read of a list, from its first page on. As a full reading, it may go on with the next poll. */
export class Scan {
	/** Leads to the next page; null before the first and after the last. */
	cursor: string | null = null;
	pages = 0;
	/** How many records the list has, as its first page says. */
	total = 0;
	private readonly different = new Set<string>();
	/** How many of those that match the filters were unseen; and the ones that are judged as bulk additions. */
	unseen = 0;
	readonly judged: License[] = [];
	/** The keys of the unseen that stand below everything else that it has shown. */
	belowSeen: string[] = [];
	private readonly dates: Record<string, number[]> = {};
	/** In how many polls in a row its next page has failed. */
	failures = 0;
	/** True while it reads the list once more. */
	isSecond = false;
	isEndless = endlessDetector(idOf);
	/** The first page and the total as they were. */
	signs = '';

	constructor(readonly listed: Listed) {}

	get isAtEnd(): boolean {
		return this.pages > 0 && this.cursor === null;
	}

	/** Records that leave or move while pages are read make a reading miss others. */
	get hasMissed(): boolean {
		return this.isAtEnd && this.listed.records < this.total;
	}

	/** At its end, reads the list once more, and adds to what was shown. */
	beginAgain(): void {
		Object.assign(this, { pages: 0, isSecond: true, isEndless: endlessDetector(idOf) });
	}

	turnTo({ records, cursor, total, unreadable = [] }: PlacedPage): void {
		if (this.pages === 0) {
			this.total = total ?? 0;
			this.signs = `${hashOf(records.map(aboutOf))} ${total}`;
		}
		this.cursor = cursor;
		this.pages++;
		for (const text of unreadable) this.different.add(`${this.pages} ${text}`);
	}

	/** Takes a record, and says whether it has not shown it before. */
	show(placed: Placed): boolean {
		const { record, matched } = placed;
		const { size } = this.different;
		const isAdded = this.different.add(hashOf(aboutOf(placed))).size > size;
		this.listed.records = this.different.size;
		if (matched && isAdded) this.date(typeOf(record), filedAt(record));
		return isAdded;
	}

	/** Those in the future are left out. */
	private date(type: string, date = Number.POSITIVE_INFINITY): void {
		const { [type]: dates = [] } = this.dates;
		if (date > this.listed.readAt || date <= Number(dates[NEWEST - 1])) return;
		this.dates[type] = [...dates, date].sort((a, b) => b - a).slice(0, NEWEST);
		this.listed.newest[type] = Number(this.dates[type].at(-1));
	}
}

/** With more unseen on its first pages than this, only a full reading tells what has happened to the list. */
const MAX_ON_TOP = 20;
/** A register changes once a day, and a list may keep its first page and its total. */
const MAX_UNREAD = DAY + 6 * HOUR;

/** Says whether a full reading may begin only because a list has changed: they take a request a minute at most. */
export function mayBeginReading(lists: ListState[], now: number): boolean {
	const age = now - Math.max(...lists.map(({ beganAt = 0 }) => beganAt));
	const pages = lists.reduce((sum, list) => sum + (list.pages ?? 0), 0);
	// The clock may have been set back.
	return age < 0 || age >= pages * MINUTE;
}

/** Says whether a list that was read in full before is to be read so again, now that its first pages show this. */
export function isDue(
	{ unseen, signs }: Scan,
	{ beganAt, signs: before }: ListState,
	{ now, interval, mayBegin }: { now: number; interval: number; mayBegin: boolean },
): boolean {
	const age = now - Number(beganAt);
	const isLate = age < 0 || age + interval > MAX_UNREAD;
	return unseen > MAX_ON_TOP || isLate || (mayBegin && signs !== before);
}

const hashOf = (value: unknown): string =>
	hash('sha256', JSON.stringify(value), 'base64url').slice(0, 8);
