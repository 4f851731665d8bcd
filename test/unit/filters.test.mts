import type { INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import {
	type Filter,
	matcherOf,
	readFilters,
	toQueries,
} from '../../nodes/LicensingData/filters/filter.ts';
import {
	LIST_FILTERS,
	TRIGGER_EVENTS,
	POLLING_FILTERS,
	readTriggerFilters,
	WEBHOOK_FILTERS,
} from '../../nodes/LicensingData/filters/licenseFilters.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { LICENSE_TYPES, LIQUOR_TYPES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { license } from '../support/records.mts';

const read = (filters: Record<string, unknown>, of = LIST_FILTERS) =>
	readFilters(of, () => filters);
const FOOD_TYPES = ['FOOD_SERVICE', 'MOBILE_FOOD', 'SEATING'];
const choosing = LIST_FILTERS.filter(({ fields: [{ type }] }) => type === 'multiOptions');
const valuesOf = ({ fields: [{ options }] }: Filter) =>
	(options as INodePropertyOptions[]).map(({ value }) => String(value));

describe('A filter with choices', () => {
	const typeFilter = LIST_FILTERS.find(({ fields: [{ name }] }) => name === 'licenseTypes');
	const options = typeFilter?.fields[0].options as INodePropertyOptions[];

	it.each(choosing)('reads one value as saved workflows hold it: $query', (filter) => {
		const [{ name }] = filter.fields;
		const value = String(valuesOf(filter).at(-1));
		expect(read({ [name]: value })).toEqual({ [name]: [value] });
	});

	it.each([
		['a list', ['Lee', 'Bay']],
		['a text with commas', 'lee, BAY COUNTY'],
		['a text with semicolons and line ends', 'Lee;\nBay;'],
		['a text with a word between', 'Lee and Bay'],
		['a list written as JSON', '["Lee", "Bay"]'],
		['a list with texts that hold several', ['Lee, Bay', null, 'Lee', '']],
	])('reads %s', (_, counties) => {
		expect(read({ counties })).toEqual({ counties: ['Lee', 'Bay'] });
	});

	it.each([
		['allLiquor', LIQUOR_TYPES],
		['liquor', LIQUOR_TYPES],
		['Serves Alcohol (Bars, Restaurants)', ['COP', 'SRX']],
		['serves food or drink (all restaurants)', [...FOOD_TYPES, 'BOTTLE_CLUB', 'COP', 'SRX']],
		[['All Food Service'], FOOD_TYPES],
		['cop, all liquor', ['COP', ...LIQUOR_TYPES.filter((type) => type !== 'COP')]],
	])('takes a group for its types: %s', (licenseTypes, types) => {
		expect(read({ licenseTypes })).toEqual({ licenseTypes: types });
	});

	it.each([
		...['4COP', '2COP', '4-COP', 'Consumption on Premises (COP)', 'cop'].map((one) => [one, 'COP']),
		...['1APS', '2APS', '3PS'].map((one) => [one, 'APS']),
		...['4COP-SRX', '4COP-SFS', 'SFS'].map((one) => [one, 'SRX']),
		...['11C', '13CT', '3BPS'].map((one) => [one, 'BEV']),
		['14BC', 'BOTTLE_CLUB'],
		['Temporary Permit', 'TEMP_PERMIT'],
		['manufacturer', 'MANUFACTURER'],
	])('knows the type that holds %s: %s', (licenseTypes, type) => {
		expect(read({ licenseTypes })).toEqual({ licenseTypes: [type] });
	});

	it.each([
		['4COP', ['COP', 'SRX']],
		['2COP', ['COP']],
		['3PS', ['APS']],
		['SFS', ['SRX']],
		['caterers', ['BEV', 'FOOD_SERVICE']],
		[
			'restaurant',
			['barsAndRestaurants', 'allFoodOrDrink', 'COP', 'FOOD_SERVICE', 'SEATING', 'SRX'],
		],
	])("shows in n8n's list, which searches names, what holds %s", (typed, types) => {
		const shown = options.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
		expect(shown.map(({ value }) => value)).toEqual(types);
	});

	it('gives license types names that n8n need not cut off, and says who has each, and who has another', () => {
		expect(options.length).toBeGreaterThan(10);
		expect(options.filter(({ name }) => name.length > 48)).toEqual([]);
		for (const { description = '' } of LICENSE_TYPES) expect(description).toMatch(/^[^.]+\. .+\.$/);
	});

	it.each([{ counties: { name: 'Lee' } }, { counties: [['Lee']] }])(
		'refuses %j and names itself',
		(filters) => {
			expect(() => read(filters)).toThrow("'Counties' has a value that is not in its list");
		},
	);
});

describe("A trigger's filters", () => {
	/** Its parameters, evaluated and as they were written. */
	const readAs = (given: Record<string, unknown>, raw: Record<string, unknown>) =>
		readTriggerFilters([TRIGGER_EVENTS, ...POLLING_FILTERS], {
			getNodeParameter: (name, fallback, options) =>
				(options?.rawExpressions ? raw : given)[name] ?? fallback,
		});

	it('are read as they are evaluated, not as they were written', () => {
		const filters = { counties: '={{ $json.county }}' };
		const given = { eventTypes: ['renewal'], filters: { counties: 'Lee' } };
		const read = readAs(given, { eventTypes: '={{ $json.event }}', filters });
		expect(read).toEqual({ eventTypes: ['renewal'], counties: ['Lee'] });
	});

	it.each([
		['Events', { eventTypes: '={{ [] }}' }],
		['Counties', { filters: { counties: '={{ [] }}' } }],
	])('are refused where the expression in %s gives nothing', (label, raw) => {
		expect(() => readAs({}, raw)).toThrow(`'${label}' is empty: its expression returns nothing`);
	});
});

describe('Filters become queries', () => {
	it('for every combination of what was chosen, without what the service does not filter by', () => {
		const values = read({
			counties: 'Lee, Bay',
			licenseTypes: ['COP', 'SRX'],
			filedAfter: '2026-07-01',
		});
		const { queries, matchedHere } = toQueries(LIST_FILTERS, values);
		expect(queries).toHaveLength(4);
		for (const county of ['Lee', 'Bay'])
			for (const license_type of ['COP', 'SRX'])
				expect(queries).toContainEqual({ county, license_type });
		expect(matchedHere).toHaveLength(1);
	});

	it('no more than allowed: the filter with the most values is then matched here', () => {
		const values = read({ counties: 'Lee, Bay, Clay', licenseTypes: ['COP', 'SRX'] });
		const { queries, matches, matchedHere } = toQueries(LIST_FILTERS, values, 5);
		expect(queries).toEqual([{ license_type: 'COP' }, { license_type: 'SRX' }]);
		expect(matches({ address: { county: 'Clay' } })).toBe(true);
		expect(matches({ address: { county: 'Polk' } })).toBe(false);
		expect(matchedHere).toHaveLength(1);
	});

	it('where there is only one, with what is left to match here', () => {
		const values = read({ counties: 'Lee, Bay', licenseTypes: 'COP', filedAfter: '2026-07-01' });
		const { queries, matches } = toQueries(LIST_FILTERS, values, 1);
		expect(queries).toEqual([{ license_type: 'COP' }]);
		const lee = { address: { county: 'LEE COUNTY' }, filedDate: '2026-07-01' };
		expect(matches({ ...lee, licenseType: 'a spelling of the service' })).toBe(true);
		expect(matches({ ...lee, filedDate: '2026-06-30' })).toBe(false);
		expect(matches({ ...lee, address: { county: 'Clay' } })).toBe(false);
		expect(matches({ ...lee, address: null })).toBe(false);
	});
});

describe('A record is matched by', () => {
	it.each<[filters: Record<string, unknown>, license: License, passes: boolean]>([
		[{ eventTypes: 'renewal' }, { eventType: 'RENEWAL' }, true],
		[{ eventTypes: 'renewal' }, { eventType: 'merger' }, false],
		[{ licenseTypes: 'allLiquor' }, { licenseType: 'SRX' }, true],
		[{ licenseTypes: 'allLiquor' }, { licenseType: 'SEATING' }, false],
		[{ filingKinds: 'New License' }, license(), true],
		[{ filingKinds: 'newHolder' }, license(), false],
		[{ filingKinds: 'newHolder, newLicense' }, license({ licenseNumber: 'COP-2019-1' }), true],
		[{ filingKinds: ['notKnown'] }, license({ licenseNumber: '10001' }), true],
		[{ filingKinds: 'notKnown' }, license({ eventType: 'renewal' }), true],
		[{ onlyWithAddress: true }, { address: { street: ' ', zip: '33602' } }, false],
		[{ onlyWithAddress: true }, { address: { street: 'N/A', zip: '99999' } }, false],
		[{ onlyWithAddress: true }, { address: { street: 'N/A', city: 'No City Code' } }, false],
		[{ onlyWithAddress: true }, { address: { street: '1 Main St', city: 'Tampa' } }, true],
		[{ onlyWithAddress: false }, { address: null }, true],
		[{ onlyWithAddress: true }, { address: null }, false],
		[{ status: 'canceled' }, { status: 'Cancelled' }, true],
		[{ status: 'cancelled, past due' }, { status: ' PAST DUE' }, true],
		[{ status: ['active', 'pending'] }, { status: 'inactive' }, false],
		[{ filedBefore: '2026-07-01' }, { filedDate: '2026-07-02' }, false],
		[{ filedBefore: '2026-07-01' }, { filedDate: null }, false],
		[{ filedBefore: '2026-07-01' }, { filedDate: '2026-07-01T22:00:00-04:00' }, true],
		[{ happenedAfter: '2026-07-01' }, { eventTimestamp: '2026-06-30T23:59:59Z' }, false],
		[{ happenedBefore: '2026-07-01' }, { eventTimestamp: '2026-07-01T23:59:59Z' }, true],
		[{ happenedBefore: '2026-07-01' }, { eventTimestamp: '2026-07-02T00:00:00Z' }, false],
	])('%j: %j', (filters, record, passes) => {
		expect(matcherOf(LIST_FILTERS, read(filters))(record)).toBe(passes);
	});

	it('no filter that only the service can apply: nothing passes it unseen', () => {
		const matches = matcherOf(LIST_FILTERS, read({ query: 'oyster' }));
		expect(() => matches({})).toThrow("Only the service can filter by 'query'");
	});
});

describe('Free Text in a trigger', () => {
	const finds = (query: string, license: License): boolean =>
		matcherOf(POLLING_FILTERS, read({ query }, POLLING_FILTERS))(license);
	const bar: License = {
		businessName: "Joe's Oyster Bar & Grill",
		dbaName: 'The Raw Deal',
		legalName: 'STARLIGHT HOLDINGS, LLC',
		address: { city: 'St.Petersburg', county: 'Pinellas', street: '1 Main' },
	};

	it.each([
		...['oyster bar', 'OYST', 'bar joes', 'oyster, pinellas', 'raw', 'starlight llc'],
		...['saint petersburg', 'St. Pete', 'grill & bar'],
	])('%s is found', (words) => {
		expect(finds(words, bar)).toBe(true);
	});

	it.each(['yster', 'oyster tavern', 'main', 'null', 'raw deals'])('%s is not', (words) => {
		expect(finds(words, bar)).toBe(false);
	});

	it.each([
		['de land', 'DeLand'],
		['deland', 'De Land'],
		['fort myers', 'FT. MYERS'],
	])('%s is found in the city %s', (words, city) => {
		expect(finds(words, { address: { city } })).toBe(true);
	});

	it('refuses the name of a kind of license, and says where it is', () => {
		const message = "'Free Text' looks for names, and 3ps is a kind of license";
		const description = expect.stringContaining("Choose 'APS' under 'License Types'");
		expect(() => finds('3ps', bar)).toThrow(expect.objectContaining({ message, description }));
	});
});

describe('Every node', () => {
	it.each([
		['Get Many', LIST_FILTERS],
		['the polling trigger', [TRIGGER_EVENTS, ...POLLING_FILTERS]],
		['the webhook trigger', [TRIGGER_EVENTS, ...WEBHOOK_FILTERS]],
	])('%s names each parameter once', (_, filters) => {
		const names = filters.flatMap(({ fields }) => fields.map(({ name }) => name));
		expect(new Set(names).size).toBe(names.length);
	});

	it('matches what it filters by itself', () => {
		const local = LIST_FILTERS.filter(({ query }) => query === undefined);
		expect(local.filter(({ matches }) => !matches)).toEqual([]);
		expect(choosing.filter(({ matches }) => !matches)).toEqual([]);
	});
});
