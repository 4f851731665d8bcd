import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { PLACE_FILTERS, strayPlaces } from '../../nodes/LicensingData/filters/placeFilters.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	type ChosenPlaces,
	cityKey,
	findPlace,
	findZipCode,
	isInFlorida,
	milesFrom,
} from '../../nodes/LicensingData/places/places.ts';
import { PLACE_TABLE } from '../../nodes/LicensingData/places/placeTable.ts';
import { BUSINESSES, ENOUGH_TO_TELL, zipTableSource } from '../../scripts/zip-codes.mts';
import { ROOT } from '../support/manifest.mts';
import { MUNICIPALITIES } from '../support/municipalities.mts';

const at = (address: License['address']): License => ({ address });

const readPlaces = (filters: Record<string, unknown>, raw = filters) =>
	readFilters(PLACE_FILTERS, (_, fallback, isRaw) => (isRaw ? raw : filters) ?? fallback);

/** The keys of the cities that are read. */
const citiesIn = (filters: Record<string, unknown>) =>
	(readPlaces(filters).cities as ChosenPlaces | undefined)?.cities;

/** Whether the filters, as the editor stores them, let a license with this address through. */
function lets(filters: Record<string, unknown>, address: License['address']): boolean {
	const wanted = readPlaces(filters);
	if (Object.keys(wanted).length === 0) throw new Error('These filters describe no place');
	return matcherOf(PLACE_FILTERS, wanted)(at(address));
}

const near = (center: unknown, radius: unknown) => ({ near: { area: { center, radius } } });

it('The table of ZIP codes is what its script makes of the package that it comes from', () => {
	const file = join(ROOT, 'nodes/LicensingData/places/zipTable.ts');
	expect(readFileSync(file, 'utf8')).toBe(zipTableSource());
});

describe('The county of a ZIP code', () => {
	const told = Object.entries(BUSINESSES).flatMap(([zip, counties]) => {
		const most = Math.max(...Object.values(counties));
		return most >= ENOUGH_TO_TELL ? [{ zip, counties, most }] : [];
	});

	it('is the one into which the state puts most of its businesses, and each in which it has at least five', () => {
		expect(told.length).toBeGreaterThan(800);
		const wrong = told.filter(({ zip, counties, most }) => {
			const found = findZipCode(zip)?.counties ?? [];
			const atLeastFive = Object.keys(counties).filter((name) => counties[name]! >= 5);
			return (
				counties[found[0] ?? ''] !== most || !atLeastFive.every((name) => found.includes(name))
			);
		});
		expect(wrong).toEqual([]);
	});
});

describe('The table of places', () => {
	it('has all 411 municipalities, and each name once', () => {
		expect(MUNICIPALITIES).toHaveLength(411);
		expect(MUNICIPALITIES.filter((name) => findPlace(name)?.point === undefined)).toEqual([]);
		const names = PLACE_TABLE.trim()
			.split('\n')
			.map((line) => cityKey(line.replace(/[\d ]+$/, '')));
		expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
	});

	it('puts every place in Florida, and near its ZIP codes', () => {
		const outside = MUNICIPALITIES.filter((name) => !isInFlorida(findPlace(name)!.point));
		expect(outside).toEqual([]);
		const zips = { Miami: '33130', 'St. Petersburg': '33701', Cantonment: '32533' };
		for (const [city, zip] of Object.entries(zips))
			expect(milesFrom(findPlace(city)!.point, at({ zip })), city).toBeLessThan(6);
	});
});

it('Distances go by the center of the ZIP code where coordinates are missing or none', () => {
	const tampa = { lat: 27.9506, lng: -82.4572 };
	for (const coordinates of [{}, { lat: null, lng: null }, { lat: 0, lng: 0 }]) {
		expect(milesFrom(tampa, at({ zip: '33602-4711', ...coordinates }))).toBeLessThan(2);
	}
	const inMiami = at({ zip: '33602', lat: 25.7617, lng: -80.1918 });
	expect(milesFrom(tampa, inMiami)).toBeGreaterThan(200);
	expect(milesFrom(tampa, at({ lat: '27.9506' as never, lng: '-82.4572' as never }))).toBe(0);
	expect(milesFrom(tampa, at({ zip: '10001' }))).toBeUndefined();
	expect(milesFrom(tampa, {})).toBeUndefined();
});

