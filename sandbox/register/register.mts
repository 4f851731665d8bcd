import { wallClock, type Clock } from '../clock.mts';
import { idOf } from '../dataset/identifiers.mts';
import type { License, LicensePage, LicensePatch } from '../dataset/license.mts';
import { fraction, hash } from '../dataset/random.mts';
import { dateOf, DAY, listDay, refreshOf } from './calendar.mts';
import { Licenses } from './licenses.mts';
import { HOLES, ratesFor, type Rates } from './rates.mts';
import {
	countyOf,
	licenseOf,
	sources,
	statusOf,
	type RegisterRecord,
	type Source,
	type View,
} from './record.mts';
import { RegisterClock } from './register-clock.mts';

export interface RegisterOptions {
	/** Another seed, another register. */
	seed?: number;
	/** How many licenses it has at the start: 108,000 are all of Florida. Unless given, 1,000. */
	records?: number;
	/** Filings a day, shares and the like, where they are to be otherwise than in `rates.mts`. */
	rates?: Partial<Rates>;
	/** When its clock begins; it never passes `clock`. */
	start?: number | string | Date;
	/** Where its clock has got to since, in a run before. */
	at?: number | string | Date;
	/** Milliseconds that a day takes; unless given, time stands still until `advance`. */
	dayTakes?: number;
	clock?: Clock;
	/** So many of each source are listed and no more, so that `total` does not move. */
	windows?: Partial<Record<Source, number>>;
	/** Whether sources vanish for a day, and licenses leave and return. */
	holes?: boolean;
}

/** What can be asked of a list; all of it optional, and whatever else is asked is ignored. */
export interface RegisterQuery {
	county?: string;
	license_type?: string;
	event_type?: string;
	status?: string;
	q?: string;
	limit?: number | string;
	cursor?: string;
	[unknown: string]: unknown;
}

/** A license that has become visible, or that something has happened to. */
export interface Listing {
	/** The day of the list that shows it first. */
	day: string;
	/** Whether the register did not have it before. */
	isNew: boolean;
	license: License;
	previousStatus: string | null;
}

const START = '2025-03-03T12:00:00Z';
const MOST_KEPT = 64;
const AWAY = 401;
const AWAY_FROM = 402;

/**
 * The licenses of a state as a service lists them: once a day, new filings first. Nothing changes between two
 * refreshes.
 */
export class Register {
	readonly seed: number;
	readonly rates: Rates;
	readonly clock: RegisterClock;
	/** When its clock began. */
	readonly start: number;
	/** What has become visible or changed since the start, oldest first, whatever windows and holes hide. */
	readonly listings: Listing[] = [];

	private readonly licenses: Licenses;
	private shownDay: number;
	private windows: Partial<Record<Source, number>>;
	private holes: boolean;
	/** Sources and serial numbers that are left out, and from when to when. */
	private readonly away = new Map<Source | number, { from: number; until: number }>();
	private inOrder: readonly RegisterRecord[] = [];
	private readonly matches = new Map<string, readonly RegisterRecord[]>();
	private names: Map<unknown, RegisterRecord> | undefined;
	private readonly listingListeners = new Set<(listing: Listing) => void>();
	private readonly refreshListeners = new Set<() => void>();

	constructor(options: RegisterOptions = {}) {
		const { seed = 1, records = 1000, clock = wallClock, start = START } = options;
		this.seed = seed;
		this.rates = ratesFor(records, options.rates);
		this.windows = options.windows ?? {};
		this.holes = options.holes ?? false;
		this.start = new Date(start).getTime();
		const at = new Date(options.at ?? start).getTime();
		this.clock = new RegisterClock(clock, at, options.dayTakes);
		this.shownDay = listDay(this.start);
		let hasBegun = false;
		this.licenses = new Licenses(seed, this.rates, (record, { day, isNew, previousStatus }) => {
			record.texts = undefined;
			if (!hasBegun) return;
			const license = licenseOf({ ...this.view, day }, record);
			this.tell({ day: dateOf(day), isNew, license, previousStatus: previousStatus ?? null });
		});
		this.licenses.fill(records, this.shownDay);
		this.arrange();
		this.catchUp();
		// What happened before is history.
		hasBegun = true;
	}

	/** The register's own time. */
	now(): number {
		return this.clock.now();
	}

	/** The day whose list is shown. */
	get day(): string {
		this.catchUp();
		return dateOf(this.shownDay);
	}

	/** Milliseconds of the register's time until the next list. */
	get untilRefresh(): number {
		return refreshOf(this.shownDay + 1) - this.now();
	}

	/** Lets days pass, as far as the real clock has come. */
	advance(days = 1): void {
		this.clock.advance(days * DAY);
		this.catchUp();
	}

