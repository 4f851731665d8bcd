import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { LicensingDataApi } from '../../credentials/LicensingDataApi.credentials.ts';
import { LicensingDataTrigger } from '../../nodes/LicensingData/LicensingDataTrigger.node.ts';
import { API_KEY } from '../support/answers.mts';
import { runLicense } from '../support/license-node.mts';
import { Poller } from '../support/poller.mts';
import { Echo, type Asked } from './echo.mts';
import { made, RUNS, tried } from './runs.mts';
import { anyValue, EXPRESSIONS, JSON_VALUES, TEXTS } from './values.mts';

const echo = new Echo();
beforeAll(async () => await echo.open());
beforeEach(() => echo.forget());
afterAll(async () => await echo.close());

interface Parameter {
	label: string;
	/** The node's parameters, with the value in its place. */
	around: (value: unknown) => IDataObject;
	/** Whether what went out is what the value means. */
	isRight: (value: unknown, asked: Asked) => boolean;
}

const isNothing = (value: unknown): boolean =>
	value === undefined || value === null || String(value).trim() === '';
const isTextOrNumber = (value: unknown): boolean => ['string', 'number'].includes(typeof value);
const letters = (value: unknown): string =>
	String(value)
		.toLowerCase()
		.replace(/[^a-z]/g, '');

/** Sent as it is, but for space around it; nothing at all where there is nothing. */
const asText =
	(name: string, change = (text: string) => text) =>
	(value: unknown, { query }: Asked): boolean =>
		isNothing(value)
			? query[name] === undefined
			: isTextOrNumber(value) && query[name] === change(String(value).trim());

const asChoice =
	(name: string) =>
	(value: unknown, { query }: Asked): boolean =>
		isNothing(value)
			? query[name] === undefined
			: typeof value === 'string' && letters(value).includes(letters(query[name]).slice(0, 2));

const asCount =
	(most: number) =>
	(value: unknown, { query }: Asked): boolean =>
		isTextOrNumber(value) && Number(query.limit) === Math.min(Number(value), most);

const unchanged = (_: unknown, { query }: Asked): boolean => query.limit === '50';

const inGetMany = (more: (value: unknown) => object) => (value: unknown) =>
	({ operation: 'getAll', ...more(value) }) as IDataObject;

const PARAMETERS: Parameter[] = [
	{
		label: 'License',
		around: (licenseId) => ({ operation: 'get', licenseId }) as IDataObject,
		isRight: (value, { path }) =>
			path === `/v1/licenses/${encodeURIComponent(String(value).trim())}`,
	},
	{
		label: 'License',
		around: (value) =>
			({ operation: 'get', licenseId: { __rl: true, mode: 'id', value } }) as IDataObject,
		isRight: (value, { path }) =>
			path === `/v1/licenses/${encodeURIComponent(String(value).trim())}`,
	},
	{
		label: 'Query',
		around: (query) => ({ operation: 'search', query }) as IDataObject,
		isRight: asText('q'),
	},
	{
		label: 'Limit',
		around: (limit) => ({ operation: 'search', query: 'bar', limit }) as IDataObject,
		isRight: asCount(50),
	},
	{
		label: 'County',
		around: (county) => ({ operation: 'search', query: 'bar', filters: { county } }) as IDataObject,
		isRight: asChoice('county'),
	},
	{ label: 'Limit', around: inGetMany((limit) => ({ limit })), isRight: asCount(50) },
	{
		label: 'County',
		around: inGetMany((county) => ({ filters: { county } })),
		isRight: asChoice('county'),
	},
	{
		label: 'License Type',
		around: inGetMany((licenseType) => ({ filters: { licenseType } })),
		isRight: asChoice('license_type'),
	},
	{
		label: 'Event Type',
		around: inGetMany((eventType) => ({ filters: { eventType } })),
		isRight: asChoice('event_type'),
	},
	{
		label: 'Status',
		around: inGetMany((status) => ({ filters: { status } })),
		isRight: asText('status', (text) => text.toLowerCase()),
	},
	{
		label: 'Free Text',
		around: inGetMany((query) => ({ filters: { query } })),
		isRight: asText('q'),
	},
	{
		label: 'Filed After',
		around: inGetMany((filedAfter) => ({ filters: { filedAfter } })),
		isRight: unchanged,
	},
	{
		label: 'Filed Before',
		around: inGetMany((filedBefore) => ({ filters: { filedBefore } })),
		isRight: unchanged,
	},
	{
		label: 'Timeout',
		around: inGetMany((timeout) => ({ options: { timeout, retries: 0 } })),
		isRight: (value) => Number.isInteger(Number(value)) && Number(value) >= 1,
	},
	{
		label: 'Retries',
		around: inGetMany((retries) => ({ options: { retries } })),
		isRight: (value) => Number.isInteger(Number(value)),
	},
	{
		label: 'Parallel Requests',
		around: inGetMany((parallelRequests) => ({ options: { parallelRequests } })),
		isRight: (value) => Number.isInteger(Number(value)),
	},
	{
		label: 'Return All',
		around: inGetMany((returnAll) => ({ returnAll })),
		isRight: (value) => isNothing(value) || /^(true|false)$/.test(String(value)),
	},
	{
		label: 'Operation',
		around: (operation) => ({ operation, query: 'bar', licenseId: 'lic_1' }) as IDataObject,
		isRight: (value) => ['get', 'getAll', 'search'].includes(String(value)),
	},
	{
		label: 'Output',
		around: inGetMany((output) => ({ output })),
		isRight: (value) => ['simplified', 'raw', 'crmLead', 'selectedFields'].includes(String(value)),
	},
	{
		label: 'Fields',
		around: inGetMany((fields) => ({ output: 'selectedFields', fields })),
		isRight: () => true,
	},
];

