const ISO_DATE =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** JavaScript has no later dates. */
export const LATEST_DATE = 8.64e15;

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

const isDigits = (text: string): boolean => /^\s*\d{9,14}\s*$/.test(text);

function fromIso(text: string): number | undefined {
	const [, day, time = '00:00', zone = 'Z'] = ISO_DATE.exec(text) ?? [];
	// JavaScript reads no zone of hours alone.
	const offset = zone.toUpperCase().replace(/^.\d\d$/, '$&:00');
	return day === undefined ? undefined : Date.parse(`${day}T${time}${offset}`);
}

function fromNumber(value: unknown): number | undefined {
	if (typeof value !== 'number' && typeof value !== 'string') return undefined;
	const number = Number(value);
	return Math.floor(number < FIRST_MILLISECONDS ? number * 1000 : number);
}
