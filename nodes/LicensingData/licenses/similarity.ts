/**
 * How alike two texts are, from 0 to 1: one minus the share of letters that have to be inserted, left out,
 * replaced or swapped with their neighbor (the optimal string alignment distance). Where the lengths alone keep
 * it below the least that matters, it is 0, and no letter is compared.
 */
export function similarity(one: string, other: string, least: number): number {
	const [short = 0, long = 0] = [one.length, other.length].sort((a, b) => a - b);
	if (long === 0) return 1;
	return short < least * long ? 0 : 1 - distance(one, other) / long;
}

function distance(one: string, other: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (let row = 1; row <= one.length; row++) {
		const current = [row];
		for (let column = 1; column <= other.length; column++) {
			const isSame = one[row - 1] === other[column - 1];
			const isSwapped =
				row > 1 &&
				column > 1 &&
				one[row - 1] === other[column - 2] &&
				one[row - 2] === other[column - 1];
			current[column] = Math.min(
				(last[column] ?? 0) + 1,
				(current[column - 1] ?? 0) + 1,
				(last[column - 1] ?? 0) + (isSame ? 0 : 1),
				isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
			);
		}
		[beforeLast, last] = [last, current];
	}
	return last[other.length] ?? 0;
}
