/** A number so far above the one below it is a typing error: no county gives out as many in a year. */
const WIDEST_GAP = 5000;

/** Florida's numbers, such as BEV2300123: a series, a county, and a number that goes up with each new license. */
const NUMBER = /^([A-Z]{3}\d\d)(\d{5})$/;

/**
 * Tells a number that the state has given out only now from an old one, since a license that changes hands or
 * reopens keeps its number: how far it lies above all others of its series and county. One of another shape tells
 * nothing.
 */
export function aboveAll(numbers: Iterable<string>): (number: string) => number {
	const highest = new Map<string, number[]>();
	for (const one of numbers) {
		const [, place, digits] = NUMBER.exec(one) ?? [];
		if (place === undefined) continue;
		const [first = 0, second = 0] = highest.get(place) ?? [];
		const number = Number(digits);
		if (number > second) highest.set(place, [Math.max(number, first), Math.min(number, first)]);
	}
	return (number) => {
		const [, place, digits] = NUMBER.exec(number) ?? [];
		if (place === undefined) return Number.NEGATIVE_INFINITY;
		const [first = 0, second = 0] = highest.get(place) ?? [];
		return Number(digits) - (second > 0 && first - second > WIDEST_GAP ? second : first);
	};
}
