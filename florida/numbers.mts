/** Numbers are given out a little out of order: so far below the highest, one may still be new. */
const OUT_OF_ORDER = 100;
/** A number so far above the one below it is a typing error: no county gives out as many in a year. */
const WIDEST_GAP = 5000;

/** Florida's numbers, such as BEV2300123: a series, a county, and a number that goes up with each new license. */
const NUMBER = /^([A-Z]{3}\d\d)(\d{5})$/;

/**
 * Tells a number that the state has given out only now from an old one. A license that changes hands or reopens
 * keeps its number.
 */
export class GivenNumbers {
	private readonly highest = new Map<string, number>();

	constructor(numbers: Iterable<string>) {
		const two = new Map<string, [number, number]>();
		for (const one of numbers) {
			const [, place, number] = partsOf(one);
			if (place === undefined) continue;
			const [first, second] = two.get(place) ?? [0, 0];
			if (number > first) two.set(place, [number, first]);
			else if (number > second && number !== first) two.set(place, [first, number]);
		}
		for (const [place, [first, second]] of two)
			this.highest.set(place, second > 0 && first - second > WIDEST_GAP ? second : first);
	}

	/** A number of another shape tells nothing. */
	isNew(number: string): boolean {
		return this.above(number) > -OUT_OF_ORDER;
	}

	/** Above all that have been given out. */
	isSurelyNew(number: string): boolean {
		return this.above(number) > 0;
	}

	private above(given: string): number {
		const [, place, number] = partsOf(given);
		return place === undefined ? Number.NEGATIVE_INFINITY : number - (this.highest.get(place) ?? 0);
	}
}

function partsOf(given: string): [string, string | undefined, number] {
	const [whole = '', place, digits] = NUMBER.exec(given) ?? [];
	return [whole, place, Number(digits)];
}
