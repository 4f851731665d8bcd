import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { dayOf } from '../licenses/text';
import { nameOf, type Filter } from './filter';
import { day } from './values';

/** Two calendar days between which a record's day lies, both included and compared as they are written. */
export function dayFilters(
	verb: 'Filed' | 'Happened',
	what: string,
	dayIs: string,
	dateOf: (license: License) => unknown,
): Array<Filter<string>> {
	const dayFilter = (order: 'Before' | 'After', when: string): Filter<string> => {
		const displayName = `${verb} On or ${order}`;
		const name = verb.toLowerCase() + order;
		return {
			fields: [
				{
					displayName,
					name,
					type: 'dateTime',
					typeOptions: { dateOnly: true },
					default: '',
					placeholder: 'e.g. 2026-11-01',
					description: `Only ${what} on this day or ${when}`,
				},
			],
			read: (given) => day(displayName, given(name)),
			dayIs,
			dayOf: (license) => dayOf(dateOf(license)),
			matches(license, border) {
				const its = dayOf(dateOf(license));
				return its !== undefined && (order === 'After' ? its >= border : its <= border);
			},
		};
	};
	const before = dayFilter('Before', 'earlier');
	const after = dayFilter(
		'After',
		'later. For the last seven days, use the expression {{ $today.minus({ days: 7 }) }}.',
	);
	after.check = (first, all) => {
		const last = all[nameOf(before)] as string | undefined;
		if (last === undefined || first <= last) return;
		throw invalidInput(
			`'${verb} On or After' is later than '${verb} On or Before': ${first} is after ${last}`,
			'Swap the two days, or check the expressions that give them.',
		);
	};
	return [after, before];
}
