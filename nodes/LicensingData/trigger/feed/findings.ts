import type { SortKey } from './sortKey';

export interface Found<Entry> {
	key: SortKey;
	/** Absent if nothing is to be emitted: then its key is enough. */
	record?: Entry;
	/** Whether it belongs to the baseline, and is no news. */
	isOfBaseline: boolean;
	bytes: number;
}

/** Oldest first. */
export const byKey = (a: { key: SortKey }, b: { key: SortKey }): number => (a.key < b.key ? -1 : 1);

/** About what a key takes up without its record. */
const BYTES_OF_A_KEY = 200;

/** The news and the baseline that a scan has met. They stay where it has to start over. */
export class Findings<Entry> {
	readonly events = new Map<SortKey, Found<Entry>>();
	bytes = 0;
	/** How many there were in all. */
	met = 0;
	oldest: SortKey | undefined;
	/** Whether there were more than it may hold. */
	hasDropped = false;

	add(key: SortKey, record: Entry | undefined, isOfBaseline: boolean): void {
		const bytes = BYTES_OF_A_KEY + (record === undefined ? 0 : bytesInMemory(record));
		this.events.set(key, { key, isOfBaseline, bytes, ...(record !== undefined && { record }) });
		this.bytes += bytes;
		this.met++;
		if (!(this.oldest !== undefined && key > this.oldest)) this.oldest = key;
	}

	takeAll(): Array<Found<Entry>> {
		const events = [...this.events.values()];
		this.events.clear();
		this.bytes = 0;
		return events;
	}

	takeBaseline(): SortKey[] {
		const ofBaseline = [...this.events.values()].filter(({ isOfBaseline }) => isOfBaseline);
		for (const event of ofBaseline) this.remove(event);
		return ofBaseline.map(({ key }) => key);
	}

	/** The oldest stay, as they are emitted first (promise 2). The next scan finds the others again. */
	dropWhatHasNoRoom(room: number): void {
		if (this.bytes <= room) return;
		const newestFirst = [...this.events.values()].sort(byKey).reverse();
		for (const event of newestFirst) {
			if (this.bytes <= room || this.events.size === 1) return;
			// What belongs to the baseline is small, and without its key it would look new.
			if (event.isOfBaseline) continue;
			this.remove(event);
			this.hasDropped = true;
		}
	}

	private remove({ key, bytes }: Found<Entry>): void {
		this.events.delete(key);
		this.bytes -= bytes;
	}
}

/** Roughly: what takes three characters in JSON, such as `{},`, takes twenty times as much in memory. */
function bytesInMemory(value: unknown): number {
	if (typeof value === 'string') return 16 + value.length;
	if (typeof value !== 'object' || value === null) return 8;
	return Object.values(value).reduce<number>((sum, inner) => sum + bytesInMemory(inner), 64);
}
