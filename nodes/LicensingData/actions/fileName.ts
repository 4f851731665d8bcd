import { plain } from '../domain/comparableText';
import type { Territory } from '../geography/territory';
import type { FilterValues } from '../parameters/filter';

/** More values than these are counted instead: "7-counties". */
const MOST_NAMED = 4;

const MOST_CHARACTERS = 100;

/** What the filters keep, for the name of a file, e.g. "hillsborough-cop". Empty without filters. */
export function nameOfFilters(filters: FilterValues): string {
	const words = Object.entries(filters).flatMap(([name, value]) => {
		if (Array.isArray(value)) return named(name, value);
		return typeof value === 'string' ? `${name} ${value}` : namesOf(value as Territory);
	});
	return words.map(slug).filter(Boolean).join('-').slice(0, MOST_CHARACTERS).replace(/-$/, '');
}

const namesOf = ({ cities = [], zipCodes = [], near }: Territory): string[] => [
	...named('cities', cities),
	...named(
		'zipCodes',
		zipCodes.map(({ from, to }) => (from === to ? from : `${from} ${to}`)),
	),
	...(near ? [`${Math.round(near.miles)} miles`] : []),
];

const named = (name: string, values: unknown[]): string[] =>
	values.length > MOST_NAMED ? [`${values.length} ${name}`] : values.map(String);

const slug = (text: string): string =>
	plain(text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')).replaceAll(' ', '-');
