import type { LicensePatch } from '../dataset/license.mts';
import { pickPlace } from '../dataset/places.mts';
import { fraction, hash, weightedPicker } from '../dataset/random.mts';
import { dayOf, fiscalYearStart, nextWeeklyFile } from './calendar.mts';
import {
	effectiveAfter,
	HOLES,
	listedAfter,
	NEW_FOR_DAYS,
	SIZES,
	WHOLE,
	type Rates,
} from './rates.mts';
import { statusOf, type RegisterRecord, type Source } from './record.mts';

type Change = (day: number) => void;
type Alteration = (record: RegisterRecord) => void;
/** Called when a license has become visible, or something has happened to it. */
type Announce = (
	record: RegisterRecord,
	news: { day: number; isNew: boolean; previousStatus?: string },
) => void;

/** Tens of thousands of records have this one date. */
const OLD = dayOf('2020-01-01');

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
	again: 317,
};

/** The licenses of a state, and what happens to them day by day. All of it follows from the seed and the day. */
export class Licenses {
	newFilings: RegisterRecord[] = [];
	others: RegisterRecord[] = [];
	/** All that have been listed, in the order in which they were. */
	private readonly records: RegisterRecord[] = [];
	private readonly agenda = new Map<number, Change[]>();
	private serials = 0;

	constructor(
		private readonly seed: number,
		private readonly rates: Rates,
		private readonly announce: Announce,
	) {}

	/** What is there when the register begins. */
	fill(records: number, begin: number): void {
		const { rates } = this;
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

	/** What a day brings. */
	pass(day: number): void {
		this.fileLiquor(day);
		this.fileFood(day);
		this.oldLicenses(day);
		this.apply(day);
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
				this.announce(record, { day, isNew: false });
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
		this.announce(record, { day, isNew: true });
	}

	/** What happens to licenses that are there, and the provider's own corrections. */
	private oldLicenses(day: number): void {
		const { rates, seed } = this;
		const happen = (rate: number, kind: number, event: string, apply: Alteration): void => {
			for (let left = this.countOn(day, rate, 3000 + kind); left > 0; left--) {
				const chosen = fraction(seed + left, day, salts.chosen + kind);
				const record = this.records[Math.floor(chosen * this.records.length)];
				if (!record || record.eventType === 'new_filing') continue;
				const previousStatus = statusOf({ seed, day, rates }, record);
				record.eventType = event;
				record.effective = day - 1 - (hash(seed, day + left, kind) % 5);
				apply(record);
				this.announce(record, { day, isNew: false, previousStatus });
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

	/** A new filing that a test plants, listed at once. */
	plant(planted: LicensePatch, day: number): RegisterRecord {
		const isFood = foodTypes.some((type) => type === planted.licenseType);
		const record = this.drawn(isFood ? 'food' : 'liquor', day);
		record.effective = day;
		this.records.push(record);
		this.newFilings.push(record);
		this.alter(record, planted);
		this.announce(record, { day, isNew: true });
		return record;
	}

	/** What the order of the list follows from is the record's own, whatever else a test plants. */
	alter(record: RegisterRecord, { eventType, filedDate, ...planted }: LicensePatch): void {
		record.planted = { ...record.planted, ...planted };
		const filed = typeof filedDate === 'string' ? dayOf(filedDate) : NaN;
		if (Number.isFinite(filed)) record.filed = filed;
		else if (filedDate !== undefined) record.planted.filedDate = filedDate;
		if (eventType === undefined) return;
		if (typeof eventType === 'string') record.eventType = eventType;
		else record.planted.eventType = eventType;
		const list = record.eventType === 'new_filing' ? this.newFilings : this.others;
		if (list.includes(record)) return;
		this.newFilings = this.newFilings.filter((other) => other !== record);
		this.others = this.others.filter((other) => other !== record);
		(record.eventType === 'new_filing' ? this.newFilings : this.others).push(record);
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
}

const countsAsNew = ({ source, filed }: RegisterRecord, day: number): boolean => {
	if (filed === undefined) return true;
	return source === 'food' ? filed >= fiscalYearStart(day) : day - filed <= NEW_FOR_DAYS;
};

function numberOf(source: Source, licenseType: string, serial: number): string {
	if (source === 'groceries') return String(10_001 + serial);
	const letters = source === 'liquor' ? 'BEV' : licenseType === 'MOBILE_FOOD' ? 'MFD' : 'SEA';
	return `${letters}${String(serial + 1).padStart(7, '0')}`;
}
