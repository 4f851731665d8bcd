import { invalidInput } from '../licenses/failure';
import { LARGEST_PAGE } from '../licenses/license';
import { typeOfSeries } from '../licenses/knownValues';
import { filtersField, readFilters, toQueries, type FilterValues } from '../filters/filter';
import { adviceOnSeries, SEARCH_FILTERS } from '../filters/licenseFilters';
import { text, wholeNumber, withoutCommas } from '../filters/values';
import { searchLicenses } from '../service/licenses';
import type { Action } from './action';

interface SearchParameters {
	q: string;
	filters: FilterValues;
	limit: number;
}

export const search: Action<SearchParameters> = {
	name: 'Search',
	action: 'Search Florida liquor or food licenses',
	description: 'Find licenses by words in the business name, city or county',
	fields: [
		{
			displayName: 'Query',
			name: 'query',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. tiki bar tampa',
			description: 'Words to look for in business names, cities and counties',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1, maxValue: LARGEST_PAGE },
			description: 'Max number of results to return',
		},
		filtersField(SEARCH_FILTERS),
	],
	hasOutput: true,
	looksUp: true,

	readParameters(read) {
		const q = withoutCommas(text('Query', read('query')) ?? '');
		if (q === '') {
			throw invalidInput("'Query' is empty", 'Enter a word to look for, e.g. a name or a city.');
		}
		return {
			q,
			filters: readFilters(SEARCH_FILTERS, read),
			limit: wholeNumber('Limit', read('limit', LARGEST_PAGE), { most: LARGEST_PAGE }),
		};
	},

	async *run(service, { q, filters, limit }, execution) {
		const { hint, toItem } = execution;
		const answers = await Promise.all(
			toQueries(SEARCH_FILTERS, filters).queries.map(
				async (query) => await searchLicenses(service, { ...query, q, limit }),
			),
		);
		const found = inTurns(answers).slice(0, limit);
		const type = typeOfSeries(q);
		if (type !== undefined)
			hint(`${q} is a kind of license. Use Get Many: ${adviceOnSeries(type.name)}`);
		else if (found.length === 0)
			hint(
				`Nothing was found for '${q}'. Try one word of the name alone, or another county: services combine several words in different ways.`,
			);
		else if (q.includes(' ') && found.length < limit)
			hint(
				`More licenses may have all of the words '${q}': the service may look for them in this order, side by side. Try one word of the name, and choose the place under 'Counties'.`,
			);
		yield found.map(toItem);
	},
};

/** The best of every list first, so that a limit does not leave out entire lists. */
const inTurns = <T>(lists: T[][]): T[] =>
	Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) =>
		lists.flatMap((list) => list.slice(at, at + 1)),
	).flat();
