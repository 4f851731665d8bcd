import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import {
	ALL_EVENT_TYPES,
	type Choice,
	COUNTIES,
	findChoice,
	findCounty,
	LICENSE_TYPES,
} from '../licenses/knownValues';
import { FILING_KINDS, filingKind, NOT_KNOWN } from '../licenses/filingKind';
import { combinations, type FilterChoice, type License, type ListQuery } from '../licenses/license';
import { cityKey, findPlace } from '../places/places';
import { countLists, OTHER, type CountedPart } from '../listing/countLists';
import { singleLine } from '../output/flat';
import { readFilters, type FilterValues } from '../filters/filter';
import { LIST_FILTERS } from '../filters/licenseFilters';
import { strayPlaces } from '../filters/territoryFilter';
import { choices } from '../filters/values';
import type { Action } from './action';
import { FilterReport } from './filterReport';
import { readingFor } from './readLicenses';

const MOST_GROUPINGS = 2;
/** With more lists than this, it is better to read a wider one. */
const MOST_QUERIES = 500;

interface Grouping {
	name: string;
	/** What a license has in common with the others of its group; undefined if it does not say. */
	valueOf: (license: License) => string | undefined;
	/** If the interface lists the values: the service's filter, and the parameter that chooses from them. */
	listed?: { filter: string; parameter: string; values: Choice[] };
	/** What people call the values, where they are codes. */
	names?: Choice[];
}

const GROUPINGS: Record<string, Grouping> = {
	city: { name: 'City', valueOf: ({ address }) => cityName(address?.city) },
	county: {
		name: 'County',
		valueOf: ({ address }) => findCounty(address?.county),
		listed: { filter: 'county', parameter: 'counties', values: COUNTIES },
	},
	eventType: {
		name: 'Event Type',
		valueOf: ({ eventType }) => findChoice(ALL_EVENT_TYPES, eventType),
		listed: { filter: 'event_type', parameter: 'eventTypes', values: ALL_EVENT_TYPES },
		names: ALL_EVENT_TYPES,
	},
	filingKind: {
		name: 'Filing Kind',
		valueOf: (license) => filingKind(license) ?? NOT_KNOWN,
		names: FILING_KINDS,
	},
	licenseType: {
		name: 'License Type',
		valueOf: ({ licenseType }) => findChoice(LICENSE_TYPES, licenseType),
		listed: { filter: 'license_type', parameter: 'licenseTypes', values: LICENSE_TYPES },
		names: LICENSE_TYPES,
	},
	status: {
		name: 'Status',
		valueOf: ({ status }) =>
			(typeof status === 'string' && lineOf(status).toLowerCase()) || undefined,
	},
};

const GROUP_BY_CHOICES: Choice[] = Object.entries(GROUPINGS).map(([value, { name }]) => ({
	name,
	value,
}));

interface CountParameters {
	filters: FilterValues;
	groupBy: string[];
}

/** How many licenses there are, in all or in groups. */
export const count: Action<CountParameters> = {
	name: 'Count',
	action: 'Count Florida liquor or food licenses',
	description:
		'Say how many licenses match the filters, in all or by county, type, event, filing kind, status or city',
	fields: [
		{
			displayName: 'Group By',
			name: 'groupBy',
			type: 'multiOptions',
			default: [],
			description:
				'What to count separately, at most two. Choose none to count all licenses that match.',
			options: GROUP_BY_CHOICES,
		},
	],
	readsLists: true,

	readParameters(read) {
		const groupBy = choices('Group By', read('groupBy', []), GROUP_BY_CHOICES, (given) =>
			findChoice(GROUP_BY_CHOICES, given),
		);
		if (groupBy.length > MOST_GROUPINGS) {
			throw invalidInput(
				`'Group By' has ${groupBy.length} entries`,
				`Choose at most ${MOST_GROUPINGS}, or count several times.`,
			);
		}
		return { filters: readFilters(LIST_FILTERS, read), groupBy };
	},

	async *run(service, { filters, groupBy }, execution) {
		strayPlaces(filters).forEach(execution.warn);
		const groupings = groupBy.map((name) => GROUPINGS[name] as Grouping);
		const report = new FilterReport(filters, MOST_QUERIES);
		const { queries, matches, isExact } = report;
		const wanted = wantedGroups(groupings, filters);
		const counts = await countLists({
			...readingFor(service, filters, execution),
			queries,
			matches,
			groupOf: (license) => groupOf(groupings.map(({ valueOf }) => valueOf(license))),
			partsOf: wanted && isExact ? (query) => partsOf(wanted, query) : undefined,
		});

		const all = [...counts.values()].reduce((sum, one) => sum + one, 0);
		report.say(all === 0, execution);
		execution.hint(`Requests for this count: ${execution.requestCount()}`);
		if (groupBy.length === 0) {
			yield [{ json: { count: all } }];
			return;
		}
		for (const { group } of wanted ? partsOf(wanted, {}) : []) {
			if (!counts.has(group)) counts.set(group, 0);
		}
		yield toItems(counts, groupBy);
	},
};

/** Groups as texts; all licenses are one group if nothing is counted separately. */
const groupOf = (values: unknown[]): string | undefined =>
	values.includes(undefined) ? undefined : JSON.stringify(values);

/** The values of each grouping that the filters leave; undefined if the interface does not list them. */
function wantedGroups(groupings: Grouping[], filters: FilterValues): FilterChoice[] | undefined {
	const wanted = groupings.flatMap(({ listed }) => {
		if (listed === undefined) return [];
		const chosen = filters[listed.parameter] as string[] | undefined;
		return [{ filter: listed.filter, values: chosen ?? listed.values.map(({ value }) => value) }];
	});
	return wanted.length === groupings.length ? wanted : undefined;
}

/** One part for each combination of values, or for the value that the list is filtered by. */
function partsOf(wanted: FilterChoice[], query: ListQuery): CountedPart[] {
	const parts = combinations(
		query,
		wanted.filter(({ filter }) => query[filter] === undefined),
	);
	return parts.map((part) => ({
		query: part,
		group: JSON.stringify(wanted.map(({ filter }) => part[filter])),
	}));
}

/** Largest first, and at the end what is in no group. */
function toItems(counts: Map<string, number>, groupBy: string[]): INodeExecutionData[] {
	const other = counts.get(OTHER) ?? 0;
	counts.delete(OTHER);
	const groups = [...counts].map(([group, size]) => ({
		size,
		values: JSON.parse(group) as string[],
	}));
	groups.sort((a, b) => b.size - a.size || a.values.join().localeCompare(b.values.join(), 'en'));
	if (other > 0) groups.push({ size: other, values: groupBy.map(() => 'Other') });
	return groups.map(({ size, values }) => ({
		json: {
			count: size,
			...Object.assign({}, ...groupBy.map((name, at) => named(name, values[at] ?? ''))),
		},
	}));
}

/** A value as the service knows it and, if that is a code, as people do. */
function named(name: string, value: string): IDataObject {
	const names = GROUPINGS[name]?.names;
	const known = names?.find((choice) => choice.value === value)?.name ?? value;
	return { [name]: value, ...(names && { [`${name}Name`]: known }) };
}

/** As it is usually written, so that "ST PETERSBURG" and "Saint Petersburg" are one. An unknown one is in capitals. */
function cityName(city: unknown): string | undefined {
	return cityKey(city) === '' ? undefined : (findPlace(city)?.name ?? lineOf(city).toUpperCase());
}

/** Nothing that follows has to mind what the service sent. */
const lineOf = (text: unknown): string => String(singleLine(text)).trim();
