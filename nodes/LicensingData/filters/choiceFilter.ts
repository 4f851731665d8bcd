import type { INodeProperties } from 'n8n-workflow';

import { type Choice, findChoice } from '../licenses/findChoice';
import type { License } from '../licenses/license';
import { choices } from './enteredValues';
import type { LocalFilter, TextsName } from './filter';

export interface ChoiceFilter<Name extends TextsName = TextsName>
	extends Pick<INodeProperties, 'displayName' | 'description'> {
	name: Name;
	options: Choice[];
	query?: string;
	default?: string[];
	/** Finds the value behind what was entered, or what the service sent. */
	find?: (given: unknown) => string | undefined;
	/** Finds the value behind what was entered, if that may mean more. */
	findEntered?: ChoiceFilter['find'];
	/** What to do instead about an entry that is not in the list. */
	adviceOn?: (unknown: unknown) => string | undefined;
	/** The values of a license. */
	valuesOf: (license: License) => unknown[];
	/** The one that the service names beyond doubt, if more are guessed. */
	certainly?: (license: License) => string | undefined;
	/** Turns what was chosen into values that licenses have. */
	expand?: (values: string[]) => string[];
}

/** Several values to choose from. The service takes one of them at a time. */
export const choiceFilter = <Name extends TextsName>({
	query,
	find = (given) => findChoice(parameter.options, given),
	findEntered = find,
	adviceOn,
	valuesOf,
	certainly = (license) => find(valuesOf(license)[0]),
	expand = (values) => values,
	...parameter
}: ChoiceFilter<Name>): LocalFilter<Name> => ({
	name: parameter.name,
	fields: [{ default: [], ...parameter, type: 'multiOptions' }],
	query,
	read(given) {
		const { displayName, name, options } = parameter;
		const chosen = expand(choices(displayName, given(name), options, findEntered, adviceOn));
		return chosen.length > 0 ? chosen : undefined;
	},
	contradicts(license, wanted) {
		const value = certainly(license);
		return value !== undefined && !wanted.includes(value);
	},
	matches: (license, wanted) =>
		valuesOf(license).some((value) => wanted.includes(find(value) ?? '')),
});
