import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { didYouMean } from '../licenses/similarity';
import { isObject, numberOf, textOf } from '../licenses/text';
import { milesFrom } from '../places/address';
import { type ChosenPlaces, isInChosenPlaces } from '../places/chosenPlaces';
import { cityKey, countiesOfCity, findPlace, similarPlaces } from '../places/cities';
import { isInFlorida, type Point } from '../places/distance';
import {
	countiesOfZipCodes,
	findZipCode,
	fiveDigits,
	type ZipRange,
	zipRange,
} from '../places/zipCodes';
import { distinct, entriesOf, preview, previews, yesOrNo } from './enteredValues';
import { field, type FilterValues, type GetValue, isFromAgent, type LocalFilter } from './filter';

const CITIES = field('Cities', 'cities', 'string', '', {
	placeholder: 'e.g. Tampa, St. Petersburg',
	description:
		'Only licenses with one of these cities in their address. Separate names with commas. Names that are not Florida cities are rejected, unless you put them in double quotes.',
});

const ZIP_CODES = field('ZIP Codes', 'zipCodes', 'string', '', {
	placeholder: 'e.g. 33602, 33101-33199, 346*',
	description: 'Only licenses with one of these codes, ranges or prefixes, separated by commas',
});

const KEEP_UNLOCATED = field('Keep Licenses Without a Location', 'keepUnlocated', 'boolean', true, {
	description:
		"Whether to keep licenses that cannot be checked against 'Cities', 'ZIP Codes' or 'Near'",
});

// Its default opens its fields at once: a filter without an area would filter nothing.
const NEAR = field(
	'Near',
	'near',
	'fixedCollection',
	{ area: { center: '', radius: 25 } },
	{
		placeholder: 'Add Area',
		description:
			'Only licenses within a distance of a place. A license without coordinates counts as being at the center of its ZIP code.',
		options: [
			{
				displayName: 'Area',
				name: 'area',
				values: [
					field('Center', 'center', 'string', '', {
						placeholder: 'e.g. Tampa, 33602 or 27.95,-82.46',
						description: 'A city, a ZIP code, or latitude and longitude',
					}),
					field('Radius', 'radius', 'number', 25, {
						description: 'How many miles from the center, as the crow flies',
					}),
				],
			},
		],
	},
);

/**
 * Where licenses are. The service cannot filter by any of it, and asking for a county that seems to hold a place
 * could miss licenses: ZIP codes cross county lines, and some records name no county.
 */
const placeFilter = (
	name: 'cities' | 'near' | 'zipCodes',
	fields: LocalFilter['fields'],
	toPlaces: (value: unknown, written: unknown) => ChosenPlaces['near'] | unknown[],
): LocalFilter<typeof name> => ({
	name,
	fields,
	read(given) {
		const chosen = toPlaces(given(name), given(name, true));
		const isNothing = chosen === undefined || (Array.isArray(chosen) && chosen.length === 0);
		return isNothing ? undefined : { [name]: chosen, keepUnlocated: keepsUnlocated(given) };
	},
	matches: (license, wanted) => isInChosenPlaces(wanted, license),
	check({ cities, zipCodes }, all) {
		const [{ displayName: label }] = fields;
		const outside = placesOutsideCounties(all).filter((one) => one.label === label && one.isFar);
		if (outside[0] === undefined || outside.length < (cities ?? zipCodes ?? []).length) return;
		throw invalidInput(
			`'${label}' and 'Counties' match nothing: ${outside[0].where}`,
			`Choose that county, too, or correct '${label}'.`,
		);
	},
});

function keepsUnlocated(given: GetValue): boolean {
	const value = given(KEEP_UNLOCATED.name);
	const { displayName } = KEEP_UNLOCATED;
	return entriesOf(displayName, value).length === 0 || yesOrNo(displayName, value);
}

export const PLACE_FILTERS = [
	placeFilter('cities', [CITIES, KEEP_UNLOCATED], (value) => toCities(entriesOf('Cities', value))),
	placeFilter('near', [NEAR], toNear),
	placeFilter('zipCodes', [ZIP_CODES], (value) => toZipRanges(entriesOf('ZIP Codes', value))),
];

/** Those that lie in another county than the chosen ones: for the most part or, if they are far, entirely. */
export function placesOutsideCounties({ counties, ...all }: FilterValues) {
	if (counties === undefined) return [];
	const cities = (all.cities?.cities ?? []).map((city) => ({
		label: CITIES.displayName,
		name: findPlace(city)?.name ?? city,
		liesIn: countiesOfCity(city),
	}));
	const zipCodes = (all.zipCodes?.zipCodes ?? []).map((range) => ({
		label: ZIP_CODES.displayName,
		name: nameOfRange(range),
		liesIn: countiesOfZipCodes(range),
	}));
	return [...cities, ...zipCodes].flatMap(({ label, name, liesIn: [main, ...others] }) =>
		// A ZIP code or a city that the tables lack may lie anywhere.
		main === undefined || counties.includes(main)
			? []
			: {
					label,
					where: `${name} is in ${main}`,
					isFar: !others.some((county) => counties.includes(county)),
				},
	);
}