	/** Brings the list up to the register's time. */
	catchUp(): void {
		const today = listDay(this.now());
		if (this.shownDay >= today) return;
		while (this.shownDay < today) {
			this.shownDay++;
			this.licenses.pass(this.shownDay);
		}
		this.arrange();
		for (const listener of this.refreshListeners) listener();
	}

	/** A page, as the service answers it. */
	list(query: RegisterQuery = {}): LicensePage {
		const matching = this.matching(query);
		const limit = limitFrom(query.limit, 10, 50);
		const offset = offsetIn(query.cursor);
		const next = offset + limit;
		const hasMore = next < matching.length;
		return {
			data: matching.slice(offset, next).map((record) => this.shown(record)),
			pagination: {
				cursor: hasMore ? cursorOf(next) : null,
				hasMore,
				total: matching.length,
				limit,
			},
		};
	}

	/** Everything that a list of these filters holds now, in its order: the truth that tests count against. */
	all(query: RegisterQuery = {}): License[] {
		return this.matching(query).map((record) => this.shown(record));
	}

	/** As the service's search: one part of a name, a place or a street, and no pages. */
	search(query: RegisterQuery): { data: License[]; query: string; count: number } {
		const asked = String(query.q ?? '');
		const part = asked.toLowerCase();
		const limit = limitFrom(query.limit, 25, 100);
		const found: RegisterRecord[] = [];
		for (const record of this.matching({ county: query.county })) {
			if (found.length >= limit) break;
			if (this.textsOf(record).search.includes(part)) found.push(record);
		}
		return { data: found.map((record) => this.shown(record)), query: asked, count: found.length };
	}

	/** A license by its id or number; of two with one number, the first in the list. */
	get(idOrNumber: string): License | undefined {
		this.catchUp();
		const record = this.recordOf(idOrNumber);
		return record && this.shown(record);
	}

	/** Calls back for everything that becomes visible or changes from now on. */
	onListing(listener: (listing: Listing) => void): void {
		this.listingListeners.add(listener);
	}

	/** Calls back when there is a new day's list. Returns what stops it. */
	onRefresh(listener: () => void): () => void {
		this.refreshListeners.add(listener);
		return () => this.refreshListeners.delete(listener);
	}

	/** A new filing, listed from now on; what `partial` leaves out is drawn. */
	file(partial: LicensePatch = {}): License {
		this.catchUp();
		const record = this.licenses.plant(partial, this.shownDay);
		this.arrange();
		return this.shown(record);
	}

	/** Changes what a license says, from now on. */
	change(id: string, partial: LicensePatch): License {
		this.catchUp();
		const record = this.known(id);
		const previousStatus = statusOf(this.view, record);
		this.licenses.alter(record, partial);
		record.texts = undefined;
		const license = this.shown(record);
		this.tell({ day: dateOf(this.shownDay), isNew: false, license, previousStatus });
		this.arrange();
		return license;
	}

	/** Leaves a source, or the license with this id, out of the next so many lists. */
	leaveOut(what: Source | (string & {}), days = 1): void {
		this.catchUp();
		const key = sources.find((source) => source === what) ?? this.known(what).serial;
		this.away.set(key, { from: this.shownDay + 1, until: this.shownDay + days });
	}

	/** Lists so many of each source and no more, or all again; lets holes come and go. At once. */
	sample({ windows = {}, holes = false }: Pick<RegisterOptions, 'windows' | 'holes'>): void {
		this.windows = windows;
		this.holes = holes;
		this.catchUp();
		this.arrange();
	}

	private get view(): View {
		return { seed: this.seed, day: this.shownDay, rates: this.rates };
	}

	private shown(record: RegisterRecord): License {
		return licenseOf(this.view, record);
	}

	private tell(listing: Listing): void {
		this.listings.push(listing);
		for (const listener of this.listingListeners) listener(listing);
	}

	private known(id: string): RegisterRecord {
		const record = this.recordOf(id);
		if (!record) throw new UnknownLicense(`The register has no license '${id}'.`);
		return record;
	}

	private recordOf(idOrNumber: string): RegisterRecord | undefined {
		if (!this.names) {
			this.names = new Map();
			for (const record of this.inOrder) {
				const { planted, serial, licenseNumber } = record;
				const id = planted?.id ?? idOf(this.seed, serial);
				for (const name of [id, planted?.licenseNumber ?? licenseNumber])
					if (!this.names.has(name)) this.names.set(name, record);
			}
		}
		return this.names.get(idOrNumber);
	}

