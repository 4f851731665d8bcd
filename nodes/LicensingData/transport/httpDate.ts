/**
 * A moment in a header, in milliseconds since 1970; NaN for anything else. Without a time of day it is none,
 * though JavaScript finds a year in almost any text.
 */
export const httpDate = (text: string): number =>
	/\d:\d\d/.test(text) ? Date.parse(inUtc(text)) : Number.NaN;

/** JavaScript reads a date and time without a zone in the zone of this machine. */
const inUtc = (text: string): string =>
	/^\d{4}-\d\d-\d\d[T ][\d:.]+$/.test(text) ? `${text.replace(' ', 'T')}Z` : text;
