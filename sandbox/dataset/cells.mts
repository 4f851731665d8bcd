import { countyKey } from './county-key.mts';

/** What a list can be filtered by, free text aside. */
export interface CellFilter {
	county?: string;
	licenseType?: string;
	eventType?: string;
	status?: string;
}

export interface Cell {
	county: string | null;
	licenseType: string | null;
	eventType: string | null;
	status: string | null;
}

/** In a cell's key, so that the word "null" is another status than none. */
const NONE = '\0';

/**
 * Every combination of county, type, event and status that occurs is a numbered cell, and each
 * record stands in one. A filter is then a set of cells, and a total the sum of their counts.
 */
export class Cells {
	private readonly cells: Cell[] = [];
	private readonly countyKeys: Array<string | null> = [];
	private readonly indexes = new Map<string, number>();

	get length(): number {
		return this.cells.length;
	}

	at(index: number): Cell {
		const cell = this.cells[index];
		if (!cell) throw new Error(`There is no cell ${index}`);
		return cell;
	}

	indexOf({ county, licenseType, eventType, status }: Cell): number {
		const key = `${county ?? NONE}\n${licenseType ?? NONE}\n${eventType ?? NONE}\n${status ?? NONE}`;
		let index = this.indexes.get(key);
		if (index === undefined) {
			index = this.cells.length;
			this.cells.push({ county, licenseType, eventType, status });
			this.countyKeys.push(county === null ? null : countyKey(county));
			this.indexes.set(key, index);
		}
		return index;
	}

	/** Marks the cells that a filter lets through; undefined stands for all of them. */
	allowedBy(filter: CellFilter): Uint8Array | undefined {
		const { licenseType, eventType } = filter;
		if (!filter.county && !licenseType && !eventType && !filter.status) return undefined;
		const county = filter.county === undefined ? undefined : countyKey(filter.county);
		const status = filter.status?.toLowerCase();
		const allowed = new Uint8Array(this.cells.length);
		for (const [index, cell] of this.cells.entries()) {
			if (county !== undefined && this.countyKeys[index] !== county) continue;
			if (licenseType !== undefined && cell.licenseType !== licenseType) continue;
			if (eventType !== undefined && cell.eventType !== eventType) continue;
			if (status !== undefined && cell.status?.toLowerCase() !== status) continue;
			allowed[index] = 1;
		}
		return allowed;
	}
}
