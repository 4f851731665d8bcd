import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { momentOf } from '../../nodes/LicensingData/licenses/text.ts';

/** A record as it is in the list. */
export interface ListEntry {
	record: License;
	/** Counts up with each insert. */
	serial: number;
	/** What the list is sorted by, highest first. */
	rank: number;
}

type TieOrder = (a: ListEntry, b: ListEntry) => number;

const idOf = ({ record }: ListEntry): string => String(record.id);
const scattered = ({ serial }: ListEntry): number => Math.imul(serial, 0x9e3779b1) >>> 0;
const byId: TieOrder = (a, b) => (idOf(a) < idOf(b) ? -1 : Number(idOf(a) > idOf(b)));

/** How records of the same rank may be ordered: the interface does not say. */
export const tieOrders = {
	newFirst: (a, b) => b.serial - a.serial,
	newLast: (a, b) => a.serial - b.serial,
	byId: (a, b) => byId(a, b) || a.serial - b.serial,
	byIdBackwards: (a, b) => byId(b, a) || a.serial - b.serial,
	mixed: (a, b) => scattered(a) - scattered(b),
} satisfies Record<string, TieOrder>;

export interface FakeServiceOptions {
	/** "Newest first" may mean any of these. */
	sortedBy: 'eventTimestamp' | 'filedDate' | 'arrival';
	ties: keyof typeof tieOrders;
	/** Where records go that lack the date by which the list is sorted. */
	undated: 'first' | 'last';
	/** What a cursor stands for: a count of records, or the last record read. */
	cursors: 'position' | 'key';
	/** Whether pages carry `total`. */
	totals: boolean;
}

export interface ListPage {
	data: License[];
	pagination: { cursor: string | null; hasMore: boolean; total?: number; limit: number };
}

/** The service's list without HTTP around it: what the interface says about it, and what it leaves open. */
export class FakeService {
	private readonly entries: ListEntry[] = [];
	/** By serial, including removed ones: a cursor may stand for a record that has left the list. */
	private readonly everListed: ListEntry[] = [];
	private readonly views = new Map<string, ListEntry[]>();
	private readonly options: FakeServiceOptions;
	private cursorGeneration = 0;

	constructor(options: Partial<FakeServiceOptions> = {}) {
		this.options = {
			sortedBy: 'eventTimestamp',
			ties: 'newFirst',
			undated: 'last',
			cursors: 'key',
			totals: true,
			...options,
		};
	}

	get records(): License[] {
		return this.list({});
	}

	/** Everything that these filters show, from the top. */
	list(filters: Record<string, string>): License[] {
		return this.viewOf(filters).map(({ record }) => record);
	}

	insert(record: License): void {
		const serial = this.everListed.length;
		const entry = { record, serial, rank: this.rankOf(record, serial) };
		this.everListed.push(entry);
		this.entries.splice(this.countUpTo(entry, this.entries), 0, entry);
		this.views.clear();
	}

	remove(record: License): void {
		const index = this.entries.findIndex((entry) => entry.record === record);
		if (index === -1) return;
		this.entries.splice(index, 1);
		this.views.clear();
	}

	/** From now on, the service refuses every cursor that it has given out. */
	expireCursors(): void {
		this.cursorGeneration++;
	}

	/** Undefined for a cursor that the service does not accept. */
	page({ cursor, limit = '10', ...filters }: Record<string, string>): ListPage | undefined {
		const view = this.viewOf(filters);
		const start = cursor === undefined ? 0 : this.startAt(cursor, view);
		if (start === undefined) return undefined;
		const end = start + Number(limit);
		const shown = view.slice(start, end);
		const hasMore = end < view.length;
		const way = this.options.cursors === 'position' ? end : shown.at(-1)?.serial;
		return {
			data: shown.map(({ record }) => record),
			pagination: {
				cursor: hasMore ? `${this.cursorGeneration}:${way}` : null,
				hasMore,
				...(this.options.totals ? { total: view.length } : {}),
				limit: Number(limit),
			},
		};
	}

	private viewOf(filters: Record<string, string>): ListEntry[] {
		const name = JSON.stringify(filters);
		const view =
			this.views.get(name) ?? this.entries.filter(({ record }) => isShown(record, filters));
		this.views.set(name, view);
		return view;
	}

	private startAt(cursor: string, view: ListEntry[]): number | undefined {
		const [generation, way = -1] = cursor.split(':').map(Number);
		if (generation !== this.cursorGeneration) return undefined;
		if (this.options.cursors === 'position') return way;
		const last = this.everListed[way];
		return last && this.countUpTo(last, view);
	}

	/** How many entries are at or before this one's place. */
	private countUpTo(place: ListEntry, entries: ListEntry[]): number {
		let low = 0;
		let high = entries.length;
		while (low < high) {
			const middle = (low + high) >>> 1;
			const entry = entries[middle] as ListEntry;
			const order = place.rank - entry.rank || tieOrders[this.options.ties](entry, place);
			if (order <= 0) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	private rankOf(record: License, serial: number): number {
		const { sortedBy, undated } = this.options;
		if (sortedBy === 'arrival') return serial;
		// Finite, because ranks are subtracted.
		const end = undated === 'first' ? Number.MAX_SAFE_INTEGER : -1;
		return momentOf(record[sortedBy]) ?? end;
	}
}

/** A query as its address holds it. */
export const asSent = (query: object): Record<string, string> =>
	Object.fromEntries(
		Object.entries(query).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, String(value)]],
		),
	);

const same = (asked: string | undefined, value: string | null | undefined): boolean =>
	asked === undefined || asked.toLowerCase() === value?.toLowerCase();

/** Whether the service lists the record with these filters. */
export const isShown = (record: License, filters: Record<string, string>): boolean =>
	same(filters.county, record.address?.county) &&
	same(filters.license_type, record.licenseType) &&
	same(filters.event_type, record.eventType) &&
	same(filters.status, record.status);
