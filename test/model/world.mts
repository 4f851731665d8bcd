import { randomSequence } from '../../sandbox/register/random.mts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A record as it is listed, and which event it is: something that the trigger cannot see. */
export interface Entry {
	event: string;
	record: License;
	/** Counts up with each entry. */
	serial: number;
	/** Absent from the list until then. */
	hiddenUntil: number;
	/** Where the service lists it, whatever the record says. */
	county: string;
	listedAs: string;
	/** Another version, which is listed on every other day. */
	other?: License;
}

export interface WorldOptions {
	/** A register lists new filings first, by filing date. A stream is sorted by the event's time, or by arrival. */
	kind: 'register' | 'byTime' | 'byArrival';
	/** Entries of one rank, in which order. */
	ties: 'newFirst' | 'newLast' | 'mixed';
	/** What a cursor stands for. */
	cursors: 'position' | 'key';
	totals: boolean;
	pageSize: number;
	/** All dates are of one day. */
	datesEqual: boolean;
	/** Of a register: how many records of a type it shows; null for all. */
	window: number | null;
	/** How many records without a date get today's every day. */
	undatedStock: number;
	/** After how many days a filing is called a renewal. */
	daysUntilRenewal: number;
	existing: number;
	/** Every so many requests, another server answers, which has a sample; null for never. */
	sampleEvery: number | null;
	seed: number;
}

export const TYPES = ['COP', 'BEV', 'FOOD_SERVICE'] as const;
export const COUNTIES = ['Lee', 'Bay'] as const;
const REFRESH = 6 * HOUR;

const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
/** Which event a record is that says it is none, or which renewal. */
const eventOf = (record: License, filing: string): string => {
	const { licenseNumber, eventType, eventTimestamp, expirationDate } = record;
	if (eventType === 'new_filing') return filing;
	if (eventType === 'renewal') return `${licenseNumber} renewed until ${expirationDate}`;
	return `${licenseNumber} on ${eventTimestamp?.slice(0, 10)}`;
};
const dayOf = (time: number): number => Math.floor((time - REFRESH) / DAY);

/** The service's list, and what happens to it. A register changes once a day, everything else at once. */
export class World {
	now: number;
	private readonly roll: () => number;
	private readonly entries: Entry[] = [];
	private waiting: Array<{ on: number; entry: Entry }> = [];
	private missingType: string | undefined;
	private refreshed: number;
	private made = 0;
	private cursorGeneration = 0;
	/** The filing dates that each license has had. */
	private readonly filedOn = new Map<unknown, Set<unknown>>();
	private frozen: { until: number; entries: Entry[] } | undefined;
	private requests = 0;

	constructor(
		private readonly options: WorldOptions,
		start: number,
	) {
		this.now = start;
		this.refreshed = dayOf(start);
		this.roll = randomSequence(options.seed);
		for (let made = 0; made < options.existing; made++) this.add(this.roll() * 80 * DAY, {}, true);
		for (let made = 0; made < options.undatedStock; made++)
			this.add(
				0,
				{ licenseType: 'BEV', legalName: made % 2 ? 'Grocer LLC' : '-', stock: true },
				true,
			);
		this.redateStock();
	}

	/** Everything listed, whatever it is. */
	get listed(): Entry[] {
		if (this.frozen && this.frozen.until > this.now) return this.frozen.entries;
		this.frozen = undefined;
		const { window } = this.options;
		const shown = this.entries.filter(
			({ record, hiddenUntil }) =>
				hiddenUntil <= this.now && record.licenseType !== this.missingType,
		);
		if (window === null) return shown;
		const counts = new Map<unknown, number>();
		return this.sorted(shown).filter(({ record }) => {
			const count = (counts.get(record.licenseType) ?? 0) + 1;
			counts.set(record.licenseType, count);
			return count <= window;
		});
	}

	page(
		{ event_type, county, license_type }: Record<string, string | undefined>,
		cursor: string | null,
		mayBeSample: boolean,
	) {
		const { pageSize, cursors, totals, sampleEvery } = this.options;
		const all = this.sorted(this.listed).filter(
			({ record, county: its, listedAs }) =>
				listedAs === event_type &&
				(county === undefined || its === county) &&
				(license_type === undefined || record.licenseType === license_type),
		);
		const isSample = mayBeSample && sampleEvery !== null && ++this.requests % sampleEvery === 0;
		const view = isSample ? all.slice(0, Math.floor(all.length / 3)) : all;
		const start = cursor === null ? 0 : this.startAt(cursor, view);
		if (start === undefined) return undefined;
		const shown = view.slice(start, start + pageSize);
		const next = cursors === 'position' ? start + pageSize : shown.at(-1)?.serial;
		const hasMore = start + pageSize < view.length;
		return {
			shown,
			isSample,
			cursor: hasMore ? `${this.cursorGeneration}:${next}` : null,
			...(totals && { total: view.length }),
		};
	}

