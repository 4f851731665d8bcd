import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { strayPlaces, withDistance } from '../../nodes/LicensingData/filters/placeFilters.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { cityKey, findPlace } from '../../nodes/LicensingData/places/cities.ts';
import { findZipCode } from '../../nodes/LicensingData/places/zipCodes.ts';
import { milesFrom } from '../../nodes/LicensingData/places/address.ts';
import { isInFlorida } from '../../nodes/LicensingData/places/distance.ts';
import { PLACE_TABLE } from '../../nodes/LicensingData/places/placeTable.ts';
import { BUSINESSES, ENOUGH_TO_TELL, zipTableSource } from '../../scripts/zip-codes.mts';
import { readText } from '../support/manifest.mts';

const at = (address: License['address']): License => ({ address });

const read = (filters: Record<string, unknown>, raw = filters) =>
	readFilters(LIST_FILTERS, (name, _, isRaw) =>
		name === 'filters' ? (isRaw ? raw : filters) : undefined,
	);

/** Whether the filters, as the editor stores them, let a license with this address through. */
const lets = (filters: Record<string, unknown>, address: License['address']): boolean =>
	matcherOf(LIST_FILTERS, read(filters))(at(address));

const near = (center: unknown, radius: unknown) => ({ near: { area: { center, radius } } });

it('The table of ZIP codes is what its script makes of its package', () => {
	expect(readText('nodes/LicensingData/places/zipTable.ts')).toBe(zipTableSource());
});

it('A ZIP code is in the county of most businesses, and of five', () => {
	const told = Object.entries(BUSINESSES).filter(
		([, counties]) => Math.max(...Object.values(counties)) >= ENOUGH_TO_TELL,
	);
	expect(told.length).toBeGreaterThan(800);
	for (const [zip, counties] of told) {
		const found = findZipCode(zip)?.counties ?? [];
		expect(counties[found[0] ?? ''], zip).toBe(Math.max(...Object.values(counties)));
		const names = Object.keys(counties).filter((name) => counties[name]! >= 5);
		expect(found, zip).toEqual(expect.arrayContaining(names));
	}
});

it('The table of places has each name once, in Florida, and near its ZIP codes', () => {
	const names = PLACE_TABLE.trim()
		.split('\n')
		.map((line) => cityKey(line.replace(/[\d ]+$/, '')));
	expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	expect(names.filter((name) => !isInFlorida(findPlace(name)!.point))).toEqual([]);
	const zips = { Miami: '33130', 'St. Petersburg': '33701', Cantonment: '32533' };
	for (const [city, zip] of Object.entries(zips))
		expect(milesFrom(findPlace(city)!.point, at({ zip })), city).toBeLessThan(6);
});

it('Distances go by the center of the ZIP code where coordinates are missing or none', () => {
	const tampa = { lat: 27.9506, lng: -82.4572 };
	for (const coordinates of [{}, { lat: null, lng: null }, { lat: 0, lng: 0 }])
		expect(milesFrom(tampa, at({ zip: '33602-4711', ...coordinates }))).toBeLessThan(2);
	const inMiami = at({ zip: '33602', lat: 25.7617, lng: -80.1918 });
	expect(milesFrom(tampa, inMiami)).toBeGreaterThan(200);
	expect(milesFrom(tampa, at({ lat: '27.9506' as never, lng: '-82.4572' as never }))).toBe(0);
	expect(milesFrom(tampa, at({ zip: '10001' }))).toBeUndefined();
	expect(milesFrom(tampa, {})).toBeUndefined();
	// From west to east, where degrees are shorter.
	expect(milesFrom(tampa, at({ lat: 27.9506, lng: -81.4572 }))).toBeCloseTo(61, 0);
	const { distanceMiles } = withDistance(read(near('33602', 5)))(inMiami);
	expect([Number(distanceMiles) > 200, (Number(distanceMiles) * 10) % 1]).toEqual([true, 0]);
	expect(withDistance(read(near('33602', 5)))({})).toEqual({ distanceMiles: null });
});

describe('Cities', () => {
	it.each([
		['St Petersburg', 'Saint Petersburg'],
		['W. Palm Beach', 'West Palm Beach'],
		['City of Doral', 'DORAL'],
		['St Pete', 'SAINT PETERSBURG'],
		['St. Pete Beach', 'ST PETERSBURG BCH'],
		['Palm Beach Gardens', 'PALM BCH GDNS'],
	])('%s is %s', (wanted, written) => {
		expect(lets({ cities: wanted }, { city: written })).toBe(true);
	});

	it.each([
		['St Petersburg, Tampa, saint petersburg, TAMPA', ['saintpetersburg', 'tampa']],
		['Tampa, FL, Miami, Florida', ['tampa', 'miami']],
	])('may be several, count once each, and are told apart from their state: %j', (cities, keys) => {
		expect(read({ cities }).cities).toMatchObject({ cities: keys });
	});

	const MISSPELLED =
		"No Florida city is called 'Orlndo' or 'Miamy'. Did you mean Orlando or Miami?";

	it.each([
		['Orlndo, Tampa, Miamy', MISSPELLED],
		['Lauderdale', /Did you mean Fort Lauderdale or .*Lauderdale-by-the-Sea/],
		['Brickell', /called 'Brickell'\.$/],
		['Tampa, 33602', /called '33602'/],
		['"!"', /called '"!"'/],
	])('refuse %j, which no place in Florida is called', (cities, message) => {
		expect(() => read({ cities })).toThrow(message);
	});

	it('say how to enter a name that the tables lack, which then works', () => {
		const advice = { description: expect.stringContaining('in double quotes: "New Haven Beech"') };
		const cities = 'New Haven Beech';
		expect(() => read({ cities })).toThrow(expect.objectContaining(advice));
		for (const cities of ['Tampa, "New Haven Beech"', '“New Haven Beech”', ['"New Haven Beech"']])
			expect(lets({ cities }, { city: 'NEW HAVEN BEECH' })).toBe(true);
	});
});

