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
	['days', 86_400_000],
	['hours', 3_600_000],
	['minutes', 60_000],
];

/** A wait, of two seconds or more, in the largest unit of which there are at least two: 90 seconds, 2 hours. */
export function formatWait(milliseconds: number): string {
	const [unit, size] = UNITS.find(([, length]) => milliseconds >= 2 * length) ?? ['seconds', 1000];
	return `${Math.max(2, Math.ceil(milliseconds / size))} ${unit}`;
}
