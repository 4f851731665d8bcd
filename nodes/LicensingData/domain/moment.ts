import { numberOf } from './number';

const ISO_DATE =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The end of the year 9999. Later years have five digits, which hardly anything reads. */
export const LAST_MOMENT = 253_402_300_799_999;

/** Numbers below this are seconds: as milliseconds they would be in 1973 or before. */
const FIRST_MILLISECONDS = 1e11;

/**
 * When a record says that something happened, in milliseconds since 1970; undefined if it does not say so in
 * a way that can be understood. The interface asks for ISO 8601. Some services send the number of seconds or
 * milliseconds instead. A time without a zone is read as UTC, whatever the zone of this machine.
 */
export function momentOf(value: unknown): number | undefined {
	const time =
		typeof value === 'string' && !isDigits(value) ? fromIso(value.trim()) : fromNumber(value);
	return time !== undefined && Number.isFinite(time) && time >= 0 ? time : undefined;
}

/** The day as it is written, without a conversion between time zones; for a number, the day in UTC. */
export function dayOf(value: unknown): string | undefined {
	if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)) return value.slice(0, 10);
	const moment = momentOf(value) ?? Number.NaN;
	return moment <= LAST_MOMENT ? new Date(moment).toISOString().slice(0, 10) : undefined;
}

const isDigits = (text: string): boolean => /^\s*\d{9,14}\s*$/.test(text);

function fromIso(text: string): number | undefined {
	const [, day, time = '00:00', zone = 'Z'] = ISO_DATE.exec(text) ?? [];
	// JavaScript reads no zone of hours alone.
	const offset = zone.toUpperCase().replace(/^.\d\d$/, '$&:00');
	return day === undefined ? undefined : Date.parse(`${day}T${time}${offset}`);
}

function fromNumber(value: unknown): number {
	const number = numberOf(value);
	return Math.floor(number < FIRST_MILLISECONDS ? number * 1000 : number);
}
