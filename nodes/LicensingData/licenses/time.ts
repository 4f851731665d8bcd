import { textOf } from './text';

/** In milliseconds. */
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: Array<[unit: string, milliseconds: number]> = [
	['days', DAY],
	['hours', HOUR],
	['minutes', MINUTE],
];

/** A wait, of two seconds or more, in the largest unit of which there are at least two: 90 seconds, 2 hours. */
export function formatWait(milliseconds: number): string {
	const [unit, size] = UNITS.find(([, length]) => milliseconds >= 2 * length) ?? ['seconds', 1000];
	return `${Math.max(2, Math.ceil(milliseconds / size))} ${unit}`;
}

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
