import type { INodeProperties } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { didYouMean, numberOf } from '../licenses/text';
import {
	cityKey,
	countiesOfCity,
	countiesOfZipCodes,
	findPlace,
	findZipCode,
	fiveDigits,
	isInFlorida,
	MILES_PER_KILOMETER,
	type Point,
	similarPlaces,
	zipRange,
	type ZipRange,
} from '../places/places';
import { isInChosenPlaces, milesFrom, type ChosenPlaces } from '../places/address';
import { isFromAgent, type FilterValues, type Given, type LocalFilter } from './filter';
import { entriesOf, oneOf, shown, yesOrNo } from './values';

const fields: [INodeProperties, ...INodeProperties[]] = [
	{
		displayName: 'Cities',
		name: 'cities',
		type: 'string',
		default: '',
		placeholder: 'e.g. Tampa, St. Petersburg',
		description:
			'Only licenses with one of these cities in their address. Separate names with commas. A name that no Florida city has is refused, unless you put it in double quotes.',
	},
	{
		displayName: 'Keep Licenses Without a Location',
		name: 'keepUnlocated',
		type: 'boolean',
		default: true,
		description:
			"Whether to keep a license without the location that 'Cities', 'ZIP Codes' or 'Near' would check",
	},
	{
		displayName: 'Near',
		name: 'near',
		type: 'fixedCollection',
		// Opens its fields at once: a filter without an area would filter nothing.
		default: { area: { center: '', radius: 25, unit: 'miles' } },
		placeholder: 'Add Area',
		description:
			'Only licenses within a distance of a place. A license without coordinates counts as being at the center of its ZIP code.',
		options: [
			{
				displayName: 'Area',
				name: 'area',
				values: [
					{
						displayName: 'Center',
						name: 'center',
						type: 'string',
						default: '',
						placeholder: 'e.g. Tampa, 33602 or 27.95,-82.46',
						description: 'A city, a ZIP code, or latitude and longitude',
					},
					{
						displayName: 'Radius',
						name: 'radius',
						type: 'number',
						default: 25,
						description: 'How far from the center, as the crow flies',
					},
					{
						displayName: 'Unit',
						name: 'unit',
						type: 'options',
						default: 'miles',
						description: 'What the radius is measured in',
						options: [
							{ name: 'Kilometers', value: 'kilometers' },
							{ name: 'Miles', value: 'miles' },
						],
					},
				],
			},
		],
	},
	{
		displayName: 'ZIP Codes',
		name: 'zipCodes',
		type: 'string',
		default: '',
		placeholder: 'e.g. 33602, 33101-33199, 346*',
		description:
			'Only licenses with one of these ZIP codes. Separate codes, ranges and prefixes with commas.',
	},
];

const CONDITIONS = [
	['cities', 'Cities'],
	['zipCodes', 'ZIP Codes'],
	['near', 'Near'],
] as const;

/**
 * Where licenses are. The service cannot filter by any of it, and asking for a county that seems to hold a
 * territory could miss licenses: ZIP codes cross county lines, and some records name no county.
 */
export const territory: LocalFilter<ChosenPlaces> = {
	fields,
	read(given) {
		const cities = toCities(entriesOf(given('cities')));
		const zipCodes = entriesOf(given('zipCodes')).flatMap(toZipRanges);
		const near = isLeftOut(given('near'), given('near', true)) ? undefined : toNear(given('near'));
		if (cities.length === 0 && zipCodes.length === 0 && near === undefined) return undefined;
		return {
			...(cities.length > 0 && { cities }),
			...(zipCodes.length > 0 && { zipCodes }),
			...(near && { near }),
			keepUnlocated: toKeepUnlocated(given),
		};
	},
	matches: (license, wanted) => isInChosenPlaces(wanted, license),
	conditions: ({ keepUnlocated, ...given }) =>
		CONDITIONS.flatMap(
			([name, label]): Array<[string, ChosenPlaces]> =>
				given[name] ? [[label, { [name]: given[name], keepUnlocated }]] : [],
		),
	check(_, all) {
		for (const { label, strays, isAll } of elsewhere(all)) {
			if (!isAll) continue;
			throw invalidInput(
				`'${label}' and 'Counties' leave nothing: ${strays[0]}`,
				`Choose that county, too, or correct '${label}'.`,
			);
		}
	},
};

