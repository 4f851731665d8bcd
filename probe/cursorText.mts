import type { Query } from './client.mts';

/** A cursor, and after how many records and pages it came. */
interface Given {
	next: Query | undefined;
	records: number;
	pages: number;
}

/**
 * The numbers by which cursors count records, or pages, where their text shows it. One number in all of them has to
 * follow what came before: a key that holds the same number by chance does not do so three times.
 */
export function countsIn(given: Given[]): number[] | undefined {
	const texts = given.map(({ next }) => numbersIn(next?.cursor));
	const follows = (at: number, of: 'records' | 'pages', offset: number) =>
		given.every((one, index) => texts[index]?.[at] === one[of] + offset);
	const places = texts[0]?.map((_, at) => at) ?? [];
	const place = places.find(
		(at) => follows(at, 'records', 0) || follows(at, 'pages', 0) || follows(at, 'pages', 1),
	);
	return place === undefined ? undefined : texts.map((numbers) => numbers[place] as number);
}

function numbersIn(cursor: unknown): number[] {
	if (typeof cursor !== 'string') return [];
	return ((readable(cursor) ?? cursor).match(/\d+/g) ?? []).map(Number);
}

/** A cursor's text, if it can be read: a number, or what is encoded. */
export function readable(cursor: string): string | undefined {
	if (/^\d+$/.test(cursor)) return cursor;
	const decoded = Buffer.from(cursor, 'base64url').toString('utf8');
	return /^[\x20-\x7e]+$/.test(decoded) ? decoded : undefined;
}
