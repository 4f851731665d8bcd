import type { Clock } from '../clock.mts';
import { wallClock } from '../clock.mts';
import { idOf } from '../dataset/identifiers.mts';
import type { License, LicensePatch } from '../dataset/license.mts';
import { pickPlace } from '../dataset/places.mts';
import { fraction, hash, weightedPicker } from '../dataset/random.mts';
import {
	dateOf,
	DAY,
	dayOf,
	fiscalYearStart,
	listDay,
	nextWeeklyFile,
	refreshOf,
} from './calendar.mts';
import {
	effectiveAfter,
	HOLES,
	listedAfter,
	NEW_FOR_DAYS,
	ratesFor,
	SIZES,
	WHOLE,
	type Rates,
} from './rates.mts';
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
	/** How many licenses it has at the start, about: 108,000 are all of Florida. Unless given, 1,000. */
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
	/** So many of a source are listed and no more, so that `total` does not move. */
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

export interface RegisterPage {
	data: License[];
	pagination: { cursor: string | null; hasMore: boolean; total: number; limit: number };
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

type Change = (day: number) => void;
type Alteration = (record: RegisterRecord) => void;

const START = '2025-03-03T12:00:00Z';
/** Tens of thousands of records have this one date. */
const OLD = dayOf('2020-01-01');
const LARGEST = 50;
const MOST_KEPT = 64;

const liquorTypes = ['COP', 'BEV', 'APS', 'SRX', 'TEMP_PERMIT', 'MANUFACTURER', 'BOTTLE_CLUB'];
const pickLiquorType = weightedPicker([50, 18, 15, 14, 1, 1.2, 0.8]);
const foodTypes = ['SEATING', 'FOOD_SERVICE', 'MOBILE_FOOD'];
const pickFoodType = weightedPicker([50, 32, 18]);
const oldEvents = [
	'renewal',
	'ownership_transfer',
	'status_change',
	'cancellation',
	'address_change',
];
const pickOldEvent = weightedPicker([92, 4, 2, 1, 1]);

const salts = {
	type: 301,
	place: 302,
	escrow: 303,
	effective: 304,
	listed: 305,
	amended: 306,
	amendedOn: 307,
	amendedListed: 308,
	temporary: 309,
	twice: 310,
	twiceOf: 311,
	event: 312,
	perDay: 313,
	chosen: 314,
	away: 315,
	awayFrom: 316,
	again: 317,
};

/**
 * The licenses of a state as a service lists them: once a day, new filings first. Everything follows from the
 * seed and the day; nothing is random, and nothing changes between two refreshes.
 */
export class Register {
	readonly seed: number;
	readonly rates: Rates;
	readonly clock: RegisterClock;
	/** When its clock began. */
	readonly start: number;
	/** What has become visible or changed since the start, oldest first, whatever windows and holes hide. */
	readonly listings: Listing[] = [];
	private windows: Partial<Record<Source, number>>;
	private holes: boolean;

	private serials = 0;
	private readonly records: RegisterRecord[] = [];
	private readonly agenda = new Map<number, Change[]>();
	private readonly listeners = new Set<(listing: Listing) => void>();
	private readonly refreshed = new Set<() => void>();
	private readonly away = new Map<Source | number, { from: number; until: number }>();
	private shownDay: number;
	private hasBegun = false;
	private newFilings: RegisterRecord[] = [];
	private others: RegisterRecord[] = [];
	private inOrder: readonly RegisterRecord[] = [];
	private readonly matches = new Map<string, readonly RegisterRecord[]>();
	private readonly texts = new Map<RegisterRecord, string>();
	private names: Map<string, RegisterRecord> | undefined;

	constructor(options: RegisterOptions = {}) {
		const { seed = 1, records = 1000, clock = wallClock, start = START } = options;
		this.seed = seed;
		this.rates = ratesFor(records, options.rates);
		this.windows = options.windows ?? {};
		this.holes = options.holes ?? false;
		this.start = new Date(start).getTime();
		this.clock = new RegisterClock(
			clock,
			new Date(options.at ?? start).getTime(),
			options.dayTakes,
		);
		this.shownDay = listDay(this.start);
		this.fill(records);
		this.hasBegun = true;
		this.arrange();
		this.catchUp();
		this.listings.length = 0;
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
		while (this.shownDay < today) this.pass(this.shownDay + 1);
		this.arrange();
		for (const listener of this.refreshed) listener();
	}

