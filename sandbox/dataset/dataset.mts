import { countyKey } from './county-key.mts';
import type { License, LicensePatch } from './license.mts';
import { licenseFrom, namesOf, withPlanted, type RecordState } from './rendering.mts';

/** By the name of the parameter; `LIST_FILTERS` says what each means. */
export type ListFilter = Record<string, string>;

/** A place in the order of a list: newest first, and at the same moment, the record filed last first. */
interface OrderKey {
	time: number;
	serial: number;
}

/** Where a page begins: after this many matches, or below a point in the order. */
export type PageStart = { skip: number } | OrderKey;

/** A record; it is written out only when somebody asks for it. */
export interface Entry extends OrderKey {
	state: RecordState;
	planted: LicensePatch;
	/** What free text is searched in: business name, city and county, in lower case. */
	text: string;
}

export interface Page {
	entries: Entry[];
	total: number;
	hasMore: boolean;
}

const MOST_WORDS = 8;
const MOST_KEPT = 64;

/** One key kind's records: found by id or number, and listed newest first under any filter. */
export class Dataset {
	private readonly newestFirst: Entry[];
	private readonly byName = new Map<unknown, Entry>();
	private readonly matches = new Map<string, readonly Entry[]>();
	private serials: number;

	/** Reading is several times as fast if the entries are made in the list's order. */
	constructor(
		readonly seed: number,
		states: RecordState[],
	) {
		this.serials = states.length;
		this.newestFirst = states
			.map((state, serial) => ({ state, serial }))
			.sort((a, b) => b.state.time - a.state.time || b.serial - a.serial)
			.map(({ state, serial }) => this.entryOf(serial, state, {}));
	}

	get entries(): readonly Entry[] {
		return this.newestFirst;
	}

	/** The serial number that the next record gets. */
	get nextSerial(): number {
		return this.serials;
	}

	add(state: RecordState, planted: LicensePatch): Entry {
		return this.insert(this.entryOf(this.serials++, state, planted));
	}

	/** A record's new state, which moves it to a new place in the order. */
	replace(entry: Entry, state: RecordState, planted: LicensePatch): Entry {
		this.remove(entry);
		return this.insert(this.entryOf(entry.serial, state, planted));
	}

	remove(entry: Entry): void {
		this.matches.clear();
		this.newestFirst.splice(this.newestFirst.indexOf(entry), 1);
		for (const name of this.namesOf(entry))
			if (this.byName.get(name) === entry) this.byName.delete(name);
	}

	/** The record with this id or license number. */
	find(idOrNumber: string): Entry | undefined {
		return this.byName.get(idOrNumber);
	}

	license(entry: Entry): License {
		return licenseFrom(this.seed, entry.serial, entry.state, entry.planted);
	}

	page(filter: ListFilter, start: PageStart, limit: number): Page {
		const matches = this.matching(filter);
		const first = 'skip' in start ? start.skip : countDownTo(start, matches);
		return {
			entries: matches.slice(first, first + limit),
			total: matches.length,
			hasMore: matches.length > first + limit,
		};
	}

	/** The pages of a list all ask for the same matches, so these are kept until a record changes. */
	private matching(filter: ListFilter): readonly Entry[] {
		if (Object.keys(filter).length === 0) return this.newestFirst;
		const key = JSON.stringify(filter);
		const matches = this.matches.get(key) ?? matchesIn(this.newestFirst, filter);
		if (this.matches.size >= MOST_KEPT) this.matches.clear();
		this.matches.set(key, matches);
		return matches;
	}

	private namesOf(entry: Entry): unknown[] {
		return namesOf(this.seed, entry.serial, entry.state, entry.planted);
	}

	private insert(entry: Entry): Entry {
		this.matches.clear();
		this.newestFirst.splice(countDownTo(entry, this.newestFirst), 0, entry);
		return entry;
	}

	private entryOf(serial: number, before: RecordState, planted: LicensePatch): Entry {
		const state = withPlanted(before, planted);
		const { time, businessName, place } = state;
		const text = `${businessName}\n${place.city ?? ''}\n${place.county ?? ''}`.toLowerCase();
		const entry: Entry = { serial, time, state, planted, text };
		for (const name of this.namesOf(entry)) this.byName.set(name, entry);
		return entry;
	}
}

/** What a parameter of the list lets through, once its value is known. */
const LIST_FILTERS: Record<string, (value: string) => (entry: Entry) => boolean> = {
	county(value) {
		const county = countyKey(value);
		return ({ state }) => state.place.countyKey === county;
	},
	license_type:
		(value) =>
		({ state }) =>
			state.licenseType === value,
	event_type:
		(value) =>
		({ state }) =>
			state.eventType === value,
	status(value) {
		const status = value.toLowerCase();
		return ({ state }) => state.status?.toLowerCase() === status;
	},
	/**
	 * The interface does not say how the words combine: here each of the first eight must occur in the business
	 * name, city or county, in any case, even inside a longer word.
	 */
	q(value) {
		const words = value.trim().toLowerCase().split(/\s+/).slice(0, MOST_WORDS);
		return ({ text }) => words.every((word) => text.includes(word));
	},
};

function matchesIn(entries: readonly Entry[], filter: ListFilter): readonly Entry[] {
	const checks = Object.entries(filter).map(([name, value]) => {
		const check = LIST_FILTERS[name];
		if (!check) throw new Error(`The list has no filter '${name}'`);
		return check(value);
	});
	return entries.filter((entry) => checks.every((check) => check(entry)));
}

/** How many entries are at or above a point in the order. */
function countDownTo({ time, serial }: OrderKey, newestFirst: readonly Entry[]): number {
	let low = 0;
	let high = newestFirst.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		const entry = newestFirst[middle]!;
		const isOlder = entry.time < time || (entry.time === time && entry.serial < serial);
		if (isOlder) high = middle;
		else low = middle + 1;
	}
	return low;
}
