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

/** A sequence of numbers in [0, 1) that depends on the seed alone. */
export function randomSequence(seed: number): () => number {
	let step = 0;
	return () => hash(seed, step++, 0x5eed) / 2 ** 32;
}

const salts = new Map<string, number>();
function saltOf(what: string): number {
	const known = salts.get(what);
	if (known !== undefined) return known;
	const salt = [...what].reduce((mixed, letter) => hash(mixed, letter.charCodeAt(0), 0), 0);
	salts.set(what, salt);
	return salt;
}

/** Numbers in [0, 1), one for each thing that is drawn: naming it keeps them independent. */
export type Draw = (what: string) => number;
export const drawFrom =
	(seed: number, index: number): Draw =>
	(what) =>
		hash(seed, index, saltOf(what)) / 2 ** 32;

export const pick = <Item,>(items: readonly Item[], chance: number): Item =>
	items[Math.floor(chance * items.length)]!;

/** Picks with the weights' odds, from a number in [0, 1). */
export function weighted<Item>(
	items: ReadonlyArray<readonly [Item, weight: number]>,
): (chance: number) => Item {
	const total = items.reduce((sum, [, weight]) => sum + weight, 0);
	let sum = 0;
	const ceilings = items.map(([, weight]) => (sum += weight / total));
	const placeOf = (chance: number) => ceilings.findIndex((ceiling) => chance < ceiling);
	return (chance) => (items[placeOf(chance)] ?? items[0]!)[0];
}

/**
 * Ids look opaque, yet follow from the record's serial number. Multiplication by an odd number is a
 * permutation of the 32-bit numbers, so no two are alike.
 */
export function idOf(seed: number, serial: number): string {
	const scrambled = Math.imul(serial ^ seed, 0x9e3779b1) >>> 0;
	const check = hash(seed, serial, 71) % 36 ** 4;
	return `lic_${scrambled.toString(36).padStart(7, '0')}${check.toString(36).padStart(4, '0')}`;
}
