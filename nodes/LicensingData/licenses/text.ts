/** In milliseconds. */
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A text or a number, as text. Empty for spaces alone, and for whatever else a service may send. */
export function textOf(value: unknown): string {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : '';
}

/** Joins what is there; a service may leave out any part. */
export const joined = (separator: string, ...parts: unknown[]): string =>
	parts.map(textOf).filter(Boolean).join(separator);

/** "Café", where somebody read it in the wrong code, once or twice, and it became "CafÃ©". */
export function repaired(text: string): string {
	if (!/[\u00C2-\u00F4][\u0080-\u00BF]/.test(text) || /[^\0-\u00FF]/.test(text)) return text;
	const read = Buffer.from(text, 'latin1').toString('utf8');
	return read.includes('\uFFFD') ? text : repaired(read);
}

/**
 * The first so many characters, without half an emoji at their end. A copy, because a part of a text keeps the
 * whole of it in memory.
 */
export const beginning = (text: string, most: number): string =>
	Buffer.from(text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')).toString();

/** At most so long, and up to the end of a word: half a key would not be recognized. */
export const shortened = (text: string, most: number): string =>
	text.length > most ? `${beginning(text, Math.max(0, text.lastIndexOf(' ', most - 1)))}…` : text;

/** 20000 becomes 20,000. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

const UNITS: Array<[unit: string, milliseconds: number]> = [
	['days', DAY],
	['hours', HOUR],
	['minutes', 60_000],
];

/** A wait, of two seconds or more, in the largest unit of which there are at least two: 90 seconds, 2 hours. */
export function formatWait(milliseconds: number): string {
	const [unit, size] = UNITS.find(([, length]) => milliseconds >= 2 * length) ?? ['seconds', 1000];
	return `${Math.max(2, Math.ceil(milliseconds / size))} ${unit}`;
}

/** A number, which users and some services write as text; NaN for anything else. */
export const numberOf = (value: unknown): number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
		? Number(value)
		: Number.NaN;

const ISO_DATE =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * When a record says that something happened, in milliseconds since 1970; undefined if it does not say so as the
 * interface asks for, in ISO 8601. A time without a zone is read as UTC, whatever the zone of this machine.
 */
export function momentOf(value: unknown): number | undefined {
	const [, day, time = '00:00', zone = 'Z'] = ISO_DATE.exec(textOf(value).trim()) ?? [];
	// JavaScript reads no zone of hours alone.
	const offset = zone.toUpperCase().replace(/^.\d\d$/, '$&:00');
	const moment = Date.parse(`${day}T${time}${offset}`);
	return moment >= 0 ? moment : undefined;
}

/** The day as it is written, without a conversion between time zones. */
export const dayOf = (value: unknown): string | undefined =>
	/^\d{4}-\d\d-\d\d/.exec(textOf(value))?.[0];

/** In characters. What is longer is no name and no street. */
export const LONGEST_COMPARED = 1_000;

/** Some single characters stand for a whole phrase. Comparing takes time with the square of the length. */
const LONGEST_FOLDED = 200;

/** Lowercase ASCII words with single spaces. "Joe's" is one word, "Ft.Myers" are two. */
export const plain = (text: string): string =>
	text
		.slice(0, LONGEST_COMPARED)
		.normalize('NFKD')
		.toLowerCase()
		.replace(/\p{M}|['’`]/gu, '')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()
		.slice(0, LONGEST_FOLDED);

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
const FEWEST_LETTERS = 4;
/** Of "Beach" alone, there are a hundred. */
const MOST_SUGGESTIONS = 4;

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
	return best.length > MOST_SUGGESTIONS ? [] : best;
}

function likeness(wanted: string, key: string): number {
	const isPart = wanted
		.split(' ')
		.every((word) => ` ${key}`.includes(` ${word}`) || key.endsWith(word));
	const least = isPart && wanted.length >= FEWEST_LETTERS ? 0.75 : 0;
	return Math.max(least, similarity(wanted, key, ALIKE));
}

export const didYouMean = (names: string[]): string =>
	names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
