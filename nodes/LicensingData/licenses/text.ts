/** A text or a number, as text. Empty for spaces alone, and for whatever else a service may send. */
export function textOf(value: unknown): string {
	if (typeof value === 'number') return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : '';
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

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
export const beginning = (text: string, max: number): string =>
	Buffer.from(text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')).toString();

/** At most so long, and up to the end of a word: half a key would not be recognized. */
export const shortened = (text: string, max: number): string =>
	text.length > max ? `${beginning(text, Math.max(0, text.lastIndexOf(' ', max - 1)))}…` : text;

/** 20000 becomes 20,000. */
export const formatCount = (count: number): string => count.toLocaleString('en-US');

/** A number, which users and some services write as text; NaN for anything else. */
export const numberOf = (value: unknown): number =>
	typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
		? Number(value)
		: Number.NaN;

/** In characters. What is longer is no name and no street. */
export const MAX_COMPARED = 1_000;

/** Some single characters stand for a whole phrase. Comparing takes time with the square of the length. */
const MAX_FOLDED = 200;

/** Lowercase ASCII words with single spaces. "Joe's" is one word, "Ft.Myers" are two. */
export const plain = (text: string): string =>
	text
		.slice(0, MAX_COMPARED)
		.normalize('NFKD')
		.toLowerCase()
		.replace(/\p{M}|['’`]/gu, '')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()
		.slice(0, MAX_FOLDED);
