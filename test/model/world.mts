import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { DAY, HOUR } from '../../nodes/LicensingData/licenses/time.ts';
import { randomSequence } from '../../sandbox/register/random.mts';
import { isListed, type Query } from '../support/list-service.mts';
import type { Change, WorldOptions } from './history.mts';
import type { Situation } from './situations.mts';

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
	/** Whether it is a cancellation that is dated today each day. */
	isDaily?: boolean;
	/** The filing dates that the license has had. */
	filedOn: Set<string>;
}

export const TYPES = ['COP', 'BEV', 'FOOD_SERVICE'] as const;
export const COUNTIES = ['Lee', 'Bay'] as const;
/** What may change about a record. */
export const EDITS = ['date', 'name', 'id', 'usedId', 'version', 'holder', 'secondHolder'] as const;
const REFRESH = 6 * HOUR;

const day = (time: number): string => new Date(time).toISOString().slice(0, 10);
const midnight = (time: number): string => `${day(time)}T00:00:00Z`;
const dayOf = (time: number): number => Math.floor((time - REFRESH) / DAY);

/** Which event a record is that says it is none, or which renewal. */
function eventOf(record: License): string {
	const { licenseNumber, eventType, eventTimestamp, expirationDate } = record;
	if (eventType === 'new_filing') return String(licenseNumber);
	if (eventType === 'cancellation') return `${licenseNumber} canceled`;
	if (eventType === 'renewal') return `${licenseNumber} renewed until ${expirationDate}`;
	return `${licenseNumber} on ${eventTimestamp?.slice(0, 10)}`;
}

/** The service's list, and what happens to it. A register changes once a day, everything else at once. */
export class World {
	private readonly roll: () => number;
	private readonly entries: Entry[] = [];
	private waiting: Array<{ on: number; entry: Entry }> = [];
	private missingType: string | undefined;
	private refreshed: number;
	private made = 0;
	private cursorGeneration = 0;
	private frozen: { until: number; entries: Entry[] } | undefined;
	private requests = 0;

	constructor(
		private readonly options: WorldOptions,
		private readonly meet: (situation: Situation) => void,
	) {
		this.refreshed = dayOf(this.now);
		this.roll = randomSequence(options.seed);
		for (let made = 0; made < options.existing; made++) this.add(this.roll() * 80 * DAY, {}, true);
		for (let made = 0; made < options.undatedStock; made++) {
			const legalName = made % 2 ? 'Grocer LLC' : '-';
			this.add(0, { licenseType: 'BEV', legalName, stock: true }, true);
		}
		this.redateStock();
	}

	get now(): number {
		return Date.now();
	}

	/** Everything listed, whatever it is. */
	get listed(): Entry[] {
		if (this.frozen && this.isStandingStill) return this.frozen.entries;
		const { window } = this.options;
		const shown = this.entries.filter(
			({ record, hiddenUntil }) =>
				hiddenUntil <= this.now && record.licenseType !== this.missingType,
		);
		if (window === undefined) return shown;
		const counts = new Map<unknown, number>();
		return this.sorted(shown).filter(({ record }) => {
			const count = (counts.get(record.licenseType) ?? 0) + 1;
			counts.set(record.licenseType, count);
			return count <= window;
		});
	}

	/** Undefined for a cursor that is refused. */
	page(query: Query, cursor: string | undefined, mayBeSample: boolean) {
		const { pageSize, cursors, hidesTotals, sampleEvery } = this.options;
		const all = this.sorted(this.listed).filter(({ record: { licenseType }, county, listedAs }) =>
			isListed(query, { licenseType, eventType: listedAs, address: { county } }),
		);
		const isSample =
			mayBeSample && sampleEvery !== undefined && ++this.requests % sampleEvery === 0;
		if (isSample) this.meet('a page of another server');
		const view = isSample ? all.slice(0, Math.floor(all.length / 3)) : all;
		const start = cursor === undefined ? 0 : this.startAt(cursor, view);
		if (start === undefined) return undefined;
		const end = start + pageSize;
		const shown = view.slice(start, end);
		const next = cursors === 'position' ? end : shown.at(-1)?.serial;
		return {
			shown,
			cursor: end < view.length ? `${this.cursorGeneration}:${next}` : null,
			total: hidesTotals ? undefined : view.length,
		};
	}

	/** Says whether the list has changed meanwhile. */
	pass(milliseconds: number): boolean {
		vi.setSystemTime(this.now + milliseconds);
		const isDue = this.options.kind === 'register' && this.refreshed < dayOf(this.now);
		for (; isDue && this.refreshed < dayOf(this.now); this.refreshed++) this.refresh();
		return isDue;
	}