const toKeepUnlocated = (given: Given): boolean => {
	const value = given('keepUnlocated');
	return entriesOf(value).length === 0 || yesOrNo('Keep Licenses Without a Location', value);
};

/** The chosen cities and ZIP codes that lie in none of the chosen counties, if some others do. */
export const strayPlaces = (all: FilterValues): string[] =>
	elsewhere(all).map(
		({ label, strays }) =>
			`Some of '${label}' are in none of the 'Counties': ${strays.join('; ')}.`,
	);

/** For an empty result: the cities that lie mostly in other counties than the chosen ones. */
export function citiesElsewhere(all: FilterValues): string[] {
	const counties = all.counties as string[] | undefined;
	const { cities = [] } = (all[fields[0].name] ?? {}) as Partial<ChosenPlaces>;
	return cities.flatMap((city) => {
		const [main] = countiesOfCity(city);
		if (counties === undefined || main === undefined || counties.includes(main)) return [];
		return `${findPlace(city)?.name ?? city} is in ${main}`;
	});
}

/** Only what the tables know is elsewhere: a ZIP code or a city that they lack may lie anywhere. */
function elsewhere(all: FilterValues) {
	const counties = all.counties as string[] | undefined;
	if (counties === undefined) return [];
	const { cities = [], zipCodes = [] } = (all[fields[0].name] ?? {}) as Partial<ChosenPlaces>;
	const places: Array<[label: string, known: Array<[name: string, its: string[]]>]> = [
		['Cities', cities.map((city) => [findPlace(city)?.name ?? city, countiesOfCity(city)])],
		['ZIP Codes', zipCodes.map((range) => [nameOfRange(range), countiesOfZipCodes(range)])],
	];
	return places.flatMap(([label, known]) => {
		const strays = known
			.filter(([, its]) => its.length > 0 && !its.some((county) => counties.includes(county)))
			.map(([name, its]) => `${name} is in ${its[0]}`);
		return strays.length === 0 ? [] : [{ label, strays, isAll: strays.length === known.length }];
	});
}

const nameOfRange = ({ from, to }: ZipRange): string => (from === to ? from : `${from}-${to}`);

/** Without a center, a person made a mistake, but an agent was just not asked about an area. */
const isLeftOut = (near: unknown, raw: unknown): boolean =>
	isFromAgent(areaOf(raw)?.center) && entriesOf(areaOf(near)?.center).length === 0;

const areaOf = (near: unknown): Record<string, unknown> | undefined =>
	(near as { area?: Record<string, unknown> } | undefined)?.area;

/** Adds each license's distance from the center of *Near*, if that filter is set. */
export function withDistance(values: FilterValues): (license: License) => License {
	const near = (values[fields[0].name] as ChosenPlaces | undefined)?.near;
	if (near === undefined) return (license) => license;
	return (license) => {
		const miles = milesFrom(near.center, license);
		return { ...license, distanceMiles: miles === undefined ? null : Math.round(miles * 10) / 10 };
	};
}

/** For a name that our tables lack. */
const QUOTED = /^\s*["“](.+)["”]\s*$/;

/** More than anybody enters by hand. Each is looked up for every item. */
const MOST_CITIES = 200;

