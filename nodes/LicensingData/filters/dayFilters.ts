import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { dayOf } from '../licenses/time';
import { day } from './enteredDays';
import { type DayName, field, type LocalFilter } from './filter';

const EXAMPLES = {
	After: '. For the last seven days, use the expression {{ $today.minus({ days: 7 }) }}.',
	Before: '. For the next thirty days, use the expression {{ $today.plus({ days: 30 }) }}.',
};

/** The first and the last of the days that are wanted. They are compared as they are written. */
export const dayFilters = (
	date: 'expires' | 'filed' | 'happened',
	label: string,
	what: string,
	dateOf: (license: License) => unknown,
): Array<LocalFilter<DayName>> =>
	(['After', 'Before'] as const).map((side) => {
		const displayName = `${label} On or ${side}`;
		const isFirst = side === 'After';
		const name = `${date}${side}` as const;
		return {
			name,
			fields: [
				field(displayName, name, 'dateTime', '', {
					typeOptions: { dateOnly: true },
					placeholder: 'e.g. 2026-11-01',
					description: `Only ${what} on this day or ${isFirst ? 'later' : 'earlier'}${isFirst === (date === 'expires') ? '' : EXAMPLES[side]}`,
				}),
			],
			read: (given, timeZone = 'UTC') => day(displayName, given(name), timeZone),
			matches(license, border) {
				const its = dayOf(dateOf(license));
				return its !== undefined && (isFirst ? its >= border : its <= border);
			},
			check(border, all) {
				const last = all[`${date}Before`];
				if (last === undefined || border <= last) return;
				throw invalidInput(
					`'${displayName}' is later than '${label} On or Before': ${border} is after ${last}`,
					'Swap the two days, or check the expressions that give them.',
				);
			},
		};
	});