describe('Cities', () => {
	it.each([
		['St Petersburg', 'Saint Petersburg'],
		['Ft. Lauderdale', 'Fort Lauderdale'],
		['Port St. Lucie', 'Port Saint Lucie'],
		['DeLand', 'De Land'],
		['W. Palm Beach', 'West Palm Beach'],
		['Land O Lakes', "Land O' Lakes"],
		['Lauderdale-by-the-Sea', 'Lauderdale By The Sea'],
		['City of Doral', 'DORAL'],
		['St Pete', 'SAINT PETERSBURG'],
		['St. Pete Beach', 'ST PETERSBURG BCH'],
		['Hallandale Beach', 'HALLANDALE'],
		['Lake Worth', 'LAKE WORTH BEACH'],
		['Palm Beach Gardens', 'PALM BCH GDNS'],
	])('%s is %s', (wanted, written) => {
		expect(lets({ cities: wanted }, { city: written })).toBe(true);
	});

	it.each([
		['St Petersburg, Tampa, saint petersburg, TAMPA', ['saintpetersburg', 'tampa']],
		['Tampa, FL, Miami, Florida', ['tampa', 'miami']],
		['Tampa; Key West\n', ['tampa', 'keywest']],
		[
			['Tampa', 'Key West'],
			['tampa', 'keywest'],
		],
	])('may be several, count once each, and are told apart from their state: %j', (cities, keys) => {
		expect(citiesIn({ cities })).toEqual(keys);
	});

	it('are at most 200', () => {
		const quoted = (count: number) =>
			Array.from({ length: count }, (_, at) => `"Beech ${at}"`).join();
		expect(citiesIn({ cities: quoted(200) })).toHaveLength(200);
		expect(() => readPlaces({ cities: quoted(201) })).toThrow("'Cities' has 201 entries");
	});

	it.each([
		[
			'Orlndo, Tampa, Miamy',
			"No Florida city is called 'Orlndo' or 'Miamy'. Did you mean Orlando or Miami?",
		],
		['Lauderdale', /Did you mean Fort Lauderdale or .*Lauderdale-by-the-Sea/],
		['Brickell', /called 'Brickell'\.$/],
		['Beach', /called 'Beach'\.$/],
		[['Miamy'], /Did you mean Miami\?$/],
		['Tampa, 33602', /called '33602'/],
	])('refuse %j, which no place in Florida is called', (cities, message) => {
		expect(() => readPlaces({ cities })).toThrow(message);
	});

	it('say how to enter a name that the tables lack, which then works', () => {
		const description = expect.stringContaining('put it in double quotes: "New Haven Beech"');
		expect(() => readPlaces({ cities: 'New Haven Beech' })).toThrow(
			expect.objectContaining({ description }),
		);
		for (const cities of ['Tampa, "New Haven Beech"', '“New Haven Beech”', ['"New Haven Beech"']]) {
			expect(lets({ cities }, { city: 'NEW HAVEN BEECH' })).toBe(true);
			expect(lets({ cities }, { city: 'Miami' })).toBe(false);
		}
	});
});

describe('ZIP codes', () => {
	it.each([
		['33602', ['33602', '33602-1234', ' 33602 ', '336021234', 33602], ['33603', '3360', '']],
		['33101-33199', ['33101', '33150', '33199'], ['33100', '33200']],
		['33101 - 33199', ['33101', '33150'], ['33200']],
		['331*, 32701', ['33100', '33199-0001', '32701'], ['33200', '33099']],
		['33602  33605\n33606;33607', ['33602', '33605', '33606', '33607'], ['33603']],
		[33602, ['33602'], ['33603']],
		['["33602", "33605"]', ['33602', '33605'], ['33603']],
	])('%j', (zipCodes, inside, outside) => {
		const filters = { zipCodes, keepUnlocated: false };
		for (const zip of inside)
			expect([zip, lets(filters, { zip: zip as string })]).toEqual([zip, true]);
		for (const zip of outside) expect([zip, lets(filters, { zip })]).toEqual([zip, false]);
	});

	it.each(['10001', '3360', '331', '33199-33101', '33101-90210', 'Tampa', { toString: 1 }])(
		'turn away %j in words that help',
		(zipCodes) => {
			expect(() => readPlaces({ zipCodes })).toThrow(/not a Florida ZIP code/);
		},
	);
});