describe('ZIP codes', () => {
	it.each([
		['336021234', ['33602-1234', ' 33602 ', '336021234', 33602], ['3360', '', '9933602', '336021']],
		['33101 - 33199', ['33101', '33150', '33199'], ['33100', '33200']],
		['331*, 32701', ['33100', '33199-0001', '32701'], ['33200', '33099']],
		['33602  33605\n33606;33607', ['33602', '33605', '33606', '33607'], ['33603']],
		[33602, ['33602'], ['33603']],
	])('%j', (zipCodes, inside, outside) => {
		const filters = { zipCodes, keepUnlocated: false };
		const passing = [...inside, ...outside].filter((zip) => lets(filters, { zip: zip as string }));
		expect(passing).toEqual(inside);
	});

	const WRONG = ['10001', '3360', '133602', '331*0', '33199-33101', '33101-90210', 'Tampa'];

	it.each(WRONG)('turn away %j in words that help', (zipCodes) => {
		expect(() => read({ zipCodes })).toThrow(/not a Florida ZIP code/);
	});
});

describe('Near', () => {
	const miamiBeach = { lat: 25.7907, lng: -80.13 };
	const fortLauderdale = { lat: 26.1224, lng: -80.1373 };

	it.each([
		...['33101', '33101-1234', 33101, '25.7743,-80.1937', '(25.7743 -80.1937)', '25.8, -80'],
		'Miami',
	])('takes %j for its center, and is measured in miles', (center) => {
		expect(lets(near(center, 10), miamiBeach)).toBe(true);
		// They are 24 miles apart.
		expect(lets(near(center, 22), fortLauderdale)).toBe(false);
		expect(lets(near(center, '25'), fortLauderdale)).toBe(true);
	});

	const NOWHERE = "'Center' of 'Near' is not a place in Florida";
	const EMPTY = "'Center' of 'Near' is empty";

	it.each([
		[NOWHERE, ['10001', 'Atlantic', '27.95,82.46', '27.95,-82.46m', 'at 27.95,-82.46']],
		[NOWHERE, ['20.5,-82', '40.5,-82', '27.95,-100', '27.95,-70']],
		[`${NOWHERE}: Tamap. Did you mean Tampa?`, ['Tamap']],
		[EMPTY, [' ', null]],
	])('refuses a center: %s', (message, centers) => {
		for (const center of centers) expect(() => read(near(center, 25))).toThrow(message);
	});

	it.each([{}, { area: null }])('refuses %j, which would filter nothing', (value) => {
		expect(() => read({ near: value })).toThrow(EMPTY);
	});

	it.each([0, '', 'far', 5000, true])('refuses the radius %j', (radius) => {
		const message = "'Radius' of 'Near' is not a number above zero and up to 1000: ";
		expect(() => read(near('33602', radius))).toThrow(message);
	});
});

describe('A territory', () => {
	it.each([
		['Cities', { cities: 'Tampa' }, { zip: '33602', lat: 27.95, lng: -82.46 }],
		['ZIP Codes', { zipCodes: '33602' }, { city: 'Tampa', lat: 27.95, lng: -82.46 }],
		['Near', near('33602', 5), { city: 'Tampa', zip: '10001' }],
		['Near', near('33602', 5), null],
	])('keeps what %s cannot tell, unless told to drop it', (_, filters, address) => {
		expect(lets(filters, address)).toBe(true);
		expect(lets({ ...filters, keepUnlocated: 'false' }, address)).toBe(false);
	});

	it('has the area that an agent asks for, and none where an expression gives none', () => {
		const raw = near("={{ $fromAI('Center') }}", 25);
		const asked = (center: string) => read(near(center, 25), raw).near;
		expect(asked('33602')).toMatchObject({ near: { miles: 25 } });
		expect([asked(''), read({ near: '' }).near]).toEqual([undefined, undefined]);
	});

	it.each([
		[{ zipCodes: '33602', counties: 'Broward, Lee' }, '33602 is in Hillsborough'],
		[{ cities: 'Doral, Tampa', counties: 'Duval' }, 'Doral is in Miami-Dade'],
		[{ cities: 'Tampa', zipCodes: '33301', counties: 'Broward' }, 'Tampa is in Hillsborough'],
	])('that is in none of the chosen counties is refused: %j', (filters, pair) => {
		expect(() => read(filters)).toThrow(`and 'Counties' match nothing: ${pair}`);
	});

	it.each([
		['a part of a ZIP code', { zipCodes: '33559', counties: 'Pasco' }],
		['a small part of one', { zipCodes: '33896', counties: 'Orange' }],
		['a ZIP code that the table lacks', { zipCodes: '32165', counties: 'Lee' }],
		['a city across a border', { cities: 'Longboat Key', counties: 'Sarasota' }],
		['a city that the tables lack', { cities: '"New Haven Beech"', counties: 'Lee' }],
		['all of Florida', { cities: 'Tampa', zipCodes: '33602' }],
	])('may lie in the chosen counties where it is %s', (_, filters) => {
		expect(strayPlaces(read(filters))).toEqual([]);
	});

	it('of which a part is in them goes on, and the others are named', () => {
		const filters = { cities: 'Miami, Tampa', zipCodes: '33602, 33101, 32202', counties: 'Dade' };
		expect(strayPlaces(read(filters))).toEqual([
			"Some places are outside your 'Counties': Tampa is in Hillsborough; 33602 is in Hillsborough; 32202 is in Duval.",
		]);
	});
});
