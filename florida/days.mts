/** Days are texts such as 2026-01-31: they sort as they follow each other. */
const DAY = 86_400_000;

/** The day on which something happened, as this machine's calendar says. */
export function dayOf(time: number): string {
	const offset = new Date(time).getTimezoneOffset() * 60_000;
	return new Date(time - offset).toISOString().slice(0, 10);
}

export const isDay = (text: string): boolean =>
	!Number.isNaN(Date.parse(text)) && new Date(text).toISOString().slice(0, 10) === text;

export const daysAfter = (day: string, days: number): string =>
	new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);

export const daysBetween = (from: string, to: string): number =>
	(Date.parse(to) - Date.parse(from)) / DAY;

/** The state writes 01/31/2026; null where it wrote no date. */
export function dayFrom(text: string): string | null {
	const [, month = '', day = '', year = ''] = /^(\d\d?)\/(\d\d?)\/(\d{4})\b/.exec(text) ?? [];
	const read = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
	return isDay(read) ? read : null;
}

/** The state's year begins on 1 July, and two of its files with it. */
export const yearStart = (day: string): string =>
	`${Number(day.slice(0, 4)) - (day.slice(5) < '07-01' ? 1 : 0)}-07-01`;
