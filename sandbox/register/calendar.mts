/** Days are counted from 1970, in UTC: a register knows whole days alone. */
export const DAY = 86_400_000;
/** The hour (UTC) at which a day's list appears. Nothing changes in between. */
export const REFRESH_HOUR = 10;

const refreshOffset = REFRESH_HOUR * 3_600_000;

/** The day whose list is shown at a moment. */
export const listDay = (time: number): number => Math.floor((time - refreshOffset) / DAY);
export const refreshOf = (day: number): number => day * DAY + refreshOffset;

const dates = new Map<number, string>();
/** Remembered, since every record shows five of few dates. */
export function dateOf(day: number): string {
	const known = dates.get(day);
	if (known !== undefined) return known;
	const date = new Date(day * DAY).toISOString().slice(0, 10);
	dates.set(day, date);
	return date;
}
export const stampOf = (day: number): string => `${dateOf(day)}T00:00:00Z`;
export const dayOf = (date: string): number => Math.floor(Date.parse(date) / DAY);

/** Food licenses come in a weekly file. 1970 began on a Thursday: this is the Tuesday after a day. */
export const nextWeeklyFile = (day: number): number => day + 7 - ((((day - 5) % 7) + 7) % 7);

/** A food license counts as new for the state's fiscal year, which begins on 1 July. */
export function fiscalYearStart(day: number): number {
	const date = new Date(day * DAY);
	const year = date.getUTCFullYear() - (date.getUTCMonth() < 6 ? 1 : 0);
	return Date.UTC(year, 6, 1) / DAY;
}

/** Liquor licenses run out on 31 March or 30 September, by county: the last such day before, and the next. */
export function expiryDays(day: number, month: 2 | 8): { last: number; next: number } {
	const year = new Date(day * DAY).getUTCFullYear();
	const ends = [year - 1, year, year + 1].map((each) => Date.UTC(each, month + 1, 0) / DAY);
	const next = ends.find((end) => end >= day)!;
	return { last: ends[ends.indexOf(next) - 1] ?? next - 365, next };
}
