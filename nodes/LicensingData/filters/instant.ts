import { invalidInput } from '../licenses/failure';
import { dateText, HOW_TO_ENTER_A_DATE, isCalendarDay, shown } from './values';

/** A moment that the user picked. If it names no time zone, it is in the workflow's. */
export function instant(label: string, value: unknown, timeZone: string): number | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const [, date, time = '00:00', zone] =
		/^(\d{4}-\d{2}-\d{2})(?:[T ]([\d:.]+)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(dateText(value)) ?? [];
	const asUtc = Date.parse(`${date}T${time}${zone ?? 'Z'}`);
	// JavaScript takes February 30 for March 2.
	if (Number.isNaN(asUtc) || !isCalendarDay(date ?? '')) {
		throw invalidInput(`'${label}' is not a date: ${shown(value)}`, HOW_TO_ENTER_A_DATE);
	}
	if (zone) return asUtc;
	// The first try may be on the other side of a change of the clocks.
	const about = asUtc - offset(asUtc, timeZone);
	return asUtc - offset(about, timeZone);
}

function offset(at: number, timeZone: string): number {
	// Swedish formats dates the ISO way.
	const wallClock = new Date(at).toLocaleString('sv-SE', { timeZone });
	return Date.parse(`${wallClock.replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
}