	/** A page, as the service answers it. */
	list(query: RegisterQuery = {}): RegisterPage {
		const matching = this.matching(query);
		const limit = limitFrom(query.limit, 10, LARGEST);
		const offset = offsetIn(query.cursor);
		const data = matching.slice(offset, offset + limit).map((record) => this.shown(record));
		const next = offset + limit;
		const hasMore = next < matching.length;
		return {
			data,
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
		const data: License[] = [];
		for (const record of this.matching({ county: query.county })) {
			if (data.length >= limit) break;
			const license = this.shown(record);
			const { businessName, legalName, dbaName, address } = license;
			const fields = [businessName, legalName, dbaName, address?.city, address?.county];
			const isFound = [...fields, address?.street].some((field) =>
				String(field ?? '')
					.toLowerCase()
					.includes(part),
			);
			if (isFound) data.push(license);
		}
		return { data, query: asked, count: data.length };
	}

	/** A license by its id or number; of two with one number, the first in the list. */
	get(idOrNumber: string): License | undefined {
		this.catchUp();
		const record = this.recordOf(idOrNumber);
		return record && this.shown(record);
	}

	onListing(listener: (listing: Listing) => void): void {
		this.listeners.add(listener);
	}

	/** Calls back when there is a new day's list. Returns what stops it. */
	onRefresh(listener: () => void): () => void {
		this.refreshed.add(listener);
		return () => this.refreshed.delete(listener);
	}

	/** A new filing, listed from now on; what `partial` leaves out is drawn. */
	file(partial: LicensePatch = {}): License {
		this.catchUp();
		const record = this.drawn('liquor', this.shownDay);
		record.effective = this.shownDay;
		record.planted = partial;
		this.records.push(record);
		this.newFilings.push(record);
		this.announce(record, true, this.shownDay);
		this.arrange();
		return this.shown(record);
	}

	/** Changes what a license says, from now on. */
	change(id: string, partial: LicensePatch): License {
		this.catchUp();
		const record = this.known(id);
		const previousStatus = statusOf(this.view, record);
		record.planted = { ...record.planted, ...partial };
		this.announce(record, false, this.shownDay, previousStatus);
		this.arrange();
		return this.shown(record);
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
				const names = [
					planted?.id ?? idOf(this.seed, serial),
					planted?.licenseNumber ?? licenseNumber,
				];
				for (const name of names)
					if (!this.names.has(String(name))) this.names.set(String(name), record);
			}
		}
		return this.names.get(idOrNumber);
	}

	// What is there at the start

	private fill(records: number): void {
		const { rates, shownDay: begin } = this;
		for (let left = Math.round(rates.groceries); left > 0; left--) {
			const record = this.drawn('groceries', undefined);
			this.records.push(record);
			this.newFilings.push(record);
		}
		// Long enough for everything that is new at the start to have been filed since.
		const firstLiquor = begin - NEW_FOR_DAYS - 75;
		const firstFood = fiscalYearStart(begin) - 21;
		const filedSince =
			rates.liquorADay * (begin - firstLiquor) + rates.foodADay * (begin - firstFood);
		const old = Math.round(records - rates.groceries - 1.1 * filedSince) - 20;
		const oldLiquor = Math.round((old * SIZES.liquor) / WHOLE);
		for (let index = 0; index < old; index++) this.drawOld(index < oldLiquor ? 'liquor' : 'food');
		for (let day = Math.min(firstLiquor, firstFood); day <= begin; day++) {
			if (day >= firstLiquor) this.fileLiquor(day);
			if (day >= firstFood) this.fileFood(day);
			this.apply(day);
		}
		// How many have been listed by now is chance.
		while (this.records.length < records) this.drawOld('food');
	}

