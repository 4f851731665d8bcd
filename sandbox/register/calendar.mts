/** Days are counted from 1970, in UTC: a register knows whole days alone. */
export const DAY = 86_400_000;

const dates = new Map<number, string>();
/** Remembered, since every record shows five of few dates. */
export function dateOf(day: number): string {
	if (!dates.has(day)) dates.set(day, new Date(day * DAY).toISOString().slice(0, 10));
	return dates.get(day)!;
}
export const dayOf = (date: number | string | Date): number =>
	Math.floor(new Date(date).getTime() / DAY);

export const isoTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');

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
