import { hash } from 'node:crypto';

import { cycleDetector } from '../licenses/license';
import { momentOf } from '../licenses/text';
import { NewestDates, Tally, type Unseen } from './bulk';
import type { PlacedPage } from './lists';
import { firstOf, keysOf } from './memory';

/** What was read of a list, from its first page on. As a full reading, it may go on with the next poll. */
export class Scan {
	/** Leads to the next page; null at the end. */
	cursor: string | null = null;
	pages = 0;
	/** How many records were shown, how many of them match the filters, and how many of these were unseen. */
	records = 0;
	size = 0;
	unseen = 0;
	/** Whether the last page has shown something unseen. */
	hasNew = false;
	/** The unseen new filings. */
	filings: Unseen[] = [];
	/** In how many polls in a row its next page has failed. */
	failures = 0;
	/** Whether page one and total have changed since the full reading before, and this was the reason for it. */
	showsChanges = false;
	readonly tally = new Tally();
	readonly newest = new NewestDates();
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
		for (const { record } of records) {
			this.newest.add(momentOf(record.eventTimestamp), now);
			this.tally.show(record, now);
		}
	}
}
