import type { PageParts, Shapes } from '../shapes.mts';
import type { License, LicensePage } from '../../server/license.mts';
import { hash, idOf } from './random.mts';
import {
	countyOf,
	licenseOf,
	partOf,
	statusOf,
	type RegisterRecord,
	type View,
} from './record.mts';

const FILTERS = ['county', 'license_type', 'event_type', 'status', 'q'] as const;

/** What can be asked of a list; all of it optional, and whatever else is asked is ignored. */
export type RegisterQuery = { [Filter in (typeof FILTERS)[number]]?: string } & {
	limit?: number | string;
	cursor?: string;
	[unknown: string]: unknown;
};

/** The licenses of a register in the list's order, under any filter, as the service shows them. */
export abstract class LicenseList {
	/** Undefined while something has changed that nobody has asked for yet. */
	private inOrder: readonly RegisterRecord[] | undefined;
	private names: Map<unknown, RegisterRecord> | undefined;
	private readonly matches = new Map<string, readonly RegisterRecord[]>();
	private reads = 0;

	constructor(private readonly shapes: Shapes) {}

	/** What is listed, in any order. */
	protected abstract listed(): RegisterRecord[];
	protected abstract get view(): View;
	/** Brings the lists that are due. */
	abstract catchUp(): void;

	/** What the service answers, less what its shape adds. */
	page(query: RegisterQuery): PageParts & { data: License[] } {
		const matching = this.asRead(this.matching(query));
		const limit = limitFrom(query.limit, 10, 50);
		const { offset = 0, after } = placeIn(query.cursor);
		const isAfter = (record: RegisterRecord): boolean => this.idOf(record) === after;
		const start = after === undefined ? offset : 1 + matching.findIndex(isAfter);
		const records = matching.slice(start, start + limit);
		const next = start + limit;
		const endOf = (last: RegisterRecord) =>
			this.shapes.cursors === 'key' ? { after: this.idOf(last) } : { offset: next };
		const cursorAfter = (last: RegisterRecord) =>
			Buffer.from(JSON.stringify(endOf(last))).toString('base64');
		return {
			data: records.map((record) => this.shown(record)),
			cursor: next < matching.length ? cursorAfter(records.at(-1)!) : null,
			total: matching.length,
			limit,
		};
	}

	/** A page in the documented shape. */
	list(query: RegisterQuery = {}): LicensePage {
		const { data, cursor, total, limit } = this.page(query);
		return { data, pagination: { cursor, hasMore: cursor !== null, total, limit } };
	}

	/** Everything that a list of these filters holds now, in its order: the truth that tests count against. */
	all(query: RegisterQuery = {}): License[] {
		return this.matching(query).map((record) => this.shown(record));
	}

	/** One part of a name, a place or a street, and no pages. */
	search(query: RegisterQuery): { data: License[]; query: string; count: number } {
		const asked = String(query.q ?? '');
		const part = asked.toLowerCase();
		const limit = limitFrom(query.limit, 25, 100);
		const found: RegisterRecord[] = [];
		for (const record of this.matching({ county: query.county })) {
			if (found.length >= limit) break;
			if (this.searchText(record).includes(part)) found.push(record);
		}
		return { data: found.map((record) => this.shown(record)), query: asked, count: found.length };
	}

	/** A license by its id or number; of two with one number, the first in the list. */
	get(idOrNumber: string): License | undefined {
		const record = this.find(idOrNumber);
		return record && this.shown(record);
	}

	protected hasChanged(): void {
		this.inOrder = undefined;
		this.names = undefined;
		this.matches.clear();
	}

	protected find(idOrNumber: string): RegisterRecord | undefined {
		const ordered = this.matching({});
		if (!this.names) {
			this.names = new Map();
			for (const record of ordered)
				for (const name of [
					this.idOf(record),
					record.planted?.licenseNumber ?? record.licenseNumber,
				])
					if (!this.names.has(name)) this.names.set(name, record);
		}
		return this.names.get(idOrNumber);
	}

	/** A record as the service shows it. */
	protected shown(record: RegisterRecord, view = this.view): License {
		const { counties, statuses } = this.shapes;
		const license = licenseOf(view, record);
		const { address, status } = license;
		if (typeof address?.county === 'string') address.county = counties(address.county);
		if (typeof status === 'string') license.status = statuses(status);
		return license;
	}

