/**
 * How alike two texts are, from 0 to 1: one minus the share of letters that have to be inserted, left out,
 * replaced or swapped with their neighbor (the optimal string alignment distance). Where the lengths alone keep
 * it below the least that matters, it is 0, and no letter is compared.
 */
export function similarity(one: string, other: string, min: number): number {
	const [short = 0, long = 0] = [one.length, other.length].sort((a, b) => a - b);
	if (long === 0) return 1;
	return short < min * long ? 0 : 1 - distance(one, other) / long;
}

function distance(one: string, other: string): number {
	let beforeLast: number[] = [];
	let last = Array.from({ length: other.length + 1 }, (_, index) => index);
	for (let row = 1; row <= one.length; row++) {
		const current = [row];
		for (let column = 1; column <= other.length; column++) {
			const isSame = one[row - 1] === other[column - 1];
			const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
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

/** How alike a name and what was typed must be for the one to be suggested for the other. */
const ALIKE = 0.72;

/** For words that begin one of a name's words or end the name, such as "Lauderdale". Fewer letters say too little. */
const MIN_LETTERS = 4;

/** Of "Beach" alone, there are a hundred. */
const MAX_SUGGESTIONS = 4;

/** The names that somebody may have meant, the most alike first. They are compared by their keys. */
export function similarNames(
	wanted: string,
	names: Array<{ key: string; name: string }>,
): string[] {
	const alike = names
		.map(({ key, name }) => ({ name, score: likeness(wanted, key) }))
		.filter(({ score }) => score >= ALIKE)
		.sort((a, b) => b.score - a.score);
	// Next to a name that differs in one letter, one that differs in three only confuses.
	const enough = (alike[0]?.score ?? 1) - 0.1;
	const best = alike.filter(({ score }) => score >= enough).map(({ name }) => name);
	return best.length > MAX_SUGGESTIONS ? [] : best;
}

function likeness(wanted: string, key: string): number {
	const isPart = wanted
		.split(' ')
		.every((word) => ` ${key}`.includes(` ${word}`) || key.endsWith(word));
	const min = isPart && wanted.length >= MIN_LETTERS ? 0.75 : 0;
	return Math.max(min, similarity(wanted, key, ALIKE));
}

export const didYouMean = (names: string[]): string =>
	names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
