import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { choices } from '../filters/enteredValues';
import { field, type FilterValues, readFilters, type TextsName } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { COUNTIES, findCounty } from '../licenses/counties';
import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import { invalidInput } from '../licenses/failure';
import { FILING_KINDS, filingKind, NOT_KNOWN } from '../licenses/filingKind';
import { type Choice, findChoice } from '../licenses/findChoice';
import { combinations, type FilterChoice, type License, type ListQuery } from '../licenses/license';
import { LICENSE_TYPES } from '../licenses/licenseTypes';
import { type CountedPart, countLists, OTHER } from '../listing/countLists';
import { singleLine } from '../output/fields';
import { cityKey, findPlace } from '../places/cities';
import { MAX_PAGE_SIZE } from '../service/listPages';
import type { OperationType } from './operationType';
import { MANY_REQUESTS, prepareReading } from './readLicenses';

const MAX_GROUPINGS = 2;
/** With more lists than this, it is better to read a wider one. */
const MAX_COUNT_QUERIES = 500;

interface Grouping {
	name: string;
	/** What a license has in common with the others of its group; undefined if it does not say. */
	valueOf: (license: License) => string | undefined;
	/** All values, if they are known, with what people call them. */
	values?: Choice[];
	/** The service's filter for them, and the parameter that chooses from them. */
	filter?: { query: string; parameter: TextsName };
}

const GROUPINGS: Record<string, Grouping> = {
	city: { name: 'City', valueOf: ({ address }) => cityName(address?.city) },
	county: {
		name: 'County',
		valueOf: ({ address }) => findCounty(address?.county),
		values: COUNTIES,
		filter: { query: 'county', parameter: 'counties' },
	},
	eventType: {
		name: 'Event Type',
		valueOf: ({ eventType }) => findChoice(ALL_EVENT_TYPES, eventType),
		values: ALL_EVENT_TYPES,
		filter: { query: 'event_type', parameter: 'eventTypes' },
	},
	filingKind: {
		name: 'Filing Kind',
		valueOf: (license) => filingKind(license) ?? NOT_KNOWN,
		values: FILING_KINDS,
	},
	licenseType: {
		name: 'License Type',
		valueOf: ({ licenseType }) => findChoice(LICENSE_TYPES, licenseType),
		values: LICENSE_TYPES,
		filter: { query: 'license_type', parameter: 'licenseTypes' },
	},
	status: {
		name: 'Status',
		valueOf: ({ status }) =>
			(typeof status === 'string' && lineOf(status).toLowerCase()) || undefined,
	},
};

const GROUP_BY_CHOICES = Object.entries(GROUPINGS).map(([value, { name }]) => ({ name, value }));

/** How many licenses there are, in all or in groups. */
export const count: OperationType<{ filters: FilterValues; groupBy: string[] }> = {
	name: 'Count',
	action: 'Count Florida liquor or food licenses',
	description:
		'Get the number of licenses that match the filters, in total or by county, type, event, filing kind, status or city',
	fields: [
		field('Group By', 'groupBy', 'multiOptions', [], {
			description:
				'What to count separately, at most two. Leave empty to get one number. To count by city, filing kind or status, the node reads the list, 50 licenses a request.',
			options: GROUP_BY_CHOICES,
		}),
	],
	readsLists: true,

	readParameters(read, timeZone) {
		const groupBy = choices('Group By', read('groupBy', []), GROUP_BY_CHOICES);
		if (groupBy.length > MAX_GROUPINGS)
			throw invalidInput(
				`'Group By' has ${groupBy.length} entries`,
				`Choose at most ${MAX_GROUPINGS}, or count several times.`,
			);
		return { filters: readFilters(LIST_FILTERS, read, timeZone), groupBy };
	},

	async *run(service, { filters, groupBy }, execution) {
		const groupings = groupBy.map((name) => GROUPINGS[name] as Grouping);
		const prepared = prepareReading(service, execution, filters, MAX_COUNT_QUERIES);
		const { reading, isExact, check, report } = prepared;
		const wanted = wantedValues(groupings, filters);
		const counts = await countLists({
			...reading,
			belongsTo: check.belongsTo,
			onOpened: (left) => (execution.run.expected += Math.ceil(left / MAX_PAGE_SIZE)),
			groupOf: (license) => groupOf(groupings.map(({ valueOf }) => valueOf(license))),
			partsOf: wanted && isExact ? (query) => countedParts(wanted, query) : undefined,
		});

		const all = [...counts.values()].reduce((sum, size) => sum + size, 0);
		report(all === 0);
		if (isExact && execution.run.answers >= MANY_REQUESTS)
			execution.hint(`Requests for this count: ${execution.run.answers}`);
		for (const { group } of wanted ? countedParts(wanted, {}) : []) {
			if (!counts.has(group)) counts.set(group, 0);
		}
		yield groupBy.length === 0 ? [{ json: { count: all } }] : toItems(counts, groupBy);
	},
};

/** Groups as texts; all licenses are one group if nothing is counted separately. */
const groupOf = (values: unknown[]): string | undefined =>
	values.includes(undefined) ? undefined : JSON.stringify(values);

/** The values of each grouping that the filters leave; undefined if the service cannot be asked for one of them. */
function wantedValues(groupings: Grouping[], filters: FilterValues): FilterChoice[] | undefined {
	const wanted = groupings.flatMap(({ values = [], filter }) => {
		if (filter === undefined) return [];
		const chosen = filters[filter.parameter];
		return { filter: filter.query, values: chosen ?? values.map(({ value }) => value) };
	});
	return wanted.length === groupings.length ? wanted : undefined;
}

/** One part for each combination of values, or for the value that the list is filtered by. */
function countedParts(wanted: FilterChoice[], query: ListQuery): CountedPart[] {
	const open = wanted.filter(({ filter }) => query[filter] === undefined);
	return combinations(query, open).map((part) => ({
		query: part,
		group: JSON.stringify(wanted.map(({ filter }) => part[filter])),
	}));
}

/** Largest first, and at the end what is in no group. */
function toItems(counts: Map<string, number>, groupBy: string[]): INodeExecutionData[] {
	const other = counts.get(OTHER) ?? 0;
	counts.delete(OTHER);
	const groups = [...counts].map(([group, count]) => ({
		count,
		values: JSON.parse(group) as string[],
	}));
	groups.sort((a, b) => b.count - a.count || a.values.join().localeCompare(b.values.join(), 'en'));
	if (other > 0) groups.push({ count: other, values: groupBy.map(() => 'Other') });
	return groups.map(({ count, values }) => ({
		json: Object.assign({ count }, ...groupBy.map((name, at) => named(name, values[at] ?? ''))),
	}));
}

/** A value as the service knows it and, if that is a code, as people do. */
function named(name: string, value: string): IDataObject {
	const { values = [] } = GROUPINGS[name] as Grouping;
	const hasCodes = values.some((choice) => choice.name !== choice.value);
	const known = values.find((choice) => choice.value === value)?.name ?? value;
	return { [name]: value, ...(hasCodes && { [`${name}Name`]: known }) };
}

/** The city as it is usually written, so that "ST PETERSBURG" and "Saint Petersburg" are one. An unknown one is in capitals. */
function cityName(city: unknown): string | undefined {
	return cityKey(city) === '' ? undefined : (findPlace(city)?.name ?? lineOf(city).toUpperCase());
}

/** Nothing that follows has to mind what the service sent. */
const lineOf = (text: unknown): string => String(singleLine(text)).trim();
