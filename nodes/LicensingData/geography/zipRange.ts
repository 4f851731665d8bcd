import { zipCodes } from './zipCodes';

/** Five digits each, both included. */
export interface ZipRange {
	from: string;
	to: string;
}

/** Florida's ZIP codes begin with 32, 33 or 34. */
const isFlorida = (zip: string): boolean => /^3[234]/.test(zip);

/**
 * One entry of a list of ZIP codes: a code (33101, or 33101-1234, which counts as its first five), a range
 * (33101-33199) or a prefix (331*). Undefined for anything else, and for what lies outside Florida.
 */
export function zipRange(entry: string): ZipRange | undefined {
	const [, from = '', to = from] = /^(\d{5})(?:-?\d{4}|[-–](\d{5}))?$/.exec(entry) ?? [];
	const [, prefix] = /^(\d{2,4})\*$/.exec(entry) ?? [];
	const range = prefix ? { from: prefix.padEnd(5, '0'), to: prefix.padEnd(5, '9') } : { from, to };
	return isFlorida(range.from) && isFlorida(range.to) && range.from <= range.to ? range : undefined;
}

export const isWithin = (zip: string, { from, to }: ZipRange): boolean => zip >= from && zip <= to;

/** In which these ZIP codes may lie. Empty if nothing is known. */
export const countiesOfZipCodes = (range: ZipRange): string[] => [
	...new Set(
		[...zipCodes()].flatMap(([zip, { counties }]) => (isWithin(zip, range) ? counties : [])),
	),
];
