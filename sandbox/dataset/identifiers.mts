import { hash } from './random.mts';

/**
 * Ids look opaque, yet follow from the record's serial number. Multiplication by an odd number is a
 * permutation of the 32-bit numbers, so no two are alike.
 */
const SCRAMBLE = 0x9e3779b1;
const FIRST_NUMBER = 4001;
const CHECK_SALT = 71;

export function idOf(seed: number, serial: number): string {
	const scrambled = Math.imul(serial ^ seed, SCRAMBLE) >>> 0;
	const check = hash(seed, serial, CHECK_SALT) % 36 ** 4;
	return `lic_${scrambled.toString(36).padStart(7, '0')}${check.toString(36).padStart(4, '0')}`;
}

export const numberOf = (serial: number, licenseType: string | null, year: number): string =>
	`${licenseType ?? 'LIC'}-${year}-${String(serial + FIRST_NUMBER).padStart(6, '0')}`;
