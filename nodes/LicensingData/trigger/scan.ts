import { hash } from 'node:crypto';

import { type License, cycleDetector } from '../licenses/license';
import { momentOf } from '../licenses/text';
import { ANY_EVENT, filedAt, groupsOf, typeOf, type Listed, type Unseen } from './bulk';
import type { PlacedPage } from './lists';
import { firstOf, keysOf } from './memory';

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
	readonly counts: Record<string, number> = { all: 0 };
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
		const shown = records.map(({ record }) => [
			firstOf(keysOf(record)),
			record.eventTimestamp,
			record.filedDate,
		]);
		this.signs = `${hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 8)} ${total}`;
	}

	turnTo({ records, cursor }: PlacedPage, now: number): void {
		this.cursor = cursor;
		this.pages++;
		this.records += records.length;
		for (const { record } of records) this.show(record, now);
	}

	/** One that matches the filters. */
	count(filing?: Unseen): void {
		for (const group of groupsOf(filing)) this.counts[group] = (this.counts[group] ?? 0) + 1;
	}

	private show(record: License, now: number): void {
		const shown = {
			[ANY_EVENT]: momentOf(record.eventTimestamp),
			[typeOf(record)]: filedAt(record),
		};
		for (const [name, date = Infinity] of Object.entries(shown)) {
			// Those in the future are left out.
			if (date > now || date <= Number(this.dates[name]?.[NEWEST - 1])) continue;
			const dates = [...(this.dates[name] ?? []), date].sort((a, b) => b - a).slice(0, NEWEST);
			this.dates[name] = dates;
			this.newest[name] = Number(dates.at(-1));
		}
	}
}
