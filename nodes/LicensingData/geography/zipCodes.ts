import type { Point } from './distance';
import { ZIP_TABLE } from './zipTable';

interface ZipCode {
	/** Its center, or where its post office is. */
	point: Point;
	city: string;
	/** The one with most of its businesses first. */
	counties: string[];
}

let table: ReadonlyMap<string, ZipCode> | undefined;

/** What is known about one of Florida's ZIP codes. */
export const findZipCode = (zip: string): ZipCode | undefined => zipCodes().get(zip);

/** All of Florida's. Read on first use: most workflows never need it. */
export const zipCodes = (): ReadonlyMap<string, ZipCode> => (table ??= readTable());

function readTable(): Map<string, ZipCode> {
	const lines = ZIP_TABLE.trim().split('\n');
	return new Map(
		lines.flatMap((line) => {
			const [place = '', entries = ''] = line.split(':');
			const [counties = '', city = ''] = place.split('/');
			return entries.split(',').map((entry): [string, ZipCode] => {
				const [zip = '', north, west] = entry.split(' ');
				const point = { lat: Number(north) / 1000, lng: -Number(west) / 1000 };
				return [zip, { point, city, counties: counties.split('+') }];
			});
		}),
	);
}

/** The five digits of a ZIP code, whether ZIP+4, with spaces, or a number. */
export function fiveDigits(zip: unknown): string | undefined {
	if (typeof zip !== 'string' && typeof zip !== 'number') return undefined;
	return /^\s*(\d{5})(?!\d)|^\s*(\d{5})\d{4}\s*$/.exec(String(zip))?.slice(1).find(Boolean);
}