	/** A new event, dated this long ago. A register shows it on one of the next days. */
	add(age: number, more: License = {}, isAtOnce = false): Entry {
		const serial = ++this.made;
		const time = this.options.datesEqual ? this.now - 3 * DAY : this.now - age;
		const isFiling = this.roll() < 0.8;
		const stamp =
			this.options.kind === 'register' ? `${day(time)}T00:00:00Z` : new Date(time).toISOString();
		const number = `N${serial}`;
		const county = this.one(COUNTIES);
		const listedAs = isFiling ? 'new_filing' : 'renewal';
		const record: License = {
			id: `lic_${number}`,
			licenseNumber: number,
			legalName: this.roll() < 0.9 ? `Holder ${number} LLC` : null,
			eventType: this.roll() < 0.96 || more.stock ? listedAs : null,
			eventTimestamp: this.roll() < 0.95 ? stamp : null,
			filedDate: day(time - Math.floor(this.roll() ** 3 * 40) * DAY),
			expirationDate: day(time + 300 * DAY),
			licenseType: this.one(TYPES),
			status: 'active',
			address: { county: this.roll() < 0.96 ? county : null },
			...more,
		};
		const entry: Entry = {
			event: eventOf(record, number),
			serial,
			hiddenUntil: 0,
			county,
			listedAs,
			record,
		};
		this.filedOn.set(number, new Set([record.filedDate]));
		const isLater = this.options.kind === 'register' && !isAtOnce;
		if (isLater)
			this.waiting.push({ on: dayOf(this.now) + 1 + Math.floor(this.roll() * 3), entry });
		else this.entries.push(entry);
		return entry;
	}

	/** A source is added: filings of a type that was not there before, or no longer, filed over two months. */
	addSource(count: number, isAtOnce: boolean): void {
		for (let added = 0; added < count; added++) {
			const eventTimestamp = `${day(this.now - (5 + (added % 60)) * DAY)}T00:00:00Z`;
			const more = { licenseType: 'MOBILE_FOOD', eventType: 'new_filing', eventTimestamp };
			const filedDate = eventTimestamp.slice(0, 10);
			const entry = this.add(0, { ...more, filedDate }, isAtOnce);
			Object.assign(entry, { listedAs: 'new_filing', event: `N${entry.serial}` });
		}
	}

	/** Says whether the list has changed meanwhile. */
	pass(milliseconds: number): boolean {
		this.now += milliseconds;
		const isDue = this.options.kind === 'register' && this.refreshed < dayOf(this.now);
		for (; isDue && this.refreshed < dayOf(this.now); this.refreshed++) this.refresh();
		return isDue;
	}

	/** The same license and holder with another date: nothing new has happened to a filing. */
	amend(pick: number): void {
		const entry = this.pick(pick);
		if (entry?.record.eventType !== 'new_filing') return;
		const age = this.options.kind === 'register' ? DAY : 0;
		entry.record = { ...entry.record, eventTimestamp: `${day(this.now - age)}T00:00:00Z` };
	}

	/** Another holder and another filing date: another new filing. The old one may stay beside it. */
	transfer(pick: number, isBeside: boolean): boolean {
		const entry = this.pick(pick);
		const filedDate = day(this.now);
		if (entry?.record.eventType !== 'new_filing' || entry.record.stock) return false;
		const { licenseNumber } = entry.record;
		const dates = this.filedOn.get(licenseNumber);
		if (!dates || dates.has(filedDate)) return false;
		dates.add(filedDate);
		this.made++;
		const legalName = `Holder ${licenseNumber} of ${this.made} Inc`;
		const event = `${licenseNumber} of ${this.made}`;
		const record = { ...entry.record, legalName, filedDate };
		const next = { ...entry, event, serial: this.made, record, other: undefined };
		if (!isBeside) this.entries.splice(this.entries.indexOf(entry), 1);
		this.entries.push(next);
		return true;
	}

	/** A name that was missing, or is corrected; an ID that changes: nothing new has happened. */
	correct(pick: number, what: 'name' | 'id'): boolean {
		const entry = this.pick(pick);
		if (!entry || (what === 'name' && entry.record.stock)) return false;
		const other =
			what === 'name' ? { legalName: `Corrected ${++this.made}` } : { id: `lic_${++this.made}x` };
		entry.record = { ...entry.record, ...other };
		return true;
	}