	/** One of the tens of thousands that were there before. */
	private drawOld(source: Source): void {
		const record = this.drawn(source, OLD);
		record.effective = OLD;
		record.eventType = oldEvents[pickOldEvent(fraction(this.seed, record.serial, salts.event))]!;
		if (record.eventType === 'cancellation') record.status = 'cancelled';
		if (record.eventType === 'status_change') record.status = 'suspended';
		this.records.push(record);
		this.others.push(record);
	}

	/** A license that is filed on a day, or is there without a date. */
	private drawn(source: Source, filed: number | undefined): RegisterRecord {
		const serial = this.serials++;
		const draw = (salt: number): number => fraction(this.seed, serial, salt);
		const licenseType =
			source === 'liquor'
				? liquorTypes[pickLiquorType(draw(salts.type))]!
				: source === 'food'
					? foodTypes[pickFoodType(draw(salts.type))]!
					: 'FOOD_SERVICE';
		const record: RegisterRecord = {
			serial,
			source,
			licenseNumber: numberOf(source, licenseType, serial),
			licenseType,
			namedAs: licenseType,
			place: pickPlace(serial + 67, draw(salts.place)),
			premises: serial,
			isEscrow: source === 'liquor' && draw(salts.escrow) < this.rates.escrow,
			filed,
			effective: undefined,
			eventType: 'new_filing',
			status: undefined,
			transfers: 0,
			moves: 0,
		};
		const other =
			draw(salts.twice) < this.rates.numberTwice ? this.otherHolder(source, serial) : undefined;
		if (!other) return record;
		// A transfer in progress: an old holder and a new one, at the same place.
		const { licenseNumber, place, premises, isEscrow } = other;
		return { ...record, licenseNumber, place, premises, isEscrow };
	}

	private otherHolder(source: Source, serial: number): RegisterRecord | undefined {
		for (let tries = 0; tries < 20; tries++) {
			const chosen = fraction(this.seed + tries, serial, salts.twiceOf);
			const other = this.records[Math.floor(chosen * this.records.length)];
			if (other?.source === source && source !== 'groceries') return other;
		}
		return undefined;
	}

	// What a day brings

	private pass(day: number): void {
		this.shownDay = day;
		this.fileLiquor(day);
		this.fileFood(day);
		this.oldLicenses(day);
		this.apply(day);
		for (const [what, { until }] of this.away) if (until < day) this.away.delete(what);
	}

	private apply(day: number): void {
		for (const change of this.agenda.get(day) ?? []) change(day);
		this.agenda.delete(day);
		// Filings that count as new no longer, with the dates they had.
		const stillNew: RegisterRecord[] = [];
		for (const record of this.newFilings)
			if (countsAsNew(record, day)) stillNew.push(record);
			else {
				record.eventType = 'renewal';
				this.others.push(record);
			}
		this.newFilings = stillNew;
	}

	/** As many as the rate says, on average. */
	private countOn(day: number, rate: number, salt: number): number {
		const spread = 0.5 + fraction(this.seed, day, salts.perDay + salt);
		return Math.floor(rate * spread + fraction(this.seed, day, salts.again + salt));
	}

	private plan(day: number, change: Change): void {
		const planned = this.agenda.get(day);
		if (planned) planned.push(change);
		else this.agenda.set(day, [change]);
	}

	private fileLiquor(filed: number): void {
		for (let left = this.countOn(filed, this.rates.liquorADay, 1000); left > 0; left--) {
			const record = this.drawn('liquor', filed);
			const draw = (salt: number): number => fraction(this.seed, record.serial, salt);
			const effective = filed + effectiveAfter(draw(salts.effective));
			const listed = effective + listedAfter(draw(salts.listed));
			record.effective = effective;
			this.plan(listed, (day) => this.show(record, day));
			if (draw(salts.amended) < this.rates.amended) this.amend(record, listed);
		}
	}

