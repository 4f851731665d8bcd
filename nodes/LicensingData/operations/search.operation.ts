import { numberIn } from '../filters/enteredValues';
import {
	AnswerCheck,
	field,
	filtersField,
	type FilterValues,
	readFilters,
} from '../filters/filter';
import { readFreeText, SEARCH_FILTERS } from '../filters/licenseFilters';
import { toQueries } from '../filters/queries';
import { invalidInput } from '../licenses/failure';
import { searchLicenses } from '../service/licenseRequests';
import { MAX_PAGE_SIZE } from '../service/listPages';
import type { OperationType } from './operationType';

const LIMIT = field('Limit', 'limit', 'number', 50, {
	typeOptions: { minValue: 1, maxValue: MAX_PAGE_SIZE },
	description: 'Max number of results to return',
});

export const search: OperationType<{ q: string; filters: FilterValues; limit: number }> = {
	name: 'Search',
	action: 'Search Florida liquor or food licenses',
	description: 'Find licenses by words in the business name, city or county',
	fields: [
		field('Query', 'query', 'string', '', {
			required: true,
			placeholder: 'e.g. oyster',
			description: 'Words to look for in business names, cities and counties',
		}),
		LIMIT,
		filtersField(SEARCH_FILTERS),
	],
	hasOutput: true,
	looksUp: true,

	readParameters(read) {
		const q = readFreeText('Query', read('query'));
		if (q === '')
			throw invalidInput("'Query' is empty", 'Enter a word to look for, e.g. a name or a city.');
		return { q, filters: readFilters(SEARCH_FILTERS, read), limit: numberIn(LIMIT, read) };
	},

	async *run(service, { q, filters, limit }, { hint, warn, toItem }) {
		const { queries, asked } = toQueries(SEARCH_FILTERS, filters);
		const check = new AnswerCheck(asked, filters);
		const answers = await Promise.all(
			queries.map(async (query) => await searchLicenses(service, { ...query, q, limit })),
		);
		// The best of every list first, so that the limit does not leave out entire lists.
		const found = answers
			.flatMap((list) => list.filter(check.accepts).map((license, rank) => ({ license, rank })))
			.sort((a, b) => a.rank - b.rank);
		// A service that ignores the filter sends the same for each county.
		const each = new Map(found.map(({ license }) => [JSON.stringify(license), license]));
		const licenses = [...each.values()].slice(0, limit);
		if (check.hint) warn(check.hint);
		const advice = adviceFor(q, licenses.length, limit);
		if (advice !== undefined) hint(advice);
		yield licenses.map(toItem);
	},
};

function adviceFor(q: string, found: number, limit: number): string | undefined {
	if (found === 0)
		return `Nothing was found for '${q}'. Try one word of the name, or another county.`;
	return q.includes(' ') && found < limit
		? `There may be more: your service may find '${q}' only where these words appear side by side. Try one word of the name, and choose the place under 'Counties'.`
		: undefined;
}
