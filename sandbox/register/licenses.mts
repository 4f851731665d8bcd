import { effectiveAfter, listedAfter, NEW_FOR_DAYS, type Rates } from './behavior.mts';
import { dayOf, fiscalYearStart, nextWeeklyFile } from './calendar.mts';
import { Drawing, OLD } from './drawing.mts';
import type { LicensePatch } from './patch.mts';
import { drawFrom, pick, weighted, type Draw } from './random.mts';
import type { RegisterRecord, Source } from './record.mts';

/**
 * A list in the course of time: `turn` counts days as they would pass if each list had a day of its own, `day` is
 * the date that it bears. Where lists come faster than days, the turn runs ahead.
 */
interface List {
	turn: number;
	day: number;
}
/** Called when a license or its new holder has become visible, or something has happened to it. */
type Announce = (record: RegisterRecord, isNew: boolean) => void;

const rareEvents = { ownership_transfer: 4, status_change: 2, cancellation: 1, address_change: 1 };
const oldEvents = { renewal: 92, ...rareEvents };
const pickOldEvent = weighted(Object.entries(oldEvents));

type Happening = [rate: keyof Rates, event: string, apply: (record: RegisterRecord) => void];
const changeStatus = (record: RegisterRecord): void => {
	record.status = record.status === 'suspended' ? 'active' : 'suspended';
};
const HAPPENINGS: Happening[] = [
	['transfersADay', 'ownership_transfer', (record) => record.transfers++],
	['statusChangesADay', 'status_change', changeStatus],
	['cancellationsADay', 'cancellation', (record) => (record.status = 'cancelled')],
	['addressChangesADay', 'address_change', (record) => record.moves++],
];

/** The licenses of a state, and what happens to them list by list. All of it follows from the seed and the lists. */
export class Licenses {
	newFilings: RegisterRecord[] = [];
	/** All that have been listed, in the order in which they were. */
	readonly records: RegisterRecord[] = [];
	private readonly agenda = new Map<number, Array<(list: List) => void>>();
	private readonly drawing: Drawing;
	private arrivals = 0;

	constructor(
		private readonly seed: number,
		private readonly rates: Rates,
		private readonly announce: Announce,
	) {
		this.drawing = new Drawing(seed, rates, this.records);
	}

	/** What is there when the register begins. */
	fill(records: number, begin: number): void {
		const { rates } = this;
		for (let left = Math.round(rates.groceries); left > 0; left--)
			this.newFilings.push(this.listed(this.drawing.draw('groceries', undefined)));
		// Long enough for everything that is new at the start to have been filed since.
		const firstLiquor = begin - NEW_FOR_DAYS - 75;
		const firstFood = fiscalYearStart(begin) - 21;
		const filedSince =
			rates.liquorADay * (begin - firstLiquor) + rates.foodADay * (begin - firstFood);
		const old = Math.round(records - rates.groceries - 1.1 * filedSince) - 20;
		const oldLiquor = Math.round(old * rates.liquor);
		for (let index = 0; index < old; index++) this.drawOld(index < oldLiquor ? 'liquor' : 'food');
		for (let day = Math.min(firstLiquor, firstFood); day <= begin; day++) {
			if (day >= firstLiquor) this.fileLiquor(day);
			if (day >= firstFood) this.fileFood(day);
			this.apply({ turn: day, day });
		}
		// How many have been listed by now is chance.
		while (this.records.length < records) this.drawOld('food');
	}

	/** What comes with the next list. */
	pass(list: List): void {
		this.fileLiquor(list.turn);
		this.fileFood(list.turn);
		for (const happening of HAPPENINGS) this.happen(happening, list);
		if (list.turn % 17 === 0) this.correct(list.turn);
		this.apply(list);
	}

	private apply(list: List): void {
		for (const change of this.agenda.get(list.turn) ?? []) change(list);
		this.agenda.delete(list.turn);
		// Filings that count as new no longer, with the dates they had.
		const isNew = newIn(list);
		for (const record of this.newFilings) if (!isNew(record)) record.eventType = 'renewal';
		this.newFilings = this.newFilings.filter(({ eventType }) => eventType === 'new_filing');
	}

	/** Returns as many as the rate says, on average. */
	private countOn(turn: number, rate: keyof Rates): number {
		const draw = drawFrom(this.seed, turn);
		return Math.floor(Number(this.rates[rate]) * (0.5 + draw(`${rate}, how many`)) + draw(rate));
	}

	private plan(turn: number, change: (list: List) => void): void {
		this.agenda.set(turn, [...(this.agenda.get(turn) ?? []), change]);
	}

	private fileLiquor(filed: number): void {
		for (let left = this.countOn(filed, 'liquorADay'); left > 0; left--) {
			const record = this.drawing.draw('liquor', filed);
			const draw = drawFrom(this.seed, record.serial);
			const effective = filed + effectiveAfter(draw('effective'));
			const listed = effective + listedAfter(draw('listed'));
			this.plan(listed, (list) => this.show(record, effective, list));
		}
	}

	private fileFood(filed: number): void {
		for (let left = this.countOn(filed, 'foodADay'); left > 0; left--) {
			const record = this.drawing.draw('food', filed);
			this.plan(nextWeeklyFile(filed), (list) => this.show(record, filed, list));
		}
	}

