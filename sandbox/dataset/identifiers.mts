import { hash } from './random.mts';

/**
 * Ids look opaque, yet lead back to their record's number by arithmetic: a million of them need no
 * map. Multiplication by an odd number is a permutation of the 32-bit numbers.
 */
const SCRAMBLE = 0x9e3779b1;
const UNSCRAMBLE = inverseOf(SCRAMBLE);
const FIRST_SERIAL = 4001;
const CHECK_SALT = 71;

function inverseOf(odd: number): number {
	let inverse = odd;
	for (let round = 0; round < 5; round++) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
	return inverse;
}

const checkOf = (seed: number, slot: number): string =>
	(hash(seed, slot, CHECK_SALT) % 36 ** 4).toString(36).padStart(4, '0');

export function idOf(seed: number, slot: number): string {
	const scrambled = Math.imul(slot ^ seed, SCRAMBLE) >>> 0;
	return `lic_${scrambled.toString(36).padStart(7, '0')}${checkOf(seed, slot)}`;
}

export function slotOfId(seed: number, id: string): number | undefined {
	const [, scrambled, check] = /^lic_([0-9a-z]{7})([0-9a-z]{4})$/.exec(id) ?? [];
	if (scrambled === undefined) return undefined;
	const slot = (Math.imul(Number.parseInt(scrambled, 36), UNSCRAMBLE) ^ seed) >>> 0;
	return check === checkOf(seed, slot) ? slot : undefined;
}

export const numberOf = (slot: number, licenseType: string | null, year: number): string =>
	`${licenseType ?? 'LIC'}-${year}-${String(slot + FIRST_SERIAL).padStart(6, '0')}`;

export function slotOfNumber(licenseNumber: string): number | undefined {
	const [, digits] = /-\d{4}-(\d{6,})$/.exec(licenseNumber) ?? [];
	return digits === undefined ? undefined : Number(digits) - FIRST_SERIAL;
}