	private idOf({ planted, serial }: RegisterRecord): unknown {
		return planted?.id ?? idOf(this.view.seed, serial);
	}

	/** Where ties change, each reading has an order of its own. */
	private asRead(records: readonly RegisterRecord[]): readonly RegisterRecord[] {
		if (this.shapes.ties === 'stay') return records;
		const read = this.reads++;
		const drawn = ({ serial }: RegisterRecord): number => hash(read, serial, 0);
		return this.sorted([...records], (a, b) => drawn(a) - drawn(b));
	}

	private sorted(records: RegisterRecord[], tie: typeof latestFirst): RegisterRecord[] {
		const { day } = this.view;
		const { order } = this.shapes;
		return records.sort((a, b) => order(b, day) - order(a, day) || tie(a, b));
	}

	/** The pages of a list all ask for the same matches, so these are kept until the list changes. */
	private matching(query: RegisterQuery): readonly RegisterRecord[] {
		this.catchUp();
		this.inOrder ??= this.sorted(this.listed(), latestFirst);
		const asked = FILTERS.map((name) => textIn(query[name]));
		if (asked.every((value) => value === '')) return this.inOrder;
		const key = asked.join('\n');
		const kept = this.matches.get(key);
		if (kept) return kept;
		if (this.matches.size >= 64) this.matches.clear();
		const matching = this.inOrder.filter(this.checkFor(asked));
		this.matches.set(key, matching);
		return matching;
	}

	private checkFor([county = '', type, event, status, q = '']: string[]) {
		const { shapes, view } = this;
		const isFound = shapes.freeText(q);
		const isAsked = (name: string) => shapes.countyFilter(county, shapes.counties(name), name);
		return (record: RegisterRecord): boolean => {
			const planted = record.planted && licenseOf(view, record);
			const own = planted ?? record;
			if (type && textIn(own.licenseType) !== type) return false;
			if (event && textIn(own.eventType) !== event) return false;
			const nameOf = () =>
				planted ? String(planted.address?.county ?? '') : countyOf(view, record);
			if (county && !isAsked(nameOf())) return false;
			const statusIn = () => (planted ? textIn(planted.status) : statusOf(view, record));
			if (status && shapes.statuses(statusIn()).toLowerCase() !== status) return false;
			return !q || isFound(this.listText(record));
		};
	}

	/** What the list's free text is looked for in; the search knows more. Neither is written out unless asked. */
	private listText(record: RegisterRecord): string {
		record.listText ??= textsIn(
			record.planted ? licenseOf(this.view, record) : partOf(this.view, record),
			this.shapes,
		);
		return record.listText;
	}

	private searchText(record: RegisterRecord): string {
		if (record.searchText !== undefined) return record.searchText;
		const { legalName, dbaName, address } = licenseOf(this.view, record);
		const more = [legalName, dbaName, address?.street].map(textIn);
		record.searchText = [this.listText(record), ...more].join('\n');
		return record.searchText;
	}
}

const textsIn = (
	{ businessName, address }: Pick<License, 'businessName' | 'address'>,
	{ counties }: Shapes,
): string =>
	[businessName, address?.city, counties(String(address?.county ?? ''))].map(textIn).join('\n');

const latestFirst = (a: RegisterRecord, b: RegisterRecord): number =>
	b.arrival - a.arrival || a.serial - b.serial;

/** Case does not count in any filter. */
const textIn = (value: unknown): string =>
	typeof value === 'string' ? value.trim().toLowerCase() : '';

/** More than the most is the most, less than one is one, nonsense is the default. */
function limitFrom(given: unknown, byDefault: number, most: number): number {
	const limit = Math.floor(Number(given === '' ? NaN : (given ?? NaN)));
	return Number.isNaN(limit) ? byDefault : Math.min(Math.max(limit, 1), most);
}

/** Where a page begins: after so many records, or below one. A cursor that cannot be read begins again. */
function placeIn(cursor: unknown): { offset?: number; after?: string } {
	try {
		const read = JSON.parse(Buffer.from(String(cursor), 'base64').toString()) as object;
		const { offset, after } = read as Record<string, unknown>;
		if (typeof after === 'string') return { after };
		return Number.isSafeInteger(offset) && Number(offset) >= 0 ? { offset: Number(offset) } : {};
	} catch {
		return {};
	}
}
