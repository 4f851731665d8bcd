import { UNDATED, type FeedRecord } from '../../nodes/LicensingData/feed/event.ts';
import type { PageResult } from '../../nodes/LicensingData/feed/poll.ts';

export const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A record of the model: only what the feed looks at, and a county to filter by. */
export interface ModelRecord extends FeedRecord {
	id: string;
	eventType: 'new_filing' | 'renewal';
	eventTimestamp: string | null;
	filedDate: string | null;
	county: string;
}

export interface ServiceOptions {
	pageSize: number;
	/** What a cursor stands for: a count of records, or the last record read. */
	cursors: 'offset' | 'key';
	/** Whether pages carry `total`. */
	totals: boolean;
	/** How records of one moment stand: so that new ones come above, below or among the known. */
	ties: 'newFirst' | 'newLast' | 'mixed';
	/** Where records without a timestamp stand; `filed`: at the start of the day of filing. */
	undated: 'first' | 'last' | 'filed';
	/** Whether the service lists new filings alone, so that an update takes a record off the list. */
	filtersEvents: boolean;
}

/** Events are told apart by what the interface shows of them. */
export const keyOf = ({ id, eventType, eventTimestamp }: ModelRecord): string =>
	`${id} ${eventType} ${eventTimestamp}`;

export const isTimed = ({ eventTimestamp }: ModelRecord): boolean => eventTimestamp !== null;

/** When a record's event happened, as the contract reads it; without any date, later than all others. */
export function timeOf({ eventTimestamp, filedDate }: ModelRecord): number {
	if (eventTimestamp !== null) return Date.parse(eventTimestamp);
	return filedDate === null ? UNDATED : Date.parse(filedDate) + DAY - 1;
}

interface Place {
	time: number;
	tie: number;
}

interface Entry extends Place {
	record: ModelRecord;
}

/** One number after the other, in an order that looks like none. */
const scattered = (number: number): number => Math.imul(number, 0x9e3779b1) >>> 0;

/** The list of the service, newest first, as one filter shows it. */
export class FeedService {
	readonly entries: Entry[] = [];
	requests = 0;
	made = 0;
	private generation = 0;

	constructor(readonly options: ServiceOptions) {}

	get records(): ModelRecord[] {
		return this.entries.map(({ record }) => record);
	}

	/** Whether the record stands below one whose timestamp is older than `time`. */
	standsBelow(record: ModelRecord, time: number): boolean {
		const older = this.entries.findIndex(
			({ record: { eventTimestamp } }) =>
				eventTimestamp !== null && Date.parse(eventTimestamp) < time,
		);
		return older >= 0 && older < this.entries.findIndex((entry) => entry.record === record);
	}

	insert(fields: Omit<ModelRecord, 'id' | 'eventType'>): ModelRecord {
		this.made++;
		const record = { id: `lic_${this.made}`, eventType: 'new_filing' as const, ...fields };
		this.place(record);
		return record;
	}

	remove(record: ModelRecord): void {
		const index = this.entries.findIndex((entry) => entry.record === record);
		if (index >= 0) this.entries.splice(index, 1);
	}

	/** The record returns under a new key; undefined where the filter no longer lists it. */
	update(record: ModelRecord, changed: Partial<ModelRecord>): ModelRecord | undefined {
		this.remove(record);
		const updated = { ...record, ...changed };
		if (this.options.filtersEvents && updated.eventType !== 'new_filing') return undefined;
		this.place(updated);
		return updated;
	}

	/** From now on the service refuses every cursor that it has given. */
	expireCursors(): void {
		this.generation++;
	}

	page(cursor: string | null): PageResult<ModelRecord> {
		this.requests++;
		const { pageSize, cursors, totals } = this.options;
		let start = 0;
		if (cursor !== null) {
			const [generation, ...place] = cursor.split(':').map(Number);
			if (generation !== this.generation) return { expired: true };
			const [first = 0, tie = 0] = place;
			start = cursors === 'offset' ? first : this.after({ time: first, tie });
		}
		const end = start + pageSize;
		const shown = this.entries.slice(start, end);
		const last = shown.at(-1);
		const way = cursors === 'offset' ? `${end}` : `${last?.time}:${last?.tie}`;
		return {
			records: shown.map(({ record }) => record),
			cursor: end < this.entries.length ? `${this.generation}:${way}` : null,
			...(totals ? { total: this.entries.length } : {}),
		};
	}

	private place(record: ModelRecord): void {
		const entry = { record, ...this.placeOf(record) };
		this.entries.splice(this.after(entry), 0, entry);
	}

	private placeOf(record: ModelRecord): Place {
		const { ties, undated } = this.options;
		const number = Number(record.id.slice('lic_'.length));
		const tie = { newFirst: -number, newLast: number, mixed: scattered(number) }[ties];
		if (record.eventTimestamp !== null) return { time: Date.parse(record.eventTimestamp), tie };
		if (undated === 'filed' && record.filedDate !== null)
			return { time: Date.parse(record.filedDate), tie };
		const end = Number.MAX_SAFE_INTEGER;
		return { time: undated === 'first' ? end : -end, tie };
	}

	/** How many entries stand at or before this place. */
	private after({ time, tie }: Place): number {
		let low = 0;
		let high = this.entries.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const entry = this.entries[middle] as Entry;
			const isBefore = entry.time > time || (entry.time === time && entry.tie <= tie);
			if (isBefore) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
