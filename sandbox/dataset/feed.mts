import type { Columns } from './columns.mts';

/**
 * The records in the order of their events, oldest first, so that news is appended. The tie-break is
 * the record's number: an update that shares its second with others can land among them, which is
 * what a client must cope with.
 */
export class Feed {
	slots = new Uint32Array(0);
	cells = new Uint32Array(0);
	length = 0;

	constructor(private readonly columns: Columns) {}

	load(slots: Uint32Array<ArrayBuffer>, capacity: number): void {
		const { time, cell } = this.columns;
		slots.sort((a, b) => (time[a] ?? 0) - (time[b] ?? 0) || a - b);
		this.length = slots.length;
		this.slots = new Uint32Array(capacity);
		this.slots.set(slots);
		this.cells = new Uint32Array(capacity);
		for (let index = 0; index < this.length; index++)
			this.cells[index] = cell[slots[index] ?? 0] ?? 0;
	}

	/** How many records are older than this point of the order. */
	olderThan(time: number, slot: number): number {
		let low = 0;
		let high = this.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.isOlder(this.slots[middle] ?? 0, time, slot)) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	isOlder(slot: number, time: number, than: number): boolean {
		const own = this.columns.time[slot] ?? 0;
		return own < time || (own === time && slot < than);
	}

	/** The records that stand in these cells. */
	newestFirst(allowed: Uint8Array): number[] {
		const { slots, cells } = this;
		const found: number[] = [];
		for (let index = this.length - 1; index >= 0; index--)
			if (allowed[cells[index]!] === 1) found.push(slots[index]!);
		return found;
	}

	insert(slot: number): void {
		if (this.length === this.slots.length) this.grow();
		const at = this.olderThan(this.columns.time[slot] ?? 0, slot);
		this.slots.copyWithin(at + 1, at, this.length);
		this.cells.copyWithin(at + 1, at, this.length);
		this.slots[at] = slot;
		this.cells[at] = this.columns.cell[slot] ?? 0;
		this.length++;
	}

	delete(slot: number): void {
		const at = this.olderThan(this.columns.time[slot] ?? 0, slot);
		if (this.slots[at] !== slot) throw new Error(`Record ${slot} is not in the feed`);
		this.slots.copyWithin(at, at + 1, this.length);
		this.cells.copyWithin(at, at + 1, this.length);
		this.length--;
	}

	private grow(): void {
		const capacity = Math.ceil(this.length * 1.5) + 1024;
		const slots = new Uint32Array(capacity);
		const cells = new Uint32Array(capacity);
		slots.set(this.slots);
		cells.set(this.cells);
		this.slots = slots;
		this.cells = cells;
	}
}
