import type { Rates } from './behavior.mts';
import { dayOf } from './calendar.mts';
import { pickPlace, type Place } from './florida.mts';
import { drawFrom, pick, weighted, type Draw } from './random.mts';
import type { RegisterRecord, Source } from './record.mts';

/** Tens of thousands of records have this one date. */
export const OLD = dayOf('2020-01-01');

/** Within so many of the highest, numbers are given out of order, and nobody can tell old ones from new ones. */
const OUT_OF_ORDER = 60;

const liquor = {
	...{ COP: 50, BEV: 18, APS: 15, SRX: 14 },
	...{ TEMP_PERMIT: 1, MANUFACTURER: 1.2, BOTTLE_CLUB: 0.8 },
};
/** The shares in the state's file: one type is almost three quarters. */
const food = { SEATING: 70, MOBILE_FOOD: 16, FOOD_SERVICE: 14 };
const pickType: Record<Source, (chance: number) => string> = {
	liquor: weighted(Object.entries(liquor)),
	food: weighted(Object.entries(food)),
	groceries: () => 'FOOD_SERVICE',
};

/** Licenses as they are drawn, and the numbers that they get. */
export class Drawing {
	private serials = 0;
	/** By county and file. */
	private readonly given = new Map<string, { highest: number; lowest: number }>();

	constructor(
		private readonly seed: number,
		private readonly rates: Rates,
		private readonly records: readonly RegisterRecord[],
	) {}

	/** A license that is filed on a day, or is there without a date; its number comes when it is listed. */
	draw(source: Source, filed: number | undefined): RegisterRecord {
		const serial = this.serials++;
		const draw = drawFrom(this.seed, serial);
		const licenseType = pickType[source](draw('type'));
		return {
			// Not with a spread: in Node.js 20, each record would have a shape of its own, five times as large.
			serial,
			...{ source, licenseType, namedAs: licenseType, licenseNumber: '' },
			...{ place: pickPlace(draw('place')), premises: serial },
			isEscrow: source === 'liquor' && draw('escrow') < this.rates.escrow,
			...{ filed, filedTurn: filed, effective: undefined, arrival: 0 },
			...{ eventType: 'new_filing', status: undefined, transfers: 0, moves: 0 },
		};
	}

	number(record: RegisterRecord): void {
		const { source, licenseType, place, filed, serial } = record;
		const draw = drawFrom(this.seed, serial);
		const isTwice = source !== 'groceries' && draw('twice') < this.rates.numberTwice;
		const other = isTwice ? this.choose(draw, (one) => one.source === source) : undefined;
		const letters = licenseType === 'MOBILE_FOOD' ? 'MFD' : 'SEA';
		if (source === 'groceries') record.licenseNumber = String(10_001 + serial);
		else if (!other)
			record.licenseNumber = this.next(source === 'liquor' ? 'BEV' : letters, place, filed === OLD);
		else {
			// A transfer in progress: an old holder and a new one, at the same place.
			const { licenseNumber, premises, isEscrow } = other;
			Object.assign(record, { licenseNumber, place: other.place, premises, isEscrow });
		}
	}

	/** One of those that are listed. */
	choose(draw: Draw, isRight: (record: RegisterRecord) => boolean): RegisterRecord | undefined {
		for (let tries = 0; tries < 60; tries++) {
			const record = pick(this.records, draw(`try ${tries}`));
			if (record && isRight(record)) return record;
		}
		return undefined;
	}

	/**
	 * As the state gives numbers out: letters, the county's code, and a number that rises by one with each new
	 * license of the county. Those that were there before lie well below.
	 */
	private next(letters: string, { code, highest }: Place, isOld: boolean): string {
		const given = this.given.get(letters + code) ?? { highest, lowest: highest - OUT_OF_ORDER };
		this.given.set(letters + code, given);
		const isBelow = isOld && given.lowest > 2;
		if (isBelow) given.lowest -= 2;
		else given.highest++;
		const number = isBelow ? given.lowest : given.highest;
		return `${letters}${code}${String(number).padStart(5, '0')}`;
	}
}
