/**
 * Which records carry each value of a column. Built once for many records and added to afterwards.
 * Entries are never taken out: who reads them checks the record as it stands.
 */
export class Postings {
	private starts = new Uint32Array(1);
	private slots = new Uint32Array(0);
	private readonly added = new Map<number, number[]>();

	build(values: Uint32Array | Uint16Array, count: number): void {
		let highest = 0;
		for (let slot = 0; slot < count; slot++) highest = Math.max(highest, values[slot]!);
		const ends = new Uint32Array(highest + 2);
		for (let slot = 0; slot < count; slot++) ends[values[slot]! + 1]!++;
		for (let value = 0; value <= highest; value++) ends[value + 1]! += ends[value]!;
		this.starts = ends.slice();
		this.slots = new Uint32Array(count);
		for (let slot = 0; slot < count; slot++) this.slots[ends[values[slot]!]!++] = slot;
	}

	add(value: number, slot: number): void {
		const slots = this.added.get(value);
		if (slots) slots.push(slot);
		else this.added.set(value, [slot]);
	}

	/** The lists of the values whose mark has this bit, or more than `most` records of them. */
	ofMarked(marks: Uint8Array, bit: number, most: number): Array<Uint32Array | number[]> {
		const lists: Array<Uint32Array | number[]> = [];
		let size = 0;
		for (let value = 0; value < marks.length && size <= most; value++) {
			if ((marks[value]! & bit) === 0) continue;
			const start = this.starts[value] ?? 0;
			const end = this.starts[value + 1] ?? start;
			if (end > start) lists.push(this.slots.subarray(start, end));
			const added = this.added.get(value);
			if (added) lists.push(added);
			size += end - start + (added?.length ?? 0);
		}
		return lists;
	}
}
