import { hash } from 'node:crypto';

import { watchForCircle } from '../licenses/circle';
import type { License } from '../licenses/license';
import type { ListPage } from '../licenses/licenseList';
import { momentOf } from '../licenses/moment';
import { NewestDates, Tally, type Unseen } from './bulk';
import { firstOf, keysOf } from './memory';

/** What was read of a list, from its first pages on. As a full reading, it may go on with the next poll. */
export class Scan {
	readonly parts: PartScan[] = [];
	/** The first pages and totals as they were. */
	signs = '';
	/** Whether these are not those of the full reading before, as far as they were the reason for this one. */
	showsChanges = false;
	/** How many records were shown, how many of them match the filters, and how many of these were unseen. */
	records = 0;
	size = 0;
	unseen = 0;
	/** The unseen new filings. */
	filings: Unseen[] = [];
	readonly tally = new Tally();
	readonly newest = new NewestDates();
	/** In how many polls in a row its next page has failed, and how often a cursor was refused. */
	failures = 0;
	refusals = 0;
	/** Whether the service no longer takes its cursor. */
	isRefused = false;

	constructor(
		readonly began: number,
		/** Of a first reading: the list changed while it was read, and it began again. */
		readonly attempt = 1,
	) {}

	addPart({ records, total }: ListPage<License>): void {
		const goesInCircles = watchForCircle();
		this.parts.push({ cursor: null, pages: 0, total, hasNew: false, goesInCircles });
		this.signs += `${hashOf(records)}${total ?? ''} `;
	}

	show(records: License[], now: number): void {
		this.records += records.length;
		for (const record of records) {
			this.newest.add(momentOf(record.eventTimestamp), now);
			this.tally.show(record, now);
		}
	}
}

export interface PartScan {
	/** Leads to the next page; null at the end. */
	cursor: string | null;
	pages: number;
	total: number | undefined;
	/** Whether its last page has shown something for the first time. */
	hasNew: boolean;
	goesInCircles: (cursor: string) => boolean;
}

/** A first page in eight characters: what it shows, and its dates. */
function hashOf(records: License[]): string {
	const shown = records.map((record) => [
		firstOf(keysOf(record)),
		record.eventTimestamp,
		record.filedDate,
	]);
	return hash('sha256', JSON.stringify(shown), 'base64url').slice(0, 8);
}
