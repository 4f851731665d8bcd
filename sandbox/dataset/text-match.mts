import type { Columns } from './columns.mts';

/** A free-text query's answer, kept current while records change. */
export class TextMatch {
	/** 1 for each record that matches. */
	hits: Uint8Array;
	/** How many records match. */
	total = 0;
	/** How many of the matches stand in each cell, once that is known. */
	countsByCell: Uint32Array | undefined;

	constructor(
		readonly words: readonly string[],
		private readonly columns: Columns,
		recordCount: number,
	) {
		this.hits = new Uint8Array(recordCount);
	}

	/** Counted when a filter first asks. */
	counts(cellCount: number): Uint32Array {
		this.countsByCell ??= countByCell(this.hits, this.columns.cell, cellCount);
		return this.countsByCell;
	}

	change(slot: number, hit: 0 | 1): void {
		if (slot >= this.hits.length) this.hits = lengthened(this.hits, slot + 1);
		const difference = hit - this.hits[slot]!;
		if (difference === 0) return;
		this.hits[slot] = hit;
		this.total += difference;
		if (!this.countsByCell) return;
		const cell = this.columns.cell[slot]!;
		if (cell >= this.countsByCell.length)
			this.countsByCell = lengthened(this.countsByCell, cell + 1);
		this.countsByCell[cell]! += difference;
	}
}

function countByCell(hits: Uint8Array, cells: Uint32Array, cellCount: number): Uint32Array {
	const counts = new Uint32Array(cellCount);
	const count = Math.min(hits.length, cells.length);
	for (let slot = 0; slot < count; slot++) counts[cells[slot]!]! += hits[slot]!;
	return counts;
}

function lengthened<Numbers extends Uint8Array | Uint32Array>(
	numbers: Numbers,
	length: number,
): Numbers {
	const Kind = numbers.constructor as new (length: number) => Numbers;
	const longer = new Kind(Math.ceil(length * 1.2));
	longer.set(numbers);
	return longer;
}
