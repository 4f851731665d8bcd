/**
 * One 32-bit number from a seed and two more: the same everywhere, in any order, so that a record can be
 * generated when somebody asks for it instead of being stored.
 */
export function hash(seed: number, index: number, salt: number): number {
	let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
	mixed ^= Math.imul(salt + 1, 0x27d4eb2f);
	mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
	mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
	return (mixed ^ (mixed >>> 16)) >>> 0;
}

export const fraction = (seed: number, index: number, salt: number): number =>
	hash(seed, index, salt) / 2 ** 32;

/** A sequence of numbers in [0, 1) that depends on the seed alone. */
export function randomSequence(seed: number): () => number {
	let step = 0;
	return () => fraction(seed, step++, 0x5eed);
}

/** Picks an index with the weights' odds, from a number in [0, 1). */
export function weightedPicker(weights: readonly number[]): (chance: number) => number {
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	const ceilings: number[] = [];
	let ceiling = 0;
	for (const weight of weights) {
		ceiling += weight / total;
		ceilings.push(ceiling);
	}
	return (chance) => {
		let low = 0;
		let high = ceilings.length - 1;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (chance < (ceilings[middle] ?? 1)) high = middle;
			else low = middle + 1;
		}
		return low;
	};
}