type Outcome = { value: unknown; json?: IDataObject };

/** Runs the node once with an item for each value, and tells what came of each. */
async function tryAll({ around }: Parameter, values: unknown[]): Promise<Outcome[]> {
	const { items } = await runLicense(around('={{ $json.value }}'), {
		credentials: { baseUrl: echo.baseUrl, apiKey: API_KEY },
		items: values.map((value) => ({ value })) as IDataObject[],
		continueOnFail: true,
	});
	const byItem = new Map(
		items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, json]),
	);
	return values.map((value, item) => ({ value, json: byItem.get(item) }));
}

/** Has the prototype of every object, and no other in waiting. */
const isPlain = (json: IDataObject): boolean =>
	Object.getPrototypeOf(json) === Object.prototype && !Object.hasOwn(json, '__proto__');

/** A timeout of a millisecond is right, though it may be over before the answer comes. */
const isRefused = ({ json }: Outcome): boolean =>
	typeof json?.error === 'string' && !json.error.startsWith('The service did not answer');

function expectRightOrRefused({ label, isRight }: Parameter, outcome: Outcome): void {
	const { value, json = {} } = outcome;
	const shown = (JSON.stringify(value) ?? String(value)).slice(0, 80);
	if (isRefused(outcome)) {
		expect(json.error, shown).toContain(`'${label}'`);
		expect(String(json.error).length, shown).toBeLessThan(250);
	} else {
		expect(isPlain(json), shown).toBe(true);
		expect(JSON.stringify(json).length, shown).toBeLessThan(5_000);
		if (json.asked) expect(isRight(value, json.asked as unknown as Asked), shown).toBe(true);
	}
}

function expectNothingElseAsked(outcomes: Outcome[]): void {
	expect(echo.undocumented).toEqual([]);
	const accepted = outcomes.filter((outcome) => !isRefused(outcome));
	expect(echo.asked.length).toBeLessThanOrEqual(accepted.length);
}

const PLACES = PARAMETERS.map(
	(parameter) =>
		[`'${parameter.label}' of ${String(parameter.around('any').operation)}`, parameter] as const,
);