	/** An amended certificate, or a temporary one that becomes permanent: the event's date moves alone. */
	private amend(record: RegisterRecord, listed: number): void {
		const draw = (salt: number): number => fraction(this.seed, record.serial, salt);
		const permanent = record.licenseType;
		if (draw(salts.temporary) < 0.5) record.licenseType = 'TEMP_PERMIT';
		const times = draw(salts.again) < 0.25 ? 2 : 1;
		let after = listed;
		for (let time = 0; time < times; time++) {
			const amended = after + Math.floor(draw(salts.amendedOn + 50 * time) * 15);
			after = amended + listedAfter(draw(salts.amendedListed + 50 * time));
			this.plan(after, (day) => {
				record.effective = amended;
				record.licenseType = permanent;
				this.announce(record, false, day);
			});
		}
	}

	private fileFood(filed: number): void {
		for (let left = this.countOn(filed, this.rates.foodADay, 2000); left > 0; left--) {
			const record = this.drawn('food', filed);
			record.effective = filed;
			this.plan(nextWeeklyFile(filed), (day) => this.show(record, day));
		}
	}

	private show(record: RegisterRecord, day: number): void {
		this.records.push(record);
		this.newFilings.push(record);
		// After sixty days without being listed, it is a renewal at once.
		if (!countsAsNew(record, day)) record.eventType = 'renewal';
		this.announce(record, true, day);
	}

	/** What happens to licenses that are there, and the provider's own corrections. */
	private oldLicenses(day: number): void {
		const { rates, seed } = this;
		const happen = (rate: number, kind: number, event: string, apply: Alteration): void => {
			for (let left = this.countOn(day, rate, 3000 + kind); left > 0; left--) {
				const chosen = fraction(seed + left, day, salts.chosen + kind);
				const record = this.records[Math.floor(chosen * this.records.length)];
				if (!record || record.eventType === 'new_filing') continue;
				const previousStatus = statusOf(this.view, record);
				record.eventType = event;
				record.effective = day - 1 - (hash(seed, day + left, kind) % 5);
				apply(record);
				this.announce(record, false, day, previousStatus);
			}
		};
		happen(rates.transfersADay, 1, 'ownership_transfer', (record) => record.transfers++);
		happen(rates.statusChangesADay, 2, 'status_change', (record) => {
			record.status = record.status === 'suspended' ? 'active' : 'suspended';
		});
		happen(rates.cancellationsADay, 3, 'cancellation', (record) => (record.status = 'cancelled'));
		happen(rates.addressChangesADay, 4, 'address_change', (record) => record.moves++);
		if (day % HOLES.everyDays !== 0) return;
		// Corrections are no event: only the type is another one.
		let left = this.countOn(day, rates.corrections, 4000);
		for (let tries = 0; left > 0 && tries < 40 * rates.corrections; tries++) {
			const chosen = fraction(seed + tries, day, salts.chosen);
			const record = this.records[Math.floor(chosen * this.records.length)];
			if (record?.licenseType !== 'COP') continue;
			record.licenseType = 'SRX';
			left--;
		}
	}

	private announce(
		record: RegisterRecord,
		isNew: boolean,
		day: number,
		previousStatus: string | null = null,
	): void {
		// What happened before the register began is history.
		if (!this.hasBegun) return;
		const license = licenseOf({ ...this.view, day }, record);
		const listing = { day: dateOf(day), isNew, license, previousStatus };
		this.listings.push(listing);
		for (const listener of this.listeners) listener(listing);
	}

	// The list

	/** All new filings by the day they were filed, newest first, then everything else, likewise. */
	private arrange(): void {
		this.matches.clear();
		this.texts.clear();
		this.names = undefined;
		this.newFilings.sort(byFiling);
		this.others.sort(byFiling);
		const all = [...this.newFilings, ...this.others];
		const { windows, holes, away } = this;
		const hasWindows = Object.keys(windows).length > 0;
		const isWhole = !hasWindows && !holes && away.size === 0;
		const left = new Map<Source, number>(
			sources.map((source) => [source, windows[source] ?? (hasWindows ? 0 : Infinity)]),
		);
		this.inOrder = isWhole
			? all
			: all.filter((record) => {
					if (this.isAway(record)) return false;
					const places = left.get(record.source)!;
					left.set(record.source, places - 1);
					return places > 0;
				});
	}

