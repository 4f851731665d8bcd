import { hash } from 'node:crypto';

import { keysOf } from '../licenses/eventIdentity';
import { type License, licenseKey, type ListPage } from '../licenses/license';
import { endlessDetector } from '../service/listPages';
import { filedAt, typeOf } from './bulkAdditions';
import type { Listed } from './stateFormat';
import type { Placed } from './watchedLists';

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

	turnTo({ records, cursor, total, unreadable = [] }: ListPage<Placed>): void {
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

const hashOf = (value: unknown): string =>
	hash('sha256', JSON.stringify(value), 'base64url').slice(0, 8);
