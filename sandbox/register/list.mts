import { documented } from '../../server/answers.mts';
import type { License, LicensePage } from '../../server/license.mts';
import { cursorOf, limitIn, positionIn, queryIn, textIn, type Given } from '../../server/query.mts';
import type { Page, Position, Query, Register } from '../../server/register.mts';
import type { Shapes } from '../shapes.mts';
import { hash, idOf } from './random.mts';
import * as written from './record.mts';
import type { RegisterRecord, View } from './record.mts';

/** The licenses of a register in the list's order, under any filter, as the service shows them. */
export abstract class LicenseList implements Register {
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

	page(query: Query, position: Position, limit: number): Page {
		const matching = this.asRead(this.matching(query));
		const isAfter = (record: RegisterRecord): boolean =>
			'after' in position && this.idOf(record) === position.after;
		const start = 'offset' in position ? position.offset : 1 + matching.findIndex(isAfter);
		const records = matching.slice(start, start + limit);
		const next = start + limit;
		const endOf = (last: RegisterRecord): Position =>
			this.shapes.cursors === 'key' ? { after: String(this.idOf(last)) } : { offset: next };
		return {
			data: records.map((record) => this.shown(record)),
			next: next < matching.length ? endOf(records.at(-1)!) : null,
			total: matching.length,
		};
	}

	/** A page in the documented shape. */
	list(query: Given = {}): LicensePage {
		const limit = limitIn(query);
		const { data, next, total } = this.page(queryIn(query), positionIn(query), limit);
		return documented.pages({ data, cursor: next && cursorOf(next), total, limit });
	}

	/** Everything that a list of these filters holds now, in its order: the truth that tests count against. */
	all(query: Given = {}): License[] {
		return this.matching(queryIn(query)).map((record) => this.shown(record));
	}

	search(text: string, county: string | undefined, limit: number): License[] {
		const found: RegisterRecord[] = [];
		for (const record of this.matching(county === undefined ? {} : { county })) {
			if (found.length >= limit) break;
			if (this.searchText(record).includes(text)) found.push(record);
		}
		return found.map((record) => this.shown(record));
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
		const numberOf = ({ planted, licenseNumber }: RegisterRecord) =>
			planted?.licenseNumber ?? licenseNumber;
		// Of two with one name, the first of the list comes last, and stays.
		this.names ??= new Map(
			ordered.toReversed().flatMap((one) => [
				[numberOf(one), one],
				[this.idOf(one), one],
			]),
		);
		return this.names.get(idOrNumber);
	}

	/** A record as the service shows it. */
	protected shown(record: RegisterRecord, view = this.view): License {
		const { counties, statuses } = this.shapes;
		const license = written.licenseOf(view, record);
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
	private matching(query: Query): readonly RegisterRecord[] {
		this.catchUp();
		this.inOrder ??= this.sorted(this.listed(), latestFirst);
		const key = JSON.stringify(Object.entries(query).sort());
		if (key === '[]') return this.inOrder;
		const kept = this.matches.get(key);
		if (kept) return kept;
		if (this.matches.size >= 64) this.matches.clear();
		const matching = this.inOrder.filter(this.checkFor(query));
		this.matches.set(key, matching);
		return matching;
	}

	private checkFor({ county, license_type: type, event_type: event, status, q }: Query) {
		const { shapes, view } = this;
		const isFound = shapes.freeText(q ?? '');
		const isAsked = (name: string) => shapes.countyFilter(county!, shapes.counties(name), name);
		return (record: RegisterRecord): boolean => {
			const planted = record.planted && written.licenseOf(view, record);
			const own = planted ?? record;
			if (type && textIn(own.licenseType) !== type) return false;
			if (event && textIn(own.eventType) !== event) return false;
			const nameOf = () =>
				planted ? String(planted.address?.county ?? '') : written.countyOf(view, record);
			if (county && !isAsked(nameOf())) return false;
			const statusIn = () => (planted ? textIn(planted.status) : written.statusOf(view, record));
			if (status && shapes.statuses(statusIn()).toLowerCase() !== status) return false;
			return !q || isFound(this.listText(record));
		};
	}

	/** What the list's free text is looked for in; the search knows more. Neither is written out unless asked. */
	private listText(record: RegisterRecord): string {
		record.listText ??= textsIn(
			record.planted ? written.licenseOf(this.view, record) : written.partOf(this.view, record),
			this.shapes,
		);
		return record.listText;
	}

	private searchText(record: RegisterRecord): string {
		if (record.searchText !== undefined) return record.searchText;
		const { legalName, dbaName, address } = written.licenseOf(this.view, record);
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
