import { shapesFrom, type Shapes } from '../shapes.mts';
import { isAddress, textOf, type License, type LicensePatch } from './license.mts';
import { fraction } from './random.mts';
import { licenseFrom, momentIn, namesOf, withPlanted, type RecordState } from './rendering.mts';

/** By the name of the parameter; `PARAMETERS` says what each means. */
export type ListFilter = Record<string, string>;

/** A place in the order of a list: highest rank first, and among equals, the highest tie. */
interface OrderKey {
	rank: number;
	tie: number;
}

/** Where a page begins: after this many matches, or below a point in the order. */
export type PageStart = { skip: number } | OrderKey;

/** A record; it is written out only when somebody asks for it. */
export interface Entry extends OrderKey {
	serial: number;
	time: number;
	state: RecordState;
	planted: LicensePatch;
	/** What free text is searched in: business name, city and county, in lower case, one a line. */
	text: string;
}

export interface Page {
	entries: Entry[];
	total: number;
	hasMore: boolean;
}

const MOST_KEPT = 64;
const LATE = 81;
const LATENESS = 82;
const LATE_SHARE = 0.03;
const DAY = 86_400_000;

/** One key kind's records: found by id or number, and listed newest first under any filter. */
export class Dataset {
	private readonly newestFirst: Entry[];
	private readonly byName = new Map<unknown, Entry>();
	private readonly matches = new Map<string, readonly Entry[]>();
	private serials: number;
	private reads = 0;
	/** When the latest record arrived. */
	private latest = 0;

	/** Reading is several times as fast if the entries are made in the list's order. */
	constructor(
		readonly seed: number,
		states: RecordState[],
		private readonly shapes: Shapes = shapesFrom(),
	) {
		this.serials = states.length;
		this.newestFirst = states
			.map((state, serial) => {
				const isLate = fraction(seed, serial, LATE) < LATE_SHARE;
				const arrival = state.time + (isLate ? fraction(seed, serial, LATENESS) * DAY : 0);
				this.latest = Math.max(this.latest, arrival);
				return { state, serial, arrival, ...this.placeOf(serial, state, arrival) };
			})
			.sort(byOrder)
			.map(({ state, serial, arrival }) => this.entryOf(serial, state, {}, arrival));
	}

	get entries(): readonly Entry[] {
		return this.newestFirst;
	}

	/** The serial number that the next record gets. */
	get nextSerial(): number {
		return this.serials;
	}

	add(state: RecordState, planted: LicensePatch): Entry {
		return this.insert(this.entryOf(this.serials++, state, planted, ++this.latest));
	}

	/** A record's new state, which moves it to a new place in the order. */
	replace(entry: Entry, state: RecordState, planted: LicensePatch): Entry {
		this.remove(entry);
		return this.insert(this.entryOf(entry.serial, state, planted, ++this.latest));
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

	/** The truth about a record, however the service shows it. */
	license(entry: Entry): License {
		return licenseFrom(this.seed, entry.serial, entry.state, entry.planted);
	}

	/** A record as the service shows it. */
	shown(entry: Entry): License {
		const { counties, statuses, eventTypes, timestamps, fields } = this.shapes;
		const license = this.license(entry);
		const { address, status, eventType, eventTimestamp } = license;
		const county = isAddress(address) ? textOf(address.county) : null;
		const time = momentIn(eventTimestamp);
		return {
			...license,
			...(county !== null && { address: { ...address!, county: counties(county) } }),
			...(typeof status === 'string' && { status: statuses(status) }),
			...(typeof eventType === 'string' && { eventType: eventTypes(eventType, entry.serial) }),
			...(time !== undefined && { eventTimestamp: timestamps(String(eventTimestamp), time) }),
			...fields,
		};
	}

	page(filter: ListFilter, start: PageStart, limit: number): Page {
		const matches = this.inOrder(this.matching(filter));
		const first = 'skip' in start ? start.skip : countDownTo(start, matches);
		return {
			entries: matches.slice(first, first + limit),
			total: matches.length,
			hasMore: matches.length > first + limit,
		};
	}

	private inOrder(entries: readonly Entry[]): readonly Entry[] {
		const { ties } = this.shapes;
		if (!ties.changes) return entries;
		this.reads++;
		return entries
			.map((entry) => ({ ...entry, tie: ties.rank(entry.serial, this.reads) }))
			.sort(byOrder);
	}

	/** The pages of a list all ask for the same matches, so these are kept until a record changes. */
	private matching(filter: ListFilter): readonly Entry[] {
		if (Object.keys(filter).length === 0) return this.newestFirst;
		const key = JSON.stringify(filter);
		const matches = this.matches.get(key) ?? matchesIn(this.newestFirst, filter, this.shapes);
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

	private placeOf(serial: number, { time, filed }: RecordState, arrival: number): OrderKey {
		const { order, ties } = this.shapes;
		return { rank: order({ time, filed, arrival }), tie: ties.rank(serial, this.reads) };
	}

	private entryOf(
		serial: number,
		before: RecordState,
		planted: LicensePatch,
		arrival: number,
	): Entry {
		const state = withPlanted(before, planted);
		const { time, businessName, place } = state;
		const county = place.county === null ? '' : this.shapes.counties(place.county);
		const text = `${businessName}\n${place.city ?? ''}\n${county}`.toLowerCase();
		const at = this.placeOf(serial, state, arrival);
		const entry: Entry = { serial, time, ...at, state, planted, text };
		for (const name of this.namesOf(entry)) this.byName.set(name, entry);
		return entry;
	}
}

/** What a parameter of the list lets through, once its value is known. */
const PARAMETERS: Record<string, (value: string, shapes: Shapes) => (entry: Entry) => boolean> = {
	county(value, { counties, countyFilter }) {
		const isAsked = new Map<string | null, boolean>([[null, false]]);
		return ({ state }) => {
			const { county } = state.place;
			const known = isAsked.get(county);
			if (known !== undefined || county === null) return known === true;
			isAsked.set(county, countyFilter(value, counties(county), county));
			return isAsked.get(county) === true;
		};
	},
	license_type:
		(value) =>
		({ state }) =>
			state.licenseType === value,
	event_type:
		(value, { eventTypes }) =>
		({ state, serial }) =>
			state.eventType !== null && eventTypes(state.eventType, serial) === value,
	status(value, { statuses }) {
		const status = value.toLowerCase();
		return ({ state }) => state.status !== null && statuses(state.status).toLowerCase() === status;
	},
	q(value, { freeText }) {
		const isFound = freeText(value);
		return ({ text }) => isFound(text);
	},
};

function matchesIn(
	entries: readonly Entry[],
	filter: ListFilter,
	shapes: Shapes,
): readonly Entry[] {
	const checks = Object.entries(filter).map(([name, value]) => {
		const check = PARAMETERS[name];
		if (!check) throw new Error(`The list has no filter '${name}'`);
		return check(value, shapes);
	});
	return entries.filter((entry) => checks.every((check) => check(entry)));
}

const byOrder = (a: OrderKey, b: OrderKey): number => b.rank - a.rank || b.tie - a.tie;

/** How many entries are at or above a point in the order. */
function countDownTo(key: OrderKey, newestFirst: readonly Entry[]): number {
	let low = 0;
	let high = newestFirst.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (byOrder(newestFirst[middle]!, key) > 0) high = middle;
		else low = middle + 1;
	}
	return low;
}
