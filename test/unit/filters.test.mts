import type { INodePropertyOptions } from 'n8n-workflow';

import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { toQueries } from '../../nodes/LicensingData/filters/queries.ts';
import { LIST_FILTERS, POLLING_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { LIQUOR_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { license } from '../support/records.mts';

const read = (filters: Record<string, unknown>, of = LIST_FILTERS, timeZone = 'UTC') =>
	readFilters(of, (name) => (name === 'filters' ? filters : undefined), timeZone);
const FOOD_TYPES = ['FOOD_SERVICE', 'MOBILE_FOOD', 'SEATING'];

it.each<[given: string | string[], counties: string]>([
	[['Lee', 'Bay'], 'Lee, Bay'],
	['lee,\nBAY COUNTY and Lee', 'Lee, Bay'],
	['["Lee", "Bay"]', 'Lee, Bay'],
	['Saint Johns, de soto county', 'St. Johns, DeSoto'],
	['Dade, palm_beach', 'Miami-Dade, Palm Beach'],
	['INDIAN-RIVER-COUNTY', 'Indian River'],
])("Counties may be written in many ways: '%s' is %s", (given, counties) => {
	expect(read({ counties: given })).toEqual({ counties: counties.split(', ') });
});

describe('License Types', () => {
	it.each<[given: string | string[], types: string[]]>([
		['allLiquor', LIQUOR_TYPES],
		['liquor', LIQUOR_TYPES],
		['All Serving Alcohol (Bars, Restaurants)', ['COP', 'SRX']],
		['all serving food or drink (all restaurants)', [...FOOD_TYPES, 'BOTTLE_CLUB', 'COP', 'SRX']],
		['cop, all liquor', ['COP', ...LIQUOR_TYPES.filter((type) => type !== 'COP')]],
		['4COP, 2COP, 4-COP, Consumption on Premises (COP)', ['COP']],
		['Permanent Food Service With Seating', ['SEATING']],
		['COP, food service', ['COP', ...FOOD_TYPES]],
		['bars and restaurants', ['COP', 'FOOD_SERVICE', 'SEATING']],
		// As the list in the editor has it.
		['COP: Bars, Restaurants, 1COP, 2COP, 4COP', ['COP']],
		['1APS, 2APS, 3PS', ['APS']],
		['4COP-SRX, 4COP-SFS, SFS', ['SRX']],
		['11C, 13CT, 3BPS', ['BEV']],
		['14BC, Temporary Permit, manufacturer', ['BOTTLE_CLUB', 'TEMP_PERMIT', 'MANUFACTURER']],
	])("may be groups, codes of the state and names: '%s' is %s", (licenseTypes, types) => {
		expect(read({ licenseTypes })).toMatchObject({ licenseTypes: types });
	});

	it.each<[typed: string | string[], types: string, passing: string]>([
		['4COP', 'COP', '4COP'],
		[['2cop', '4 COP-SFS'], 'COP SRX', '2COP 4COP-SFS'],
		['2COP SFS', 'SRX', '2COP-SFS'],
		['sfs, 3ps', 'SRX APS', '4COP-SFS 2COP-SFS 3PS'],
		['4COP, bars', 'COP', '4COP 2COP'],
	])('ask for the type of a series, and pick it here: %s', (licenseTypes, types, passing) => {
		const { queries, matches } = toQueries(LIST_FILTERS, read({ licenseTypes }));
		const asked = types.split(' ');
		expect(queries).toEqual(asked.map((type) => ({ license_type: type })));
		const sent = { COP: ['4COP', '2COP'], SRX: ['4COP-SFS', '2COP-SFS'], APS: ['3PS', '1APS'] };
		const passed = (asked as Array<keyof typeof sent>).flatMap((licenseType) =>
			sent[licenseType].filter((licenseSeries) => matches({ licenseType, licenseSeries })),
		);
		expect(passed.join(' ')).toBe(passing);
		// Most services do not say it.
		expect(matches({ licenseType: 'COP' })).toBe(true);
	});

	it.each([
		['4COP', ['COP', 'SRX']],
		['3PS', ['APS']],
		['SFS', ['SRX']],
		['caterers', ['BEV', 'FOOD_SERVICE']],
	])("that hold %s are found in n8n's list, which searches names", (typed, types) => {
		const filter = LIST_FILTERS.find(({ fields: [{ name }] }) => name === 'licenseTypes');
		const options = filter?.fields[0].options as INodePropertyOptions[];
		const shown = options.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
		expect(shown.map(({ value }) => value)).toEqual(types);
	});
});

it('Statuses are several, in either spelling, each once', () => {
	const status = ['canceled', 'Cancelled', 'Pending', 'Past Due'];
	expect(read({ status })).toEqual({ status: ['cancelled', 'pending', 'past due'] });
});

it.each([
	...[' 11/01/2026 ', '11/1/2026 9:00', '2026-11-01', '2026-11-01T00:00:00', '2026-11-01T21:00'],
	// Such are the dates of JavaScript that were made from a day.
	...['2026-11-01T00:00:00.000Z', new Date('2026-11-01'), '2026-11-01 00:00+09:00'],
])('A day may be written as %s, and is that day in every time zone', (filedAfter) => {
	for (const timeZone of ['Pacific/Honolulu', 'America/New_York', 'Asia/Tokyo'])
		expect(read({ filedAfter }, LIST_FILTERS, timeZone)).toEqual({ filedAfter: '2026-11-01' });
});

it.each([
	...[new Date('2026-11-28T02:00:00Z'), '2026-11-28T02:00:00.000Z', '2026-11-28 02:00Z'],
	...['2026-11-27T21:00:00.000-05:00', '2026-11-27T21:00-0500', '2026-11-28T11:00:00+09'],
])("A moment, %s, is the day that it is in the workflow's time zone", (filedAfter) => {
	const inZone = (timeZone: string) => read({ filedAfter }, LIST_FILTERS, timeZone).filedAfter;
	expect(inZone('America/New_York')).toBe('2026-11-27');
	expect(inZone('Asia/Tokyo')).toBe('2026-11-28');
});

describe('A list', () => {
	const LISTS = ['counties', 'licenseTypes', 'cities', 'zipCodes', 'status'];
	const different = (count: number) => Array.from({ length: count }, (_, at) => `x${at}`);

	it.each(LISTS)('has at most a thousand entries, of a million characters: %s', (name) => {
		for (const list of [different(1001), different(1001).join()])
			expect(() => read({ [name]: list })).toThrow(/^'[\w ]+' has more than 1,000 entries$/);
		const long = ['x'.repeat(600_000), 'y'.repeat(600_000)];
		for (const list of [long, long.join()])
			expect(() => read({ [name]: list })).toThrow(
				/^'[\w ]+' is longer than 1,000,000 characters$/,
			);
	});

	it('counts what is repeated once, and names five of what is wrong', () => {
		const wrong = /x0(, |' or ')x1\1x2\1x3\1x4'?(, | or )995 more/;
		for (const name of ['counties', 'licenseTypes', 'cities'])
			expect(() => read({ [name]: different(1000) })).toThrow(wrong);
		const zipCodes = '33602 33605,'.repeat(2000);
		expect(read({ zipCodes })).toMatchObject({ zipCodes: { zipCodes: { length: 2 } } });
		const spaced = Array.from({ length: 1001 }, (_, at) => 32000 + at).join(' ');
		expect(() => read({ zipCodes: spaced })).toThrow("'ZIP Codes' has more than 1,000 entries");
	});
});

const CHOOSE = 'Choose from the list, or check what the expression returns.';
const NOT_LISTED = (label: string, value: string) =>
	`'${label}' has a value that is not in its list: ${value}`;
const EVENTS =
	'Choose from: Address Change, Cancellation, New Filing, Ownership Transfer, Renewal, Status Change.';
const IN_TAMPA = "Tampa is a city in Hillsborough: use 'Cities', or choose its county.";
const [EARLY, LATE] = ['07/01/2026', '2026-07-02'];
const LATER = `: ${LATE} is after 2026-07-01`;

it.each<[filters: Record<string, unknown>, message: string, advice?: string]>([
	[{ counties: 'Fulton' }, NOT_LISTED('Counties', 'Fulton'), CHOOSE],
	[{ counties: [['Lee']] }, NOT_LISTED('Counties', 'a list')],
	[{ counties: 'Browrd' }, `${NOT_LISTED('Counties', 'Browrd')}. Did you mean Broward?`],
	[{ counties: 'Tampa, Doral' }, NOT_LISTED('Counties', 'Tampa, Doral'), IN_TAMPA],
	[
		{ licenseTypes: 'trucks' },
		`${NOT_LISTED('License Types', 'trucks')}. Did you mean Mobile Food?`,
	],
	[{ eventTypes: 'filling' }, NOT_LISTED('Events', 'filling'), EVENTS],
	[{ query: '4COP' }, "'Free Text' looks for names, and 4COP is a kind of license", "Choose 'COP'"],
	[{ onlyWithAddress: 'perhaps' }, "'Only With an Address' is neither true nor false"],
	[{ filedAfter: 'on 2026-07-01' }, "'Filed On or After' is not a date: on 2026-07-01"],
	[{ filedAfter: '2026-02-30' }, "'Filed On or After' is not a date: 2026-02-30"],
	[{ filedAfter: '13/01/2026' }, "'Filed On or After' is not a date", 'month/day/year'],
	[
		{ expiresAfter: LATE, expiresBefore: EARLY },
		`'Expires On or After' is later than 'Expires On or Before'${LATER}`,
	],
	[
		{ filedAfter: LATE, filedBefore: EARLY },
		`'Filed On or After' is later than 'Filed On or Before'${LATER}`,
	],
])('The filters %j are refused in words that help', (filters, message, advice = '.') => {
	const description = expect.stringContaining(advice);
	expect(() => read(filters)).toThrow(message);
	expect(() => read(filters)).toThrow(expect.objectContaining({ description }));
});

it('Filters become no more queries than allowed: the one with most values is matched here', () => {
	const values = read({
		counties: 'Lee, Bay, Clay',
		licenseTypes: ['COP', 'SRX'],
		filedAfter: '2026-07-01',
	});
	const { queries, matches, matchedHere } = toQueries(LIST_FILTERS, values, 5);
	expect(queries).toEqual([{ license_type: 'COP' }, { license_type: 'SRX' }]);
	expect(matchedHere).toHaveLength(2);
	const lee = { address: { county: ' LEE COUNTY ' }, filedDate: '2026-07-01' };
	expect(matches({ ...lee, licenseType: 'a spelling of the service' })).toBe(true);
	expect(matches({ ...lee, filedDate: '2026-06-30' })).toBe(false);
	expect(matches({ ...lee, address: { county: 'Polk' } })).toBe(false);
	expect(matches({ ...lee, address: null })).toBe(false);
});

it.each<[filters: Record<string, unknown>, license: License, passes: boolean]>([
	[{ eventTypes: 'renewal' }, { eventType: 'RENEWAL' }, true],
	[{ licenseTypes: 'allLiquor' }, { licenseType: 'SRX' }, true],
	[{ licenseTypes: 'allLiquor' }, { licenseType: 'SEATING' }, false],
	[{ filingKinds: 'newHolder' }, license(), false],
	[{ filingKinds: 'newHolder, newLicense' }, license({ licenseNumber: 'COP-2019-1' }), true],
	[{ filingKinds: ['notKnown'] }, license({ licenseNumber: '10001' }), true],
	[{ filingKinds: 'notKnown' }, license({ eventType: 'renewal' }), true],
	[{ onlyWithAddress: true }, { address: { street: ' ', zip: '33602' } }, false],
	[{ onlyWithAddress: true }, { address: { street: 'N/A', zip: '99999' } }, false],
	[{ onlyWithAddress: true }, { address: { street: 'N/A', city: ' No City Code ' } }, false],
	[{ onlyWithAddress: true }, { address: { street: '1 Elm', city: 'Tampa', zip: '99999' } }, true],
	[{ onlyWithAddress: true }, { address: null }, false],
	[{ onlyWithPhone: true }, { enrichment: { phone: 8135550148 as never } }, true],
	[{ onlyWithPhone: true }, { enrichment: { phone: 'N/A' } }, false],
	[{ status: 'canceled' }, { status: 'Cancelled' }, true],
	[{ status: 'cancelled, past due' }, { status: ' PAST DUE' }, true],
	[{ licenseTypes: 'food service' }, { licenseType: 'Food Service' }, true],
	[{ licenseTypes: 'SEATING' }, { licenseType: 'Food Service' }, false],
	[{ expiresAfter: '2026-07-01' }, { expirationDate: '2026-07-01' }, true],
	[{ expiresAfter: '2026-07-01' }, { expirationDate: '2026-06-30' }, false],
	[{ expiresBefore: '2026-07-01' }, { expirationDate: '2026-07-02' }, false],
	[{ filedBefore: '2026-07-01' }, { filedDate: '2026-07-02' }, false],
	[{ filedBefore: '2026-07-01' }, { filedDate: null }, false],
	[{ filedBefore: '2026-07-01' }, { filedDate: '2026-07-01T22:00:00-04:00' }, true],
	[{ happenedAfter: '2026-07-01' }, { eventTimestamp: '2026-06-30T23:59:59Z' }, false],
	[{ happenedBefore: '2026-07-01' }, { eventTimestamp: '2026-07-01T23:59:59Z' }, true],
])('A record is matched by %j: %j', (filters, record, passes) => {
	expect(matcherOf(LIST_FILTERS, read(filters))(record)).toBe(passes);
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
		...['saint petersburg', 'St. Pete', 'grill & bar', 'rawdeal', 'oys ter'],
	])('%s is found', (words) => {
		expect(finds(words, bar)).toBe(true);
	});

	it.each(['yster', 'oyster tavern', 'main', 'null', 'raw deals'])('%s is not', (words) => {
		expect(finds(words, bar)).toBe(false);
		expect(finds(words, { ...bar, address: null })).toBe(false);
	});

	it('of signs alone, which would let everything through, is refused', () => {
		const message = "'Free Text' has neither a letter nor a digit: &!";
		const description = expect.stringContaining('Enter the words');
		expect(() => finds('&!', bar)).toThrow(expect.objectContaining({ message, description }));
	});
});