/** The chosen cities and ZIP codes that lie in none of the chosen counties, if some others do. */
export function strayPlaces(all: FilterValues): string[] {
	const strays = placesOutsideCounties(all).filter(({ isFar }) => isFar);
	const where = strays.map((stray) => stray.where).join('; ');
	return where === '' ? [] : [`Some places are outside your 'Counties': ${where}.`];
}

const nameOfRange = ({ from, to }: ZipRange) => (from === to ? from : `${from}-${to}`);

/** Adds each license's distance from the center of *Near*, if that filter is set. */
export function withDistance(all: FilterValues): (license: License) => License {
	const area = all.near?.near;
	if (area === undefined) return (license) => license;
	return (license) => {
		const miles = milesFrom(area.center, license);
		return { ...license, distanceMiles: miles === undefined ? null : Math.round(miles * 10) / 10 };
	};
}

/** For a name that our tables lack. */
const QUOTED = /^\s*["“](.+)["”]\s*$/;

/** The keys, each once. All cities that are unknown are named at once. */
function toCities(entries: unknown[]): string[] {
	const quotedIn = (entry: unknown) => QUOTED.exec(textOf(entry))?.[1];
	const byKey = new Map(entries.map((entry) => [cityKey(quotedIn(entry) ?? entry), entry]));
	// What follows the comma in "Tampa, FL".
	for (const state of ['fl', 'florida']) byKey.delete(state);
	const unknown = [...byKey]
		.filter(([key, entry]) => key === '' || (quotedIn(entry) ?? findPlace(key)) === undefined)
		.map(([, entry]) => entry);
	if (unknown.length === 0) return [...byKey.keys()];
	throw invalidInput(
		`No Florida city is called ${previews(unknown, "'").join(' or ')}.${placesLike(...unknown)}`,
		`Correct it under 'Cities'. Counties and ZIP codes have their own filters. For part of a city, use 'Near'. If licenses do have this name as their city, put it in double quotes: "${preview(unknown[0])}".`,
	);
}

const placesLike = (...entries: unknown[]): string =>
	didYouMean(previews(entries).flatMap((entry) => similarPlaces(entry)));

/** "33101 33102" are two, "33101 - 33199" is one. */
function toZipRanges(entries: unknown[]): ZipRange[] {
	const words = entries.flatMap((entry) => {
		const parts = textOf(entry).split(/(?<=[\d*])\s+(?=\d)/);
		return parts.map((part) => part.replace(/\s/g, '') || entry);
	});
	return distinct(ZIP_CODES.displayName, words).map((word) => {
		const range = zipRange(textOf(word));
		if (range !== undefined) return range;
		throw invalidInput(
			`'ZIP Codes' has an entry that is not a Florida ZIP code: ${preview(word)}`,
			'They start with 32, 33 or 34. Enter codes (33602), ranges from low to high (33101-33199) or prefixes (331*), separated by commas.',
		);
	});
}

/** Florida is 450 miles long. */
const MAX_MILES = 1000;

function toNear(value: unknown, written: unknown): ChosenPlaces['near'] {
	const { center, radius = 25 } = areaIn(value);
	const isAsked = value !== undefined && value !== null && value !== '';
	const hasCenter = entriesOf('Center', center).length > 0;
	// Without a center, a person made a mistake, but an agent was just not asked about an area.
	if (!isAsked || (!hasCenter && isFromAgent(areaIn(written).center))) return undefined;
	if (!hasCenter)
		throw invalidInput(
			"'Center' of 'Near' is empty",
			"Enter a city, a ZIP code or coordinates, or remove 'Near' to get licenses from everywhere.",
		);
	const miles = numberOf(radius);
	if (miles > 0 && miles <= MAX_MILES) return { center: readPoint(center), miles };
	throw invalidInput(
		`'Radius' of 'Near' is not a number above zero and up to ${MAX_MILES}: ${preview(radius)}`,
		'Enter the distance from the center in miles, e.g. 25.',
	);
}

const areaIn = (near: unknown): Record<string, unknown> =>
	isObject(near) && isObject(near.area) ? near.area : {};

function readPoint(center: unknown): Point {
	const text = textOf(center);
	const [, lat, lng] = /^\s*\(?(\d+(?:\.\d+)?)[\s,]+(-\d+(?:\.\d+)?)\)?\s*$/.exec(text) ?? [];
	const point =
		lat === undefined
			? (findZipCode(fiveDigits(text) ?? '') ?? findPlace(text))?.point
			: { lat: Number(lat), lng: Number(lng) };
	if (point !== undefined && isInFlorida(point)) return point;
	throw invalidInput(
		`'Center' of 'Near' is not a place in Florida: ${preview(center)}.${placesLike(text)}`,
		'Enter a city, e.g. Tampa, a ZIP code, e.g. 33602, or latitude and longitude separated by a comma, e.g. 27.95,-82.46. Longitudes in Florida are negative.',
	);
}
