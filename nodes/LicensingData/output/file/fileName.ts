import { plain } from '../../domain/comparableText';
import { nameOf, type Filter, type FilterValues } from '../../parameters/filter';

/** More values than these are counted instead: "7-counties". */
const MOST_NAMED = 4;

const MOST_CHARACTERS = 100;

/** What the filters keep, for the name of a file, e.g. "hillsborough-cop". Empty without filters. */
export function nameOfFilters(filters: readonly Filter[], values: FilterValues): string {
	const words = filters.flatMap((filter) => {
		const name = nameOf(filter);
		const value = values[name];
		if (value === undefined) return [];
		if (Array.isArray(value)) return named(name, value);
		const parts = filter.words?.(value) ?? { [name]: [`${name} ${String(value)}`] };
		return Object.entries(parts).flatMap(([part, all]) => named(part, all));
	});
	return words.map(slug).filter(Boolean).join('-').slice(0, MOST_CHARACTERS).replace(/-$/, '');
}

const named = (name: string, values: unknown[]): string[] =>
	values.length > MOST_NAMED ? [`${values.length} ${name}`] : values.map(String);

const slug = (text: string): string =>
	plain(text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')).replaceAll(' ', '-');
