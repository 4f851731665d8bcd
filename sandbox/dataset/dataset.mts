import { generatedHeads, tails } from './business-names.mts';
import { Cells, type Cell, type CellFilter } from './cells.mts';
import { Columns } from './columns.mts';
import { Feed } from './feed.mts';
import { idOf, slotOfId, slotOfNumber } from './identifiers.mts';
import type { License, LicensePatch } from './license.mts';
import { Phrases } from './phrases.mts';
import { Places } from './places.mts';
import { licenseFrom } from './rendering.mts';
import { Settings } from './settings.mts';
import type { TextMatch } from './text-match.mts';
import { TextSearch } from './text-search.mts';

/** A record as it stands: what is stored of it. Texts are positions in their dictionaries. */
export interface Standing {
	place: number;
	head: number;
	tail: number;
	owner: number;
	filed: number;
	licenseType: string | null;
	eventType: string | null;
	status: string | null;
	time: number;
}

export interface ListFilter extends CellFilter {
	q?: string;
}

/** Where a page begins: after so many matches, or below a point of the order. */
export type PageStart = { skip: number } | { time: number; slot: number };

export interface Page {
	slots: number[];
	total: number;
	hasMore: boolean;
}

/** From so many records on, the first request is worth preparing for. */
const WORTH_WARMING = 100_000;
/** With more than this share of the records left, a query is better looked up for all of them. */
const WORTH_READING = 0.02;

/** One key kind's records: found by number, and listed newest first under any filter. */
export class Dataset {
	readonly places = new Places();
	private readonly heads = new Phrases();
	private readonly settings = new Settings(this.places);
	private readonly cells = new Cells();
	private readonly columns: Columns;
	private readonly feed: Feed;
	private readonly texts: TextSearch;
	private readonly planted = new Map<number, LicensePatch>();
	private readonly plantedNames = new Map<string, number>();
	private counts = new Uint32Array(0);
	private slotCount = 0;

	constructor(
		readonly seed: number,
		capacity: number,
	) {
		this.columns = new Columns(capacity);
		this.feed = new Feed(this.columns);
		for (const head of generatedHeads) this.heads.indexOf(head);
		this.texts = new TextSearch(this.columns, this.heads, this.settings);
	}

	/** How many records are listed. */
	get size(): number {
		return this.feed.length;
	}

	/** The number the next record gets. */
	get nextSlot(): number {
		return this.slotCount;
	}

	/** Fills an empty dataset in one go, which is much faster than adding record after record. */
	fill(count: number, standingOf: (slot: number) => Standing): void {
		this.columns.ensure(count);
		const slots = new Uint32Array(count);
		for (let slot = 0; slot < count; slot++) {
			this.write(slot, standingOf(slot));
			slots[slot] = slot;
		}
		this.slotCount = count;
		this.feed.load(slots, this.columns.capacity);
		this.texts.load(count);
		if (count >= WORTH_WARMING) this.warmUp();
	}

	add(standing: Standing, planted: LicensePatch = {}): number {
		const slot = this.slotCount++;
		this.columns.ensure(this.slotCount);
		this.write(slot, standing);
		this.plant(slot, planted);
		this.feed.insert(slot);
		this.texts.learn(slot);
		return slot;
	}

	change(slot: number, standing: Standing, planted: LicensePatch): void {
		this.takeOut(slot);
		this.write(slot, standing);
		this.plant(slot, planted);
		this.feed.insert(slot);
		this.texts.learn(slot);
	}

	remove(slot: number): void {
		this.takeOut(slot);
		this.columns.listed[slot] = 0;
		// Searches look at removed records too: these have no text to find.
		this.columns.head[slot] = this.heads.indexOf('');
		this.columns.setting[slot] = this.settings.indexOf(0, this.places.nowhere);
	}

	/** The record with this id or license number. */
	find(idOrNumber: string): number | undefined {
		const slot =
			this.plantedNames.get(idOrNumber) ??
			slotOfId(this.seed, idOrNumber) ??
			slotOfNumber(idOrNumber);
		if (slot === undefined || this.columns.listed[slot] !== 1) return undefined;
		const { id, licenseNumber } = this.license(slot);
		return id === idOrNumber || licenseNumber === idOrNumber ? slot : undefined;
	}

	standing(slot: number): Standing {
		const { time, filed, head, setting, owner } = this.columns;
		return {
			place: this.settings.placeOf(setting[slot] ?? 0),
			tail: this.settings.tailOf(setting[slot] ?? 0),
			head: head[slot] ?? 0,
			owner: owner[slot] ?? 0,
			filed: filed[slot] ?? 0,
			time: time[slot] ?? 0,
			...this.cellOf(slot),
		};
	}

	cellOf(slot: number): Cell {
		return this.cells.at(this.columns.cell[slot] ?? 0);
	}

	timeOf(slot: number): number {
		return this.columns.time[slot] ?? 0;
	}

	plantedIn(slot: number): LicensePatch {
		return this.planted.get(slot) ?? {};
	}