	/** What is filed becomes visible: a license of its own, or an old one with a new holder. */
	private show(filing: RegisterRecord, effective: number, list: List): void {
		const draw = drawFrom(this.seed, filing.serial);
		const ahead = list.turn - list.day;
		const isOld = draw('new holder') < (this.rates.newHolders[filing.licenseType] ?? 0);
		const old = isOld ? this.drawing.choose(draw, (one) => changesHands(one, filing)) : undefined;
		// It keeps the id and the number that it had.
		if (old) old.transfers++;
		const record = old ?? this.listed(filing);
		Object.assign(record, {
			...{ eventType: 'new_filing', arrival: ++this.arrivals, filedTurn: filing.filedTurn },
			...{ filed: filing.filed! - ahead, effective: effective - ahead },
		});
		if (!old && record.source === 'liquor' && draw('amended') < this.rates.amended)
			this.amend(record, list.turn, draw);
		this.newFilings.push(record);
		// After sixty days without being listed, it is a renewal at once.
		if (!newIn(list)(record)) record.eventType = 'renewal';
		this.announce(record, true);
	}

	/** An amended certificate, or a temporary one that becomes permanent: the event's date moves alone. */
	private amend(record: RegisterRecord, listed: number, draw: Draw): void {
		const permanent = record.licenseType;
		if (draw('temporary') < 0.5) record.licenseType = 'TEMP_PERMIT';
		const times = draw('amended twice') < 0.25 ? 2 : 1;
		let after = listed;
		for (let time = 0; time < times; time++) {
			const amended = after + Math.floor(draw(`amended on ${time}`) * 15);
			after = amended + listedAfter(draw(`amendment listed ${time}`));
			this.plan(after, ({ turn, day }) => {
				record.effective = amended - (turn - day);
				record.licenseType = permanent;
				this.announce(record, false);
			});
		}
	}

	/** What happens to licenses that are there. */
	private happen([rate, eventType, apply]: Happening, { turn, day }: List): void {
		for (let left = this.countOn(turn, rate); left > 0; left--) {
			const draw = drawFrom(this.seed + left, turn);
			const record = pick(this.records, draw(eventType));
			if (record.eventType === 'new_filing') continue;
			const effective = day - 1 - Math.floor(5 * draw('days ago'));
			Object.assign(record, { eventType, effective, arrival: ++this.arrivals });
			apply(record);
			this.announce(record, false);
		}
	}

	/** The provider's own corrections are no event: only the type is another one. */
	private correct(turn: number): void {
		for (let left = this.countOn(turn, 'corrections'); left > 0; left--) {
			const draw = drawFrom(this.seed + left, turn);
			const record = this.drawing.choose(draw, ({ licenseType }) => licenseType === 'COP');
			if (record) record.licenseType = 'SRX';
		}
	}

	/** A new filing that a test plants, listed at once. */
	plant(planted: LicensePatch, list: List): RegisterRecord {
		const isFood = /^(SEATING|FOOD_SERVICE|MOBILE_FOOD)$/.test(String(planted.licenseType));
		const record = this.listed(this.drawing.draw(isFood ? 'food' : 'liquor', list.day));
		this.alter(record, { eventType: 'new_filing', ...planted }, list);
		record.filedTurn = record.filed! + list.turn - list.day;
		this.announce(record, true);
		return record;
	}

	/** What a test changes. */
	change(record: RegisterRecord, planted: LicensePatch, list: List): void {
		this.alter(record, planted, list);
		this.announce(record, false);
	}

	/** What the order of the list follows from is the record's own, whatever else a test plants. */
	private alter(
		record: RegisterRecord,
		{ eventType, filedDate, ...planted }: LicensePatch,
		{ turn, day }: List,
	): void {
		record.planted = { ...record.planted, ...planted };
		const filed = typeof filedDate === 'string' ? dayOf(filedDate) : NaN;
		if (Number.isFinite(filed)) Object.assign(record, { filed, filedTurn: filed + turn - day });
		else if (filedDate !== undefined) record.planted.filedDate = filedDate;
		if (eventType === undefined) return;
		// An event is of the day on which a test makes it, unless the test gives it a time.
		if (!('eventTimestamp' in planted)) delete record.planted.eventTimestamp;
		Object.assign(record, { effective: day, arrival: ++this.arrivals });
		if (typeof eventType === 'string') record.eventType = eventType;
		else record.planted.eventType = eventType;
		this.newFilings = this.newFilings.filter((other) => other !== record);
		if (record.eventType === 'new_filing') this.newFilings.push(record);
	}

	/** One of the tens of thousands that were there before. */
	private drawOld(source: Source): void {
		const record = this.listed(this.drawing.draw(source, OLD));
		record.effective = OLD;
		record.eventType = pickOldEvent(drawFrom(this.seed, record.serial)('event'));
		if (record.eventType === 'cancellation') record.status = 'cancelled';
		if (record.eventType === 'status_change') record.status = 'suspended';
	}

	private listed(record: RegisterRecord): RegisterRecord {
		this.drawing.number(record);
		this.records.push(record);
		return record;
	}
}

/** Tells whether a filing may be that of a license's new holder. */
const changesHands = (one: RegisterRecord, filing: RegisterRecord): boolean =>
	one.licenseType === filing.licenseType &&
	one.filed === OLD &&
	one.eventType === 'renewal' &&
	one.status === undefined &&
	!one.isEscrow;

/** Tells whether a filing still counts as new in a list. */
function newIn({ turn, day }: List): (record: RegisterRecord) => boolean {
	const fiscalYear = fiscalYearStart(day);
	return ({ source, filed, filedTurn }) => {
		if (filed === undefined || filedTurn === undefined) return true;
		return source === 'food' ? filed >= fiscalYear : turn - filedTurn <= NEW_FOR_DAYS;
	};
}