describe('Near', () => {
	const miamiBeach = { lat: 25.7907, lng: -80.13 };
	const fortLauderdale = { lat: 26.1224, lng: -80.1373 };

	it.each(['33101', '33101-1234', 33101, '25.7743,-80.1937', '(25.7743 -80.1937)', 'Miami'])(
		'takes %j for its center, and is measured in miles',
		(center) => {
			expect(lets(near(center, 10), miamiBeach)).toBe(true);
			// They are 24 miles apart.
			expect(lets(near(center, 22), fortLauderdale)).toBe(false);
			expect(lets(near(center, '25'), fortLauderdale)).toBe(true);
		},
	);

	it.each([
		...['10001', 'Atlantic Ocean', '27.95', '27.95,82.46', '0,0'],
		...['at 27.95,-82.46', '27.95,-82.46 m', { toString: 1 }],
	])('turns away the center %j', (center) => {
		expect(() => readPlaces(near(center, 25))).toThrow(/not a place in Florida/);
	});

	it('suggests the city that was meant', () => {
		expect(() => readPlaces(near('Tamap', 25))).toThrow(
			"'Center' of 'Near' is not a place in Florida: Tamap. Did you mean Tampa?",
		);
	});

	it.each([{}, { area: null }, near(' ', 25).near, near(null, 25).near])(
		'turns away %j, which would filter nothing',
		(value) => {
			expect(() => readPlaces({ near: value })).toThrow("'Center' of 'Near' is empty");
		},
	);

	it.each([0, -5, '', 'far', 5000, null, true])('turns away the radius %j', (radius) => {
		const message = /not a number above zero and up to 1000: /;
		expect(() => readPlaces(near('33602', radius))).toThrow(message);
	});
});

describe('A territory', () => {
	it.each([
		['Cities', { cities: 'Tampa' }, { zip: '33602', lat: 27.95, lng: -82.46 }],
		['ZIP Codes', { zipCodes: '33602' }, { city: 'Tampa', lat: 27.95, lng: -82.46 }],
		['Near', near('33602', 5), { city: 'Tampa', zip: '10001' }],
		['Near', near('33602', 5), null],
	])('keeps what %s cannot tell, unless told to drop it', (_, filters, address) => {
		for (const [keepUnlocated, kept] of [
			[true, true],
			['true', true],
			[false, false],
			['false', false],
		])
			expect(lets({ ...filters, keepUnlocated }, address)).toBe(kept);
		expect(lets(filters, address)).toBe(true);
	});

	it('has the area that an agent asks for, and none where it asks for none', () => {
		const raw = near("={{ $fromAI('Center') }}", 25);
		const asked = (center: string) => readPlaces(near(center, 25), raw).near;
		expect(asked('33602')).toMatchObject({ near: { miles: 25 } });
		expect(asked('')).toBeUndefined();
	});
});

describe('Cities and ZIP codes in none of the chosen counties', () => {
	const read = (filters: Record<string, unknown>) =>
		readFilters(LIST_FILTERS, (name) => (name === 'filters' ? filters : undefined));

	it.each([
		[{ zipCodes: '33602', counties: 'Broward, Lee' }, '33602 is in Hillsborough'],
		[{ zipCodes: '33601-33610', counties: 'Lee' }, '33601-33610 is in Hillsborough'],
		[{ cities: 'Doral', counties: 'Duval' }, 'Doral is in Miami-Dade'],
		[{ cities: 'Tampa', zipCodes: '33301', counties: 'Broward' }, 'Tampa is in Hillsborough'],
	])('are refused: %j', (filters, pair) => {
		expect(() => read(filters)).toThrow(`and 'Counties' match nothing: ${pair}`);
	});

	it.each([
		['a part of a ZIP code', { zipCodes: '33559', counties: 'Pasco' }],
		['a small part of one', { zipCodes: '33896', counties: 'Orange' }],
		['a ZIP code that the table lacks', { zipCodes: '32165', counties: 'Lee' }],
		['a city across a border', { cities: 'Longboat Key', counties: 'Sarasota' }],
		['a city that the tables lack', { cities: '"New Haven Beech"', counties: 'Lee' }],
		['all of Florida', { cities: 'Tampa', zipCodes: '33602' }],
	])('are none where there is %s', (_, filters) => {
		expect(strayPlaces(read(filters))).toEqual([]);
	});

	it('are looked up, and not searched for', () => {
		const names = ['Tampa', ...(PLACE_TABLE.match(/^[A-Z][a-z]+(?= \d)/gm) ?? [])].slice(0, 200);
		read({ cities: 'Tampa', counties: 'Hillsborough' });
		// Every text that is compared with others is normalized.
		const normalize = vi.spyOn(String.prototype, 'normalize');
		expect(strayPlaces(read({ cities: names, counties: 'Hillsborough' }))).toHaveLength(1);
		expect(normalize.mock.calls.length).toBeLessThan(10 * names.length);
		vi.restoreAllMocks();
	});

	it('are named where others are in one', () => {
		const filters = { cities: 'Miami, Tampa', zipCodes: '33602, 33101, 32202', counties: 'Dade' };
		expect(strayPlaces(read(filters))).toEqual([
			"Some places are outside your 'Counties': Tampa is in Hillsborough; 33602 is in Hillsborough; 32202 is in Duval.",
		]);
	});
});
