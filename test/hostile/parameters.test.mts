import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';

import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { operations, type Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { runLicense } from '../support/nodes.mts';
import { choicesOf, OPERATIONS, parametersFor } from '../support/operations.mts';
import { Echo, type Asked } from './echo.mts';
import { JSON_VALUES, TEXTS } from './values.mts';

const echo = new Echo();
beforeEach(async () => await echo.forget());

interface Parameter {
	operation: Operation;
	label: string;
	/** The node's parameters, with the value in its place. */
	around: (value: unknown) => IDataObject;
	/** Whether what went out is what the value means. */
	isRight: (value: unknown, asked: Asked) => boolean;
}

/** Without what nobody sees. */
const visible = (value: unknown): string =>
	String(value)
		.replace(/[\p{Cf}\p{Cs}]/gu, '')
		.replace(/\p{Cc}+/gu, ' ')
		.trim();

const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || visible(value) === '';
const isTextOrNumber = (value: unknown): boolean => ['string', 'number'].includes(typeof value);
const letters = (value: unknown): string =>
	String(value)
		.toLowerCase()
		.replace(/[^a-z]/g, '');

/** Ignoring capitals, spaces and commas. */
const plain = (value: unknown): string =>
	visible(value)
		.toLowerCase()
		.replace(/[\s,;]+/g, ' ')
		.trim();

/** Sent as it is, except for capitals, spaces and commas; nothing at all if there is nothing. */
const asText =
	(name: string) =>
	(value: unknown, { query }: Asked): boolean =>
		query[name] === undefined
			? isNothing(value) || plain(value) === ''
			: isTextOrNumber(value) && plain(query[name]) === plain(value);

/** A text without letters or digits, such as a comma or an empty list, contains nothing to choose. */
const holdsNothing = (value: unknown): boolean =>
	[value]
		.flat()
		.every(
			(entry) => isNothing(entry) || (typeof entry === 'string' && !/[\p{L}\p{N}]/u.test(entry)),
		);

const asChoice =
	(name: string) =>
	(value: unknown, { query }: Asked): boolean =>
		holdsNothing(value)
			? query[name] === undefined
			: letters(value).includes(letters(query[name]).slice(0, 2));

/** Others than the listed ones may be typed, whatever they are made of. */
const asStatus = (value: unknown, { query }: Asked): boolean =>
	query.status === undefined
		? holdsNothing(value)
		: plain(value).includes(plain(query.status).slice(0, 2));

const asCount =
	(most: number) =>
	(value: unknown, { query }: Asked): boolean =>
		isTextOrNumber(value) && Number(query.limit) === Math.min(Number(value), most);

/** The message about an unknown city names the city; where to correct it stands in its description. */
const naming = (label: string): RegExp =>
	new RegExp(label === 'Cities' ? "'Cities'|^No Florida city is called" : `'${label}'`);

const unchanged = (_: unknown, { query }: Asked): boolean => query.limit === '50';

/** One of the choices that the editor offers. */
const asOffered =
	(name: string) =>
	(value: unknown): boolean =>
		choicesOf(name).includes(value as string);

/** Words that the value has. */
const asWords = (value: unknown, { query }: Asked): boolean => {
	const fold = (text: unknown) =>
		String(text).normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '');
	return fold(query.q)
		.split(' ')
		.every((word) => fold(visible(value)).includes(word));
};

const isWhole = (value: unknown): boolean => Number.isInteger(Number(value));

/** License numbers are in capitals. */
const asNumber = (text: string): string => (text.startsWith('lic_') ? text : text.toUpperCase());

const asPath = (value: unknown, { path }: Asked): boolean =>
	path === `/v1/licenses/${encodeURIComponent(asNumber(visible(value)))}`;

const asFilter = (query: string | undefined, type: string): Parameter['isRight'] => {
	if (query === undefined) return unchanged;
	if (query === 'status') return asStatus;
	return type === 'multiOptions' ? asChoice(query) : asText(query);
};

/** A parameter of an operation. What it makes of a value shows in the request, if `isRight` can tell. */
const of = (
	operation: Operation,
	label: string,
	place: string | ((value: unknown) => object),
	isRight: Parameter['isRight'] = () => true,
	more: IDataObject = {},
): Parameter => ({
	operation,
	label,
	around: (value) =>
		({
			operation,
			...more,
			...(typeof place === 'string' ? { [place]: value } : place(value)),
		}) as IDataObject,
	isRight,
});

const MATCH = { businessName: 'Bar', adjustMatching: true, minimumScore: 0 };
const isSwitch = (value: unknown): boolean =>
	isNothing(value) || /^(true|false)$/.test(String(value));
const isShare = (value: unknown): boolean => Number(value) >= 0 && Number(value) <= 1;
const isTime = (value: unknown): boolean => isWhole(value) && Number(value) >= 1;
const filter = (name: string) => (value: unknown) => ({ filters: { [name]: value } });
const option = (name: string) => (value: unknown) => ({ options: { retries: 0, [name]: value } });
const near = (name: string) => (value: unknown) =>
	filter('near')({ area: { center: '33602', radius: 25, [name]: value } });
const anyOperation = Object.assign({}, ...OPERATIONS.map((one) => parametersFor(one)));