	license(slot: number): License {
		const standing = this.standing(slot);
		return licenseFrom({
			seed: this.seed,
			slot,
			id: idOf(this.seed, slot),
			standing,
			businessName: [this.heads.textOf(standing.head), tails[standing.tail]]
				.filter(Boolean)
				.join(' '),
			place: this.places.at(standing.place),
			planted: this.planted.get(slot),
		});
	}

	/** The record at a rank of the feed, 0 being the newest. */
	at(rank: number): number | undefined {
		return rank < this.size ? this.feed.slots[this.size - 1 - rank] : undefined;
	}

	/** The dictionary position of a name that was not generated. */
	headOf(businessName: string): number {
		return this.heads.indexOf(businessName);
	}

	page(filter: ListFilter, start: PageStart, limit: number): Page {
		const query = filter.q?.trim() ?? '';
		const allowed = this.cells.allowedBy(filter);
		const isFew = allowed && sumOf(this.counts, allowed) < this.size * WORTH_READING;
		if (query !== '' && isFew && !this.texts.remembers(query))
			return this.pageOfFew(query, allowed, start, limit);
		const text =
			query === '' ? undefined : this.texts.match(query, this.slotCount, this.cells.length);
		const total = allowed
			? sumOf(text?.counts(this.cells.length) ?? this.counts, allowed)
			: (text?.total ?? this.size);
		const found = this.matchesFrom(start, limit + 1, allowed, text, total);
		return { slots: found.slice(0, limit), total, hasMore: found.length > limit };
	}

	/** Reads the texts of the few records that the filters leave, not those of all. */
	private pageOfFew(query: string, allowed: Uint8Array, start: PageStart, limit: number): Page {
		const matches = this.texts.among(this.feed.newestFirst(allowed), query);
		const isBelow = (slot: number) =>
			'skip' in start || this.feed.isOlder(slot, start.time, start.slot);
		const first = 'skip' in start ? start.skip : matches.findIndex(isBelow);
		const found = first < 0 ? [] : matches.slice(first, first + limit + 1);
		return {
			slots: found.slice(0, limit),
			total: matches.length,
			hasMore: found.length > limit,
		};
	}

	/** The engine compiles loops while they run; let that not be at the first caller's cost. */
	private warmUp(): void {
		this.texts.warmUp(this.slotCount, this.cells.length);
		const filters: ListFilter[] = [{}, { county: 'lafayette' }, { county: 'leon', q: 'e' }];
		for (let round = 0; round < 20; round++)
			for (const filter of filters)
				for (const slot of this.page(filter, { skip: round * 10 }, 50).slots) this.license(slot);
	}

	private matchesFrom(
		start: PageStart,
		wanted: number,
		allowed: Uint8Array | undefined,
		text: TextMatch | undefined,
		total: number,
	): number[] {
		const { slots, cells, length } = this.feed;
		const hits = text?.hits;
		const found: number[] = [];
		let skip = 'skip' in start ? start.skip : 0;
		let index = ('skip' in start ? length : this.feed.olderThan(start.time, start.slot)) - 1;
		if (skip >= total) return found;
		if (!allowed && !text) {
			index -= skip;
			skip = 0;
		}
		for (; index >= 0 && found.length < wanted; index--) {
			if (allowed !== undefined && allowed[cells[index]!] !== 1) continue;
			const slot = slots[index]!;
			if (hits !== undefined && hits[slot] !== 1) continue;
			if (skip > 0) skip--;
			else found.push(slot);
		}
		return found;
	}

	private write(slot: number, standing: Standing): void {
		const { county } = this.places.at(standing.place);
		const cell = this.cells.indexOf({ ...standing, county });
		if (cell >= this.counts.length) {
			const longer = new Uint32Array((cell + 1) * 2);
			longer.set(this.counts);
			this.counts = longer;
		}
		this.counts[cell]!++;
		const { columns } = this;
		columns.time[slot] = standing.time;
		columns.filed[slot] = standing.filed;
		columns.cell[slot] = cell;
		columns.head[slot] = standing.head;
		columns.setting[slot] = this.settings.indexOf(standing.tail, standing.place);
		columns.owner[slot] = standing.owner;
		columns.listed[slot] = 1;
	}

	private takeOut(slot: number): void {
		this.texts.forget(slot);
		this.feed.delete(slot);
		this.counts[this.columns.cell[slot] ?? 0]!--;
	}

	private plant(slot: number, planted: LicensePatch): void {
		if (Object.keys(planted).length === 0) {
			this.planted.delete(slot);
			return;
		}
		this.planted.set(slot, planted);
		for (const name of [planted.id, planted.licenseNumber])
			if (typeof name === 'string') this.plantedNames.set(name, slot);
	}
}

function sumOf(counts: Uint32Array, allowed: Uint8Array): number {
	let sum = 0;
	const cells = Math.min(counts.length, allowed.length);
	for (let cell = 0; cell < cells; cell++) if (allowed[cell] === 1) sum += counts[cell]!;
	return sum;
}