	/** All new filings by the day they were filed, newest first, then everything else, likewise. */
	private arrange(): void {
		this.matches.clear();
		this.names = undefined;
		const { newFilings, others } = this.licenses;
		const all = [...newFilings.sort(byFiling), ...others.sort(byFiling)];
		const { windows, holes, away } = this;
		const hasWindows = Object.keys(windows).length > 0;
		if (!hasWindows && !holes && away.size === 0) {
			this.inOrder = all;
			return;
		}
		const left = new Map<Source, number>(
			sources.map((source) => [source, hasWindows ? (windows[source] ?? 0) : Infinity]),
		);
		this.inOrder = all.filter((record) => {
			if (this.isAway(record)) return false;
			const places = left.get(record.source)!;
			left.set(record.source, places - 1);
			return places > 0;
		});
	}

	private isAway({ source, serial }: RegisterRecord): boolean {
		const { shownDay: day, seed } = this;
		for (const what of [source, serial]) {
			const days = this.away.get(what);
			if (days && days.from <= day && day <= days.until) return true;
		}
		if (!this.holes) return false;
		const { everyDays, share, longest } = HOLES;
		if (source !== 'liquor' && (day + seed) % everyDays === (source === 'food' ? 5 : 11))
			return true;
		// Each license has seventeen days of its own, in which it may be away once.
		const shifted = day + (serial % everyDays);
		const round = Math.floor(shifted / everyDays);
		if (fraction(seed + round, serial, AWAY) >= share) return false;
		const drawn = hash(seed + round, serial, AWAY_FROM);
		const from = 1 + (drawn % (everyDays - longest - 1));
		const days = 1 + ((drawn >>> 8) % longest);
		const at = shifted - round * everyDays;
		return at >= from && at < from + days;
	}

	/** The pages of a list all ask for the same matches, so these are kept until the list changes. */
	private matching(query: RegisterQuery): readonly RegisterRecord[] {
		this.catchUp();
		const asked = FILTERS.map((name) => textIn(query[name]));
		if (asked.every((value) => value === '')) return this.inOrder;
		const key = asked.join('\n');
		const kept = this.matches.get(key);
		if (kept) return kept;
		if (this.matches.size >= MOST_KEPT) this.matches.clear();
		const matching = this.inOrder.filter(this.checkFor(asked));
		this.matches.set(key, matching);
		return matching;
	}

	private checkFor([county, type, event, status, q]: string[]) {
		const { view } = this;
		return (record: RegisterRecord): boolean => {
			const { planted } = record;
			const shown = planted && licenseOf(view, record);
			const own = shown ?? record;
			if (type && textIn(own.licenseType) !== type) return false;
			if (event && textIn(own.eventType) !== event) return false;
			const inCounty = shown ? textIn(shown.address?.county) : countyOf(view, record);
			if (county && inCounty.toLowerCase() !== county) return false;
			if (status && textIn(shown ? shown.status : statusOf(view, record)) !== status) return false;
			return !q || this.textsOf(record).list.includes(q);
		};
	}

	/** What free text is looked for in: the list joins name, city and county; the search knows more. */
	private textsOf(record: RegisterRecord): { list: string; search: string } {
		if (record.texts) return record.texts;
		const { businessName, legalName, dbaName, address } = this.shown(record);
		const place = [address?.city, address?.county];
		const names = [businessName, legalName, dbaName, address?.street];
		record.texts = {
			list: [businessName, ...place].map(textIn).join(' '),
			search: [...names, ...place].map(textIn).join('\n'),
		};
		return record.texts;
	}
}

export class UnknownLicense extends Error {
	readonly statusCode = 404;
}

const FILTERS = ['county', 'license_type', 'event_type', 'status', 'q'] as const;

const byFiling = (a: RegisterRecord, b: RegisterRecord): number =>
	(b.filed ?? Infinity) - (a.filed ?? Infinity) || a.serial - b.serial;

/** Case does not count in any filter. */
const textIn = (value: unknown): string =>
	typeof value === 'string' ? value.trim().toLowerCase() : '';

/** More than the most is the most, less than one is one, nonsense is the default. */
function limitFrom(given: unknown, byDefault: number, most: number): number {
	const limit = Math.floor(Number(given === '' ? NaN : (given ?? NaN)));
	return Number.isNaN(limit) ? byDefault : Math.min(Math.max(limit, 1), most);
}

const cursorOf = (offset: number): string =>
	Buffer.from(JSON.stringify({ offset })).toString('base64');

/** A cursor that cannot be read begins again. */
function offsetIn(cursor: unknown): number {
	try {
		const { offset } = JSON.parse(Buffer.from(String(cursor), 'base64').toString()) as {
			offset: unknown;
		};
		return Number.isSafeInteger(offset) && Number(offset) >= 0 ? Number(offset) : 0;
	} catch {
		return 0;
	}
}
