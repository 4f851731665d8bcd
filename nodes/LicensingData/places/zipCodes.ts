import type { Point } from './distance';
import { ZIP_TABLE } from './zipTable';

export interface ZipCode {
	/** Its center, or where its post office is. */
	point: Point;
	city: string;
	/** The one with most of its businesses first. */
	counties: string[];
}

let table: ReadonlyMap<string, ZipCode> | undefined;

/** All of Florida's. Read on first use: most workflows never need it. */
export const zipCodes = (): ReadonlyMap<string, ZipCode> => (table ??= readTable());

/** What is known about one of Florida's ZIP codes. */
export const findZipCode = (zip: unknown): ZipCode | undefined =>
	zipCodes().get(fiveDigits(zip) ?? '');

function readTable(): Map<string, ZipCode> {
	const lines = ZIP_TABLE.trim().split('\n');
	return new Map(
		lines.flatMap((line) => {
			const [place = '', entries = ''] = line.split(':');
			const [counties = '', city = ''] = place.split('/');
			return entries.split(',').map((entry): [string, ZipCode] => {
				const [zip = '', north, west] = entry.split(' ');
				return [zip, { point: toPoint(north, west), city, counties: counties.split('+') }];
			});
		}),
	);
}

/** The tables have thousandths of degrees. */
export const toPoint = (north: unknown, west: unknown): Point => ({
	lat: Number(north) / 1000,
	lng: -Number(west) / 1000,
});

/** The five digits of a ZIP code, whether ZIP+4, with spaces, or a number. */
export function fiveDigits(zip: unknown): string | undefined {
	if (typeof zip !== 'string' && typeof zip !== 'number') return undefined;
	return /^\s*(\d{5})(?!\d)|^\s*(\d{5})\d{4}\s*$/.exec(String(zip))?.slice(1).find(Boolean);
}

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
export function countiesOfZipCodes(range: ZipRange): string[] {
	const all = new Set<string>();
	for (const [zip, { counties }] of zipCodes())
		if (isWithin(zip, range)) for (const county of counties) all.add(county);
	return [...all];
}