	private isAway({ source, serial }: RegisterRecord): boolean {
		const { shownDay: day, seed, away } = this;
		if (away.size > 0)
			for (const what of [source, serial]) {
				const days = away.get(what);
				if (days && days.from <= day && day <= days.until) return true;
			}
		if (!this.holes) return false;
		const { everyDays, share, longest } = HOLES;
		if (source !== 'liquor' && (day + seed) % everyDays === (source === 'food' ? 5 : 11))
			return true;
		// Each license has seventeen days of its own, in which it may be away once.
		const shifted = day + (serial % everyDays);
		const round = Math.floor(shifted / everyDays);
		if (fraction(seed + round, serial, salts.away) >= share) return false;
		const drawn = hash(seed + round, serial, salts.awayFrom);
		const from = 1 + (drawn % (everyDays - longest - 1));
		const days = 1 + ((drawn >>> 8) % longest);
		const at = shifted - round * everyDays;
		return at >= from && at < from + days;
	}

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

	private checkFor(asked: string[]): (record: RegisterRecord) => boolean {
		const [county, type, event, status, q] = asked.map((value) => value.toLowerCase());
		const { view } = this;
		return (record) => {
			const { planted } = record;
			if (planted) return this.fitsPlanted(this.shown(record), asked);
			if (type && record.licenseType.toLowerCase() !== type) return false;
			if (event && record.eventType !== event) return false;
			if (county && countyOf(view, record).toLowerCase() !== county) return false;
			if (status && statusOf(view, record) !== status) return false;
			return !q || this.textOf(record).includes(q);
		};
	}

	/** A planted record is judged by what it shows. */
	private fitsPlanted({ address, ...license }: License, asked: string[]): boolean {
		const lower = (value: unknown): string => textIn(value).toLowerCase();
		const shown = [address?.county, license.licenseType, license.eventType, license.status].map(
			lower,
		);
		const text = [license.businessName, address?.city, address?.county].map(lower).join(' ');
		return asked.every((value, index) =>
			index === 4 ? text.includes(lower(value)) : value === '' || lower(value) === shown[index],
		);
	}

	/** What `q` is looked for in: name, city and county, joined. */
	private textOf(record: RegisterRecord): string {
		const kept = this.texts.get(record);
		if (kept !== undefined) return kept;
		const { address, businessName } = this.shown(record);
		const text = `${businessName} ${address?.city} ${address?.county}`.toLowerCase();
		this.texts.set(record, text);
		return text;
	}
}

export class UnknownLicense extends Error {
	readonly statusCode = 404;
}

function numberOf(source: Source, licenseType: string, serial: number): string {
	if (source === 'groceries') return String(10_001 + serial);
	const letters = source === 'liquor' ? 'BEV' : licenseType === 'MOBILE_FOOD' ? 'MFD' : 'SEA';
	return `${letters}${String(serial + 1).padStart(7, '0')}`;
}

const FILTERS = ['county', 'license_type', 'event_type', 'status', 'q'] as const;

const countsAsNew = ({ source, filed }: RegisterRecord, day: number): boolean => {
	if (filed === undefined) return true;
	return source === 'food' ? filed >= fiscalYearStart(day) : day - filed <= NEW_FOR_DAYS;
};

const byFiling = (a: RegisterRecord, b: RegisterRecord): number =>
	(b.filed ?? Infinity) - (a.filed ?? Infinity) || a.serial - b.serial;

const textIn = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** More than the most is the most, less than one is one, nonsense is the default. */
export function limitFrom(given: unknown, byDefault: number, most: number): number {
	const limit = Math.floor(Number(given === '' ? NaN : (given ?? NaN)));
	return Number.isNaN(limit) ? byDefault : Math.min(Math.max(limit, 1), most);
}

const cursorOf = (offset: number): string =>
	Buffer.from(JSON.stringify({ offset })).toString('base64');

/** A cursor that cannot be read begins again. */
export function offsetIn(cursor: unknown): number {
	try {
		const { offset } = JSON.parse(Buffer.from(String(cursor), 'base64').toString()) as {
			offset: unknown;
		};
		return Number.isSafeInteger(offset) && Number(offset) >= 0 ? Number(offset) : 0;
	} catch {
		return 0;
	}
}