/** The keys, each once. All cities that are unknown are named at once. */
function toCities(entries: unknown[]): string[] {
	const quotedIn = (entry: unknown) =>
		typeof entry === 'string' ? QUOTED.exec(entry)?.[1] : undefined;
	const byKey = new Map(entries.map((entry) => [cityKey(quotedIn(entry) ?? entry), entry]));
	// What follows the comma in "Tampa, FL".
	for (const state of ['fl', 'florida']) byKey.delete(state);
	if (byKey.size > MOST_CITIES) {
		throw invalidInput(
			`'Cities' has ${byKey.size} entries`,
			`Enter at most ${MOST_CITIES}. For more, choose their counties under 'Counties'.`,
		);
	}
	const unknown = [...byKey]
		.filter(([key, entry]) => key === '' || (quotedIn(entry) ?? findPlace(key)) === undefined)
		.map(([, entry]) => entry);
	if (unknown.length === 0) return [...byKey.keys()];
	throw invalidInput(
		`No Florida city is called ${unknown.map((entry) => `'${shown(entry)}'`).join(' or ')}.${placesLike(...unknown)}`,
		`Correct it under 'Cities'. Counties and ZIP codes have filters of their own, and so have parts of a city: 'Near'. If licenses do have this name as their city, put it in double quotes: "${shown(unknown[0])}".`,
	);
}

const placesLike = (...entries: unknown[]): string =>
	didYouMean(entries.flatMap((entry) => similarPlaces(shown(entry))));

/** "33101 33102" are two, "33101 - 33199" is one. */
function toZipRanges(entry: unknown): ZipRange[] {
	const text = typeof entry === 'string' || typeof entry === 'number' ? String(entry) : '';
	const words = text.split(/(?<=[\d*])\s+(?=\d)/);
	return words.map((word) => {
		const range = zipRange(word.replace(/\s/g, ''));
		if (range !== undefined) return range;
		throw invalidInput(
			`'ZIP Codes' has an entry that is not a Florida ZIP code: ${shown(entry)}`,
			"Florida's start with 32, 33 or 34. Enter codes (33602), ranges from low to high (33101-33199) or prefixes (331*), separated by commas.",
		);
	});
}

function toNear(value: unknown): ChosenPlaces['near'] {
	if (value === undefined || value === null || value === '') return undefined;
	if (typeof value !== 'object') {
		throw invalidInput(
			`'Near' is not an area: ${shown(value)}`,
			'Under Near, add an area with a center and a radius.',
		);
	}
	const { center, radius = 25, unit = 'miles' } = areaOf(value) ?? {};
	if (entriesOf(center).length === 0) {
		throw invalidInput(
			"'Center' of 'Near' is empty",
			"Enter a city, a ZIP code or coordinates, or remove 'Near' to get licenses from everywhere.",
		);
	}
	const distance = numberOf(radius);
	if (!(distance > 0) || distance > MOST_MILES) {
		throw invalidInput(
			`'Radius' of 'Near' is not a number above zero and up to ${MOST_MILES}: ${shown(radius)}`,
			'Enter the distance from the center in miles or kilometers, e.g. 25.',
		);
	}
	const isInMiles = oneOf('Unit', unit, ['kilometers', 'miles']) === 'miles';
	return {
		center: toPoint(center),
		miles: isInMiles ? distance : distance * MILES_PER_KILOMETER,
	};
}

/** Florida is 450 miles long. */
const MOST_MILES = 1000;

function toPoint(center: unknown): Point {
	const text = typeof center === 'string' || typeof center === 'number' ? String(center) : '';
	const [, lat, lng] = /^\s*\(?(\d+(?:\.\d+)?)[\s,]+(-\d+(?:\.\d+)?)\)?\s*$/.exec(text) ?? [];
	const point =
		lat === undefined
			? (findZipCode(fiveDigits(text) ?? '') ?? findPlace(text))?.point
			: { lat: Number(lat), lng: Number(lng) };
	if (point !== undefined && isInFlorida(point)) return point;
	throw invalidInput(
		`'Center' of 'Near' is not a place in Florida: ${shown(center)}.${placesLike(text)}`,
		'Enter a city, e.g. Tampa, a ZIP code, e.g. 33602, or latitude and longitude separated by a comma, e.g. 27.95,-82.46. Longitudes in Florida are negative.',
	);
}