const PARAMETERS: Parameter[] = [
	of('get', 'License', 'licenseId', asPath),
	of('get', 'License', (value) => ({ licenseId: { __rl: true, mode: 'id', value } }), asPath),
	of('count', 'Group By', 'groupBy'),
	of('count', 'Counties', filter('counties')),
	of('match', 'Business Name', 'businessName', asWords, MATCH),
	of('match', 'Street', 'street', undefined, MATCH),
	of('match', 'City', 'city', undefined, MATCH),
	of('match', 'ZIP Code', 'zip', undefined, MATCH),
	of('match', 'Minimum Score', 'minimumScore', isShare, MATCH),
	of('match', 'Candidates', 'candidates', isWhole, MATCH),
	of('match', 'When Nothing Matches', 'noMatch', asOffered('noMatch'), MATCH),
	of('match', 'Include Input', 'includeInput', undefined, MATCH),
	of('export', 'Format', 'format', asOffered('format')),
	of('export', 'Columns', 'columns', asOffered('columns')),
	of('export', 'Fields', 'fields', undefined, { columns: 'selectedFields' }),
	of('export', 'File Name', 'fileName'),
	of('search', 'Query', 'query', asText('q')),
	of('search', 'Limit', 'limit', asCount(50), { query: 'bar' }),
	of('search', 'Counties', filter('counties'), asChoice('county'), { query: 'bar' }),
	of('getAll', 'Limit', 'limit', asCount(50)),
	...LIST_FILTERS.flatMap(({ fields, query }) =>
		fields.map(({ displayName, name, type }) =>
			of('getAll', displayName, filter(name), asFilter(query, type)),
		),
	),
	of('getAll', 'Near', near('center'), unchanged),
	of('getAll', 'Near', near('radius'), unchanged),
	of(
		'getAll',
		'Keep Licenses Without a Location',
		(keepUnlocated) => ({ filters: { cities: 'Tampa', keepUnlocated } }),
		unchanged,
	),
	of('getAll', 'Timeout', option('timeout'), isTime),
	of('getAll', 'Retries', option('retries'), isWhole),
	of('getAll', 'Parallel Requests', option('parallelRequests'), isWhole),
	of('getAll', 'Return All', 'returnAll', isSwitch),
	of('getAll', 'Output', 'output', asOffered('output')),
	of('getAll', 'Fields', 'fields', undefined, { output: 'selectedFields' }),
	of('getAll', 'Operation', 'operation', asOffered('operation'), anyOperation),
];

type Outcome = { value: unknown; json?: IDataObject };

/** Runs the node once with an item for each value, and returns what came of each. */
async function tryAll({ around }: Parameter, values: unknown[]): Promise<Outcome[]> {
	const { items } = await runLicense(around('={{ $json.value }}'), {
		credentials: echo.service.credentials,
		items: values.map((value) => ({ value })) as IDataObject[],
		continueOnFail: true,
	});
	const byItem = new Map(
		items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, json]),
	);
	return values.map((value, item) => ({ value, json: byItem.get(item) }));
}

/** A timeout of one millisecond is valid, though it may be over before the answer comes. */
const isRefused = ({ json }: Outcome): boolean =>
	typeof json?.error === 'string' && !json.error.startsWith('The service did not answer');

function expectRightOrRefused({ label, isRight }: Parameter, outcome: Outcome): void {
	const { value, json = {} } = outcome;
	const shown = (JSON.stringify(value) ?? String(value)).slice(0, 80);
	if (isRefused(outcome)) {
		expect(json.error, shown).toMatch(naming(label));
		expect(String(json.error).length, shown).toBeLessThan(250);
		return;
	}
	expect(Object.getPrototypeOf(json), shown).toBe(Object.prototype);
	expect(Object.hasOwn(json, '__proto__'), shown).toBe(false);
	expect(JSON.stringify(json).length, shown).toBeLessThan(5_000);
	if (json.asked) expect(isRight(value, json.asked as unknown as Asked), shown).toBe(true);
}

const PLACES = PARAMETERS.map(
	(parameter) => [`'${parameter.label}' of ${parameter.operation}`, parameter] as const,
);

/** A parameter, or those of a collection. */
const leavesOf = ({ type, displayName, options = [] }: INodeProperties): string[] =>
	type === 'collection'
		? options.flatMap((one) => ('type' in one ? leavesOf(one) : []))
		: [displayName];

describe('Hostile parameters', () => {
	it('are tried in every parameter of every operation', () => {
		const own = Object.entries<OperationType>(operations).flatMap(([operation, { fields }]) =>
			fields
				// A switch that takes no expression is on or off.
				.filter(({ name }) => name !== 'adjustMatching')
				.flatMap(leavesOf)
				.map((label) => `'${label}' of ${operation}`),
		);
		expect(PLACES.map(([place]) => place)).toEqual(expect.arrayContaining(own));
	});

	it.for(PLACES)('%s are right, or refused by name before a request', async ([, parameter]) => {
		const outcomes = await tryAll(parameter, [...TEXTS, ...JSON_VALUES]);
		for (const outcome of outcomes) expectRightOrRefused(parameter, outcome);
		expect(echo.undocumented).toEqual([]);
		const accepted = outcomes.filter((outcome) => !isRefused(outcome)).length;
		const each = parameter.operation === 'match' ? 4 : 1;
		expect(echo.asked.length).toBeLessThanOrEqual(each * accepted);
	});
});
