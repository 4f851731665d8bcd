import { tryToParseDateTime } from 'n8n-workflow';

import { type Failure, invalidInput } from '../licenses/failure';
import { momentOf } from '../licenses/time';
import { isEmpty, preview } from './enteredValues';

/**
 * A calendar day, as license dates are. A day stays the day that it is; a moment, such as that of `new Date()`, is
 * the day that people have in the workflow's time zone.
 */
export function day(label: string, value: unknown, timeZone: string): string | undefined {
	if (isEmpty(value)) return undefined;
	const written = dateText(value);
	const date = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(written)?.[0];
	if (date === undefined || !isCalendarDay(date)) throw noDate(label, value);
	const moment = HAS_ZONE.test(written) && !MIDNIGHT.test(written) ? momentOf(written) : undefined;
	return moment === undefined ? date : dayIn(timeZone, moment);
}

const HAS_ZONE = /[T ][\d:.]+\s?(?:Z|[+-][\d:]+)$/i;

/** JavaScript's `new Date('2026-11-01')` and the like: a day, and no time of it. */
const MIDNIGHT = /[T ]00:00(?::00(?:\.0+)?)?\s?(?:Z|[+-][\d:]+)$/i;

/** The day as year-month-day. */
export const dayIn = (timeZone: string, moment = Date.now()): string =>
	new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(moment);

/** JavaScript takes February 30 for March 2. */
function isCalendarDay(date: string): boolean {
	const instant = new Date(`${date}T00:00:00Z`);
	return !Number.isNaN(instant.valueOf()) && instant.toISOString().startsWith(date);
}

const noDate = (label: string, value: unknown): Failure =>
	invalidInput(
		`'${label}' is not a date: ${preview(value)}`,
		'Pick a date, or enter it as month/day/year or year-month-day, e.g. 07/31/2026 or 2026-07-31.',
	);

/**
 * A date as ISO text; empty if it has none. The dates in n8n's expressions turn into ISO text by themselves.
 * With slashes, the month comes first, as it always does in Florida.
 */
function dateText(value: unknown): string {
	try {
		const written = (value instanceof Date ? value.toISOString() : String(value)).trim();
		return written.replace(
			/^(\d{1,2})\/(\d{1,2})\/(\d{4})(?=$|[T ])/,
			(_, month: string, day: string, year: string) =>
				[year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
		);
	} catch {
		return '';
	}
}

/** A moment that the user picked. If it names no time zone, it is in the workflow's. */
export function toMoment(label: string, value: unknown, timeZone: string): number | undefined {
	if (day(label, value, timeZone) === undefined) return undefined;
	try {
		return tryToParseDateTime(dateText(value), timeZone).toMillis();
	} catch {
		throw noDate(label, value);
	}
}