	/** Whether the list shows what it showed some days ago. */
	get isStandingStill(): boolean {
		return this.frozen !== undefined && this.frozen.until > this.now;
	}

	apply(change: Exclude<Change, { kind: 'wait' }>): void {
		if (change.kind === 'edit') {
			this.edit(change.what, this.pick(change.pick));
		} else if (change.kind === 'add') {
			for (let added = 0; added < change.count; added++)
				this.add(change.age * DAY, {}, change.isAtOnce);
		} else if (change.kind === 'addSource') {
			for (let added = 0; added < change.count; added++)
				this.addOfSource(5 + (added % 60), change.isAtOnce);
		} else if (change.kind === 'standStill') {
			if (change.days > 40) this.meet('a list that stood still for weeks');
			const entries = this.listed.map((entry) => ({ ...entry }));
			this.frozen = { until: this.now + change.days * DAY, entries };
		} else if (change.kind === 'hide') {
			const first = this.entries.indexOf(this.pick(change.pick) as Entry);
			for (const entry of this.entries.slice(first, first + change.count))
				entry.hiddenUntil = this.now + change.days * DAY;
		} else {
			this.cursorGeneration++;
		}
	}

	/** A new event, dated this long ago. A register shows it on one of the next days. */
	private add(age: number, more: License, isAtOnce = false): Entry {
		const serial = ++this.made;
		const isRegister = this.options.kind === 'register';
		const time = this.options.datesEqual ? this.now - 3 * DAY : this.now - age;
		const kind = this.roll();
		const listedAs = kind < 0.75 ? 'new_filing' : kind < 0.93 ? 'renewal' : 'cancellation';
		const stamp = isRegister ? midnight(time) : new Date(time).toISOString();
		const county = this.one(COUNTIES);
		const record: License = {
			id: `lic_N${serial}`,
			licenseNumber: `N${serial}`,
			legalName: this.roll() < 0.9 ? `Holder N${serial} LLC` : null,
			eventType: this.roll() < 0.96 || more.stock ? listedAs : null,
			eventTimestamp: this.roll() < 0.95 ? stamp : null,
			filedDate: this.roll() < 0.97 ? day(time - Math.floor(this.roll() ** 3 * 40) * DAY) : null,
			expirationDate: this.roll() < 0.9 ? day(time + 300 * DAY) : null,
			licenseType: this.one(TYPES),
			status: 'active',
			address: { county: this.roll() < 0.96 ? county : null },
			...more,
		};
		const filedOn = new Set([String(record.filedDate)]);
		// One that does not say its event is known by its day: dated anew, it would be another one (docs/trigger.md).
		const isDaily = record.eventType === 'cancellation' && this.roll() < 0.5;
		// From its first day on: one that jumps there over seasons is another cancellation.
		if (isDaily) record.eventTimestamp = midnight(this.now);
		const listing = { serial, hiddenUntil: 0, county, listedAs, filedOn, isDaily };
		const entry: Entry = { event: eventOf(record), record, ...listing };
		if (isAtOnce || !isRegister) this.entries.push(entry);
		else this.waiting.push({ on: dayOf(this.now) + 1 + Math.floor(this.roll() * 3), entry });
		return entry;
	}

	/** A source is added: filings of a type that was not there before, or no longer, filed over two months. */
	private addOfSource(days: number, isAtOnce: boolean): void {
		const eventTimestamp = midnight(this.now - days * DAY);
		const filedDate = eventTimestamp.slice(0, 10);
		const more = { licenseType: 'MOBILE_FOOD', eventType: 'new_filing', eventTimestamp, filedDate };
		this.add(0, more, isAtOnce).listedAs = 'new_filing';
	}

	private edit(what: (typeof EDITS)[number], entry: Entry | undefined): void {
		// What is dated anew each day keeps its holder.
		if (!entry || (entry.record.stock && !['id', 'usedId'].includes(what))) return;
		const { record } = entry;
		const name = `Corrected ${++this.made}`;
		if (what === 'version' && record.eventType === 'renewal') {
			entry.other = { ...record, expirationDate: null };
		} else if (what === 'name') {
			// Without a filing date, another name is another filing.
			if (!record.filedDate) return;
			this.meet('a name that was corrected');
			entry.record = { ...record, legalName: name };
		} else if (what === 'id') {
			this.meet('an ID that changed');
			entry.record = { ...record, id: `lic_${this.made}x` };
		} else if (what === 'usedId') {
			this.meet('an ID that was used again');
			this.add(0, { id: record.id }, true);
		} else if (record.eventType !== 'new_filing') {
			return;
		} else if (what === 'version') {
			if (!record.filedDate) return;
			this.meet('a record of two versions');
			entry.other = { ...record, legalName: name };
		} else if (what === 'date') {
			// The same license and holder: nothing new has happened.
			const age = this.options.kind === 'register' ? DAY : 0;
			entry.record = { ...record, eventTimestamp: midnight(this.now - age) };
		} else {
			this.transfer(entry, what === 'secondHolder');
		}
	}

