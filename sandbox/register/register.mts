import { wallClock, type Clock } from '../../server/clock.mts';
import type { License } from '../../server/license.mts';
import { shapesFrom, type Shapes } from '../shapes.mts';
import { ratesFor, type Rates } from './behavior.mts';
import { dateOf, dayOf } from './calendar.mts';
import { Licenses } from './licenses.mts';
import { LicenseList } from './list.mts';
import type { LicensePatch } from './patch.mts';
import type { RegisterRecord, View } from './record.mts';

export interface RegisterOptions {
	/** Another seed, another register. */
	seed?: number;
	/** How many licenses it has at the start: 108,000 are all of Florida. Unless given, 1,000. */
	records?: number;
	/** Filings a day, shares and the like, where they are to be otherwise than in `behavior.mts`. */
	rates?: Partial<Rates>;
	/** The day with which it begins: the clock's, unless given. */
	today?: number | string | Date;
	/** Milliseconds until there is another list by itself; unless given, there is none until `advance`. */
	listEvery?: number;
	clock?: Clock;
	/** What there was in a run before. */
	history?: History;
	/** Hears of everything that becomes visible or changes from now on. */
	onListing?: (license: License) => void;
}
/** How many lists a day had, and what was planted between two of them. */
export type History = Array<[day: string, lists: number] | Planting>;
type Planting =
	| { file: LicensePatch }
	| { change: string; patch: LicensePatch }
	| { leaveOut: string };

/** A license that has become visible, or that something has happened to. */
export interface Listing {
	/** The day of the list that shows it first. */
	day: string;
	/** True for a new filing: of a license that was not there before, or of a new holder. */
	isNew: boolean;
	license: License;
}

/**
 * The licenses of a state as a service lists them: new filings first, by the day they were filed. Each list has a
 * day of its own until that is the clock's; then each brings a day's worth more, with the dates it would have today.
 */
export class Register extends LicenseList {
	/** The day with which it began, and what there has been since. */
	readonly begin: string;
	readonly history: History = [];
	/** What has become visible or changed since the start, oldest first, whatever is left out. */
	readonly listings: Listing[] = [];

	private readonly seed: number;
	private readonly rates: Rates;
	private readonly clock: Clock;
	private readonly listEvery: number;
	private readonly licenses: Licenses;
	private turn: number;
	private shownDay: number;
	/** When the latest list came by itself. */
	private listedAt: number;
	/** Serial numbers that are left out. */
	private readonly away = new Set<number>();
	private readonly refreshListeners = new Set<() => void>();

	constructor(options: RegisterOptions = {}, shapes: Shapes = shapesFrom()) {
		super(shapes);
		const { seed = 1, records = 1000, clock = wallClock, listEvery = Infinity } = options;
		this.seed = seed;
		this.rates = ratesFor(records, options.rates);
		this.clock = clock;
		this.listEvery = listEvery;
		this.listedAt = clock.now();
		this.shownDay = dayOf(options.today ?? clock.now());
		this.turn = this.shownDay;
		this.begin = dateOf(this.shownDay);
		let hasBegun = false;
		this.licenses = new Licenses(seed, this.rates, (record, isNew) => {
			Object.assign(record, { listText: undefined, searchText: undefined });
			if (!hasBegun) return;
			const license = this.shown(record);
			this.listings.push({ day: dateOf(this.shownDay), isNew, license });
			options.onListing?.(license);
		});
		this.licenses.fill(records, this.turn);
		this.repeat(options.history);
		// What happened before is history.
		hasBegun = true;
	}

	/** The day that the list bears. */
	get day(): string {
		this.catchUp();
		return dateOf(this.shownDay);
	}

	/** True if that is the clock's, so that another list has the same. */
	get isToday(): boolean {
		return this.shownDay >= dayOf(this.clock.now());
	}

	/** Milliseconds until there is another list by itself. */
	get untilRefresh(): number {
		return this.listedAt + this.listEvery - this.clock.now();
	}

	/** Brings so many more lists. */
	advance(lists = 1): void {
		this.catchUp();
		this.bring(lists);
	}

	catchUp(): void {
		const due = Math.floor((this.clock.now() - this.listedAt) / this.listEvery);
		if (due < 1) return;
		this.listedAt += due * this.listEvery;
		this.bring(due);
	}

	/** Calls back when there is a new list, or something is planted in one. Returns what stops it. */
	onRefresh(listener: () => void): () => void {
		this.refreshListeners.add(listener);
		return () => this.refreshListeners.delete(listener);
	}

	/** A new filing, listed from now on; what `partial` leaves out is drawn. */
	file(partial: LicensePatch = {}): License {
		this.catchUp();
		const record = this.licenses.plant(partial, { turn: this.turn, day: this.shownDay });
		this.remember({ file: partial });
		return this.shown(record);
	}

	/** Adds this many new filings of a kind. */
	fileMany(count: number, partial: LicensePatch = {}): License[] {
		return Array.from({ length: count }, () => this.file(partial));
	}

	/** Changes what a license says, from now on. With an event type, it is an event of the list's day. */
	change(id: string, partial: LicensePatch): License {
		const record = this.known(id);
		this.licenses.change(record, partial, { turn: this.turn, day: this.shownDay });
		this.remember({ change: id, patch: partial });
		return this.shown(record);
	}

	/** Leaves the license with this id out of the list from now on. */
	leaveOut(id: string): void {
		this.away.add(this.known(id).serial);
		this.remember({ leaveOut: id });
	}

	private remember(planting: Planting): void {
		this.history.push(planting);
		this.hasChanged();
		this.tell();
	}

	private tell(): void {
		for (const listener of this.refreshListeners) listener();
	}

	protected get view(): View {
		return { seed: this.seed, day: this.shownDay, rates: this.rates };
	}

	protected listed(): RegisterRecord[] {
		return this.licenses.records.filter(({ serial }) => !this.away.has(serial));
	}

	private bring(lists: number): void {
		for (let left = lists; left > 0; left--)
			this.pass(this.isToday ? this.shownDay : this.shownDay + 1);
		this.tell();
	}

	private pass(day: number): void {
		this.turn++;
		this.shownDay = day;
		const latest = this.history.at(-1);
		if (Array.isArray(latest) && latest[0] === dateOf(day)) latest[1]++;
		else this.history.push([dateOf(day), 1]);
		this.licenses.pass({ turn: this.turn, day });
		this.hasChanged();
	}

	/** The lists of a run before, with what was planted in them, and then one for each day since. */
	private repeat(history: History | undefined): void {
		if (!history) return;
		for (const entry of history) {
			if (Array.isArray(entry))
				for (let left = entry[1]; left > 0; left--) this.pass(dayOf(entry[0]));
			else if ('file' in entry) this.file(entry.file);
			else if ('change' in entry) this.change(entry.change, entry.patch);
			else this.leaveOut(entry.leaveOut);
		}
		while (!this.isToday) this.pass(this.shownDay + 1);
	}

	private known(id: string): RegisterRecord {
		const record = this.find(id);
		if (record) return record;
		throw Object.assign(new Error(`The register has no license '${id}'.`), { statusCode: 404 });
	}
}