	/** A new license under the ID of another. */
	useIdAgain(pick: number): void {
		const entry = this.pick(pick);
		if (entry) this.add(0, { id: entry.record.id }, true);
	}

	/** From now on, it is listed as it is and as it was before, in turns. */
	flip(pick: number): boolean {
		const entry = this.pick(pick);
		if (entry?.record.eventType !== 'new_filing' || entry.record.stock) return false;
		entry.other = { ...entry.record, legalName: `Version ${++this.made}` };
		return true;
	}

	/** The list shows for so many days what it shows now. */
	get isStandingStill(): boolean {
		return this.frozen !== undefined && this.frozen.until > this.now;
	}

	standStill(days: number): void {
		const entries = this.listed.map((entry) => ({ ...entry }));
		this.frozen = { until: this.now + days * DAY, entries };
	}

	hide(pick: number, count: number, days: number): void {
		const first = this.entries.indexOf(this.pick(pick) as Entry);
		for (const entry of this.entries.slice(first, first + count))
			entry.hiddenUntil = this.now + days * DAY;
	}

	/** From now on, the service refuses every cursor that it has given out. */
	expireCursors(): void {
		this.cursorGeneration++;
	}

	private refresh(): void {
		const today = this.refreshed + 1;
		const isDue = ({ on }: { on: number }) => on <= today;
		this.entries.push(...this.waiting.filter(isDue).map(({ entry }) => entry));
		this.waiting = this.waiting.filter((one) => !isDue(one));
		this.redateStock();
		this.missingType = this.roll() < 0.06 ? TYPES[Math.floor(this.roll() * 3)] : undefined;
		for (const entry of this.entries) {
			if (entry.other) [entry.record, entry.other] = [entry.other, entry.record];
			const { record } = entry;
			const age = today * DAY - Date.parse(record.filedDate ?? '');
			const isOver = record.eventType === 'new_filing' && age > this.options.daysUntilRenewal * DAY;
			if (isOver && !record.stock) {
				entry.record = { ...record, eventType: 'renewal' };
				entry.other = undefined;
				entry.listedAs = 'renewal';
				entry.event = eventOf(entry.record, '');
			}
			if (this.roll() < 0.01) entry.hiddenUntil = this.now + Math.ceil(this.roll() * 4) * DAY;
		}
	}

	private redateStock(): void {
		const today = day(this.now);
		for (const entry of this.entries) {
			if (!entry.record.stock) continue;
			const dates = { filedDate: today, eventTimestamp: `${today}T00:00:00Z` };
			const record = { ...entry.record, ...dates, eventType: 'new_filing' };
			const event = String(record.licenseNumber);
			Object.assign(entry, { record, event, listedAs: 'new_filing' });
		}
	}

	private one<Value>(values: readonly Value[]): Value {
		return values[Math.floor(this.roll() * values.length)] as Value;
	}

	private pick(index: number): Entry | undefined {
		return this.entries[index % Math.max(1, this.entries.length)];
	}

	private sorted(entries: Entry[]): Entry[] {
		const { kind, ties } = this.options;
		const rank = ({ record, serial }: Entry) =>
			kind === 'byArrival'
				? serial
				: Date.parse(String(kind === 'register' ? record.filedDate : record.eventTimestamp)) || 0;
		const isRest = ({ listedAs }: Entry) =>
			Number(kind === 'register' && listedAs !== 'new_filing');
		const tie = {
			newFirst: (a: Entry, b: Entry) => b.serial - a.serial,
			newLast: (a: Entry, b: Entry) => a.serial - b.serial,
			mixed: (a: Entry, b: Entry) =>
				(Math.imul(a.serial, 0x9e3779b1) >>> 0) - (Math.imul(b.serial, 0x9e3779b1) >>> 0),
		}[ties];
		return entries
			.map((entry) => ({ entry, rest: isRest(entry), rank: rank(entry) }))
			.sort((a, b) => a.rest - b.rest || b.rank - a.rank || tie(a.entry, b.entry))
			.map(({ entry }) => entry);
	}

	private startAt(cursor: string, view: Entry[]): number | undefined {
		const [generation, place = 0] = cursor.split(':').map(Number);
		if (generation !== this.cursorGeneration) return undefined;
		if (this.options.cursors === 'position') return place;
		const all = this.sorted(this.entries);
		const rest = all.slice(all.findIndex(({ serial }) => serial === place) + 1);
		const after = new Set(rest.map(({ serial }) => serial));
		const index = view.findIndex(({ serial }) => after.has(serial));
		return index === -1 ? view.length : index;
	}
}