	/** Another holder and another filing date: another new filing. The old one may stay beside it. */
	private transfer(entry: Entry, isBeside: boolean): void {
		const filedDate = day(this.now);
		if (entry.filedOn.has(filedDate)) return;
		this.meet('a transfer');
		entry.filedOn.add(filedDate);
		const { licenseNumber } = entry.record;
		const serial = this.made;
		const legalName = `Holder ${licenseNumber} of ${serial} Inc`;
		const record = { ...entry.record, legalName, filedDate };
		if (!isBeside) this.entries.splice(this.entries.indexOf(entry), 1);
		const event = `${licenseNumber} of ${serial}`;
		this.entries.push({ ...entry, event, serial, record, other: undefined });
	}

	private refresh(): void {
		const today = this.refreshed + 1;
		const isDue = ({ on }: { on: number }) => on <= today;
		this.entries.push(...this.waiting.filter(isDue).map(({ entry }) => entry));
		this.waiting = this.waiting.filter((one) => !isDue(one));
		this.redateStock();
		this.missingType = this.roll() < 0.06 ? this.one(TYPES) : undefined;
		for (const entry of this.entries) {
			if (entry.other) [entry.record, entry.other] = [entry.other, entry.record];
			const { record } = entry;
			const age = today * DAY - Date.parse(record.filedDate ?? '');
			const isOver = record.eventType === 'new_filing' && age > this.options.daysUntilRenewal * DAY;
			if (isOver && !record.stock) {
				const renewed = { ...record, eventType: 'renewal' };
				const other = undefined;
				const listedAs = 'renewal';
				Object.assign(entry, { record: renewed, other, listedAs, event: eventOf(renewed) });
			}
			if (this.roll() < 0.01) entry.hiddenUntil = this.now + Math.ceil(this.roll() * 4) * DAY;
		}
	}

	private redateStock(): void {
		const today = { filedDate: day(this.now), eventTimestamp: midnight(this.now) };
		for (const entry of this.entries) {
			if (entry.isDaily) {
				this.meet('a cancellation that is dated anew');
				entry.record = { ...entry.record, eventTimestamp: today.eventTimestamp };
			}
			if (!entry.record.stock) continue;
			const record = { ...entry.record, ...today, eventType: 'new_filing' };
			Object.assign(entry, { record, event: eventOf(record), listedAs: 'new_filing' });
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
		const dateOf = ({ filedDate, eventTimestamp }: License) =>
			Date.parse(String(kind === 'register' ? filedDate : eventTimestamp)) || 0;
		const rankOf = ({ record, serial }: Entry) => (kind === 'byArrival' ? serial : dateOf(record));
		const isRest = ({ listedAs }: Entry) =>
			Number(kind === 'register' && listedAs !== 'new_filing');
		const scattered = ({ serial }: Entry) => Math.imul(serial, 0x9e3779b1) >>> 0;
		const tie = {
			newFirst: (a: Entry, b: Entry) => b.serial - a.serial,
			newLast: (a: Entry, b: Entry) => a.serial - b.serial,
			mixed: (a: Entry, b: Entry) => scattered(a) - scattered(b),
		}[ties];
		return entries
			.map((entry) => ({ entry, rest: isRest(entry), rank: rankOf(entry) }))
			.sort((a, b) => a.rest - b.rest || b.rank - a.rank || tie(a.entry, b.entry))
			.map(({ entry }) => entry);
	}

	private startAt(cursor: string, view: Entry[]): number | undefined {
		const [generation, place = 0] = cursor.split(':').map(Number);
		if (generation !== this.cursorGeneration) return undefined;
		if (this.options.cursors === 'position') return place;
		const all = this.sorted(this.isStandingStill ? this.listed : this.entries);
		const rest = all.slice(all.findIndex(({ serial }) => serial === place) + 1);
		const after = new Set(rest.map(({ serial }) => serial));
		const index = view.findIndex(({ serial }) => after.has(serial));
		return index === -1 ? view.length : index;
	}
}