describe('Hostile parameters', () => {
	it.for(PLACES)(
		'%s are right, or refused by name before a request',
		async ([, parameter], test) => {
			const outcomes = await tryAll(parameter, [...TEXTS, ...JSON_VALUES]);
			for (const outcome of outcomes) expectRightOrRefused(parameter, outcome);
			expectNothingElseAsked(outcomes);
			tried(test, outcomes.length);
		},
	);

	it.for(PLACES)('%s may be anything at all', async ([, parameter], test) => {
		await fc.assert(
			fc.asyncProperty(fc.array(anyValue, { minLength: 1, maxLength: 20 }), async (values) => {
				echo.forget();
				const outcomes = await tryAll(parameter, values);
				for (const outcome of outcomes) expectRightOrRefused(parameter, outcome);
				expectNothingElseAsked(outcomes);
				tried(test, values.length);
			}),
			made(Math.ceil(RUNS / 20)),
		);
	});

	it.for(PLACES)('%s may be a value that no JSON can hold', async ([, parameter], test) => {
		for (const expression of EXPRESSIONS) {
			echo.forget();
			const { items, error } = await runLicense(parameter.around(expression), {
				credentials: { baseUrl: echo.baseUrl, apiKey: API_KEY },
			});
			if (error) {
				expect(error.message, expression).toContain(`'${parameter.label}'`);
				expect(echo.asked, expression).toEqual([]);
			}
			for (const { json } of items) {
				expect(isPlain(json), expression).toBe(true);
				expect(JSON.stringify(json.asked ?? ''), expression).not.toMatch(
					/NaN|Infinity|object|undefined/,
				);
			}
			expect(echo.undocumented, expression).toEqual([]);
		}
		tried(test, EXPRESSIONS.length);
	});
});

const TRIGGER_PLACES: Array<[label: string, around: (value: unknown) => object]> = [
	['Event Types', (eventTypes) => ({ eventTypes })],
	['Event Types', (value) => ({ eventTypes: [value] })],
	['Counties', (counties) => ({ filters: { counties } })],
	['Counties', (value) => ({ filters: { counties: [value] } })],
	['License Types', (licenseTypes) => ({ filters: { licenseTypes } })],
	['License Types', (value) => ({ filters: { licenseTypes: [value] } })],
	['Status', (status) => ({ filters: { status } })],
	['Free Text', (query) => ({ filters: { query } })],
	['Lookback Hours', (lookbackHours) => ({ options: { lookbackHours } })],
	['Max Items', (maxItems) => ({ options: { maxItems } })],
	['Repeat After Restart', (repeatAfterRestart) => ({ options: { repeatAfterRestart } })],
	['Start From', (startFrom) => ({ options: { startFrom } })],
	['Output', (output) => ({ output })],
	['Fields', (fields) => ({ output: 'selectedFields', fields })],
];

describe('Hostile parameters of the polling trigger', () => {
	const poll = async (label: string, parameters: object) => {
		echo.forget();
		const poller = new Poller({
			nodeType: new LicensingDataTrigger(),
			credentialType: new LicensingDataApi(),
			credentials: { baseUrl: echo.baseUrl, apiKey: API_KEY },
			parameters: parameters as IDataObject,
		});
		const outcome = await poller.activate().catch((error: Error) => error);
		const shown = JSON.stringify(parameters).slice(0, 120);
		if (outcome instanceof Error) {
			expect(outcome.message, shown).toContain(`'${label}'`);
			expect(outcome.message.length, shown).toBeLessThan(250);
			expect(echo.asked, shown).toEqual([]);
			expect(poller.saved, shown).toEqual({});
		}
		expect(echo.undocumented, shown).toEqual([]);
	};
	/** A text that begins with = is an expression, which is not what is tried here. */
	const literal = (value: unknown): unknown => (typeof value === 'string' ? ` ${value}` : value);

	it.for(TRIGGER_PLACES)(
		'%s are right, or refused by name before a request',
		async ([label, around], test) => {
			const values = [...TEXTS, ...JSON_VALUES];
			for (const value of values) await poll(label, around(literal(value)));
			tried(test, values.length);
		},
	);

	it.for(TRIGGER_PLACES)('%s may be anything at all', async ([label, around], test) => {
		await fc.assert(
			fc.asyncProperty(anyValue, async (value) => await poll(label, around(literal(value)))),
			made(),
		);
		tried(test, RUNS);
	});
});
