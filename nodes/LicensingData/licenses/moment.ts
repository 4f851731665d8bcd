const ISO_DATE =
	/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/**
 * When a record says that something happened, in milliseconds since 1970; undefined if it does not say so as the
 * interface asks for, in ISO 8601. A time without a zone is read as UTC, whatever the zone of this machine.
 */
export function momentOf(value: unknown): number | undefined {
	const time = typeof value === 'string' ? fromIso(value.trim()) : undefined;
	return time !== undefined && time >= 0 ? time : undefined;
}

/** The day as it is written, without a conversion between time zones. */
export function dayOf(value: unknown): string | undefined {
	return typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value)
		? value.slice(0, 10)
		: undefined;
}

function fromIso(text: string): number | undefined {
	const [, day, time = '00:00', zone = 'Z'] = ISO_DATE.exec(text) ?? [];
	// JavaScript reads no zone of hours alone.
	const offset = zone.toUpperCase().replace(/^.\d\d$/, '$&:00');
	return day === undefined ? undefined : Date.parse(`${day}T${time}${offset}`);
}
