import { keyOfWords } from '../licenses/leadKeys';
import type { Address, License } from '../licenses/license';
import { similarity } from '../licenses/similarity';
import { joined, MAX_COMPARED, plain, textOf } from '../licenses/text';
import { hasAddress, NO_ZIP_CODE } from '../places/address';
import { countiesOfCity } from '../places/cities';
import { findZipCode, fiveDigits } from '../places/zipCodes';

interface StreetName {
	/** Such as "nw", wherever it stands. */
	directions: string;
	/** What is left of the street, e.g. "main", "99" or "us 19". */
	name: string;
	/** Such as "st"; empty if there is none. */
	type: string;
}

/** An address in parts. Two spellings of one address have the same. */
export interface Street extends StreetName {
	/** The house number; of a range, both ends. Empty if there is none. */
	numbers: string[];
	/** Suites, floors and buildings in the order given; each with its alternatives, such as 104 and 105. */
	units: string[][];
}

// cspell:disable
/** From the Postal Service's Publication 28: each short form, and its other spellings. */
const SHORT_FORMS = new Map(
	`n north, s south, e east, w west, ne northeast, nw northwest, se southeast, sw southwest,
	ave avenue av, bch beach, blvd boulevard, cir circle, cswy causeway, ct court crt, ctr center, cv cove, dr drive,
	expy expressway, ft fort, hbr harbor harbour, hwy highway hway, lk lake, ln lane, pkwy parkway pkway pky,
	pl place, plz plaza, pt point, rd road, shr shore, spg springs spgs, sq square, st saint str street,
	ter terrace terr, trl trail tr, wy way,
	1 first one, 2 second, 3 third, 4 fourth, 5 fifth, 6 sixth six, 7 seventh, 8 eighth, 9 ninth, 10 tenth`
		.split(',')
		.flatMap((line) => {
			const [short = '', ...others] = line.trim().split(/\s+/);
			return others.map((other): [string, string] => [other, short]);
		}),
);

/** Within a name, words are written in full: "West Shore" is "Westshore", and "Bay View" is "Bayview". */
const FULL_FORMS = new Map(
	[...SHORT_FORMS]
		.reverse()
		.map(([full, short]): [string, string] => [short, /\d/.test(short) ? short : full]),
);

const TYPES = new Set('ave blvd cir ct dr hwy ln pkwy pl plz rd sq st ter trce trl wy'.split(' '));
const DIRECTION = '(?:[ns][ew]?|[ew])';

/** A house number, and what may stand before the number of a road. */
const BEFORE_ROAD = String.raw`^(\d+ (?:(?:[nsew]{1,2}|north|south|east|west|old) )?)`;
const US_ROUTE = '(?:1|17|19|23|27|29|41|90|92|98|129|192|221|231|301|319|331|441)';

/** Roads that people write in many ways: "us 1", the state's "sr 60", a county's "cr 220", "a1a". */
const ROADS: Array<[spellings: RegExp, name: string]> = [
	[/\b(?:dr )?(?:m ?l ?k|martin luther king)(?: (?:jr|junior))?\b/g, 'mlk'],
	[new RegExp(`${BEFORE_ROAD}(?:fl|florida) (?=\\d)`), '$1sr '],
	[/\b(?:(?:state|st|fl|florida) (?:road|rd|route|rte|highway|hwy)|s r) (?=\d|a1a)/g, 'sr '],
	[/\b(?:(?:highway|hwy) u ?s|u ?s (?:highway|hwy|route|rte)|u s) (?=\d)/g, 'us '],
	[/\b(?:county|co|cnty) (?:road|rd|route|highway|hwy) (?=\d)|\bc r (?=\d)/g, 'cr '],
	[/\b(?:sr|hwy|highway) (?=a1a)/g, ''],
	[new RegExp(String.raw`${BEFORE_ROAD}(?:highway|hwy) (?=${US_ROUTE}\b)`), '$1us '],
	[new RegExp(String.raw`${BEFORE_ROAD}(?:highway|hwy) (?=\d)`), '$1sr '],
];

const UNIT_ID = String.raw`(?:[a-z]{1,3}\d{1,5}[a-z]?|[a-z]{1,2} \d{1,5}|\d{1,5}(?: ?[a-z])?|[a-z])\b`;
const UNIT_IDS = `${UNIT_ID}(?: (?:and|to) ${UNIT_ID})*`;
const FLOOR = /\b(\d+)(?:st|nd|rd|th) (?:floor|fl|flr)\b/g;
const UNIT = new RegExp(
	String.raw`\b(?:apartment|apt|bays?(?= [a-z]?\d| [a-z]$)|bldg|building|fl|floor|flr|kiosk|level|lot|no(?= \d)|number|rm|room|sec|section|shop|slip|space|spc|stall|ste|store|suite|unit)s?\b(?: (?:no|number|unit)){0,9} (${UNIT_IDS})`,
	'g',
);
/** A unit may stand there without a word for it. */
const BEHIND_NAME = new RegExp(`^(${DIRECTION}(?: ${DIRECTION})*)?(?:^| |$)(${UNIT_IDS})?$`);
const MAY_BE_UNIT = /^(?:\d{1,5}[a-z]?|(?!a1a$)[a-z]{1,3}\d{1,5}[a-z]?|[a-z]|and|to)$/;
/** What Publication 28 has without a number; few write it. */
const WITHOUT_NUMBER =
	/ (?:basement|bsmt|front|frnt|lbby|lobby|penthouse|rear|(?:ground|lower|main|upper) (?:fl|floor|level))$/;
/** "Suite 5, 100 Main St" */
const UNIT_FIRST =
	/^\s*((?:#|(?:sec|section|slip|stall|ste|suite|unit)\b)[\s.#]*(?:[a-z][\s-]?\d{1,3}|\w{1,4}))(?:,|\s+-)?\s+(?=\d+\s\S)(.+)$/;
/** With a number of its own, the sign between a letter and a number belongs to the road or to the word. */
const LETTERS_OF_UNIT =
	/(?<=[\s,#])(?!(?:us|u|sr|cr|fl|rt|rte|hwy|ste|apt|bay|lot|no|rm|spc|unit)-)([a-z]{1,3})-(?=\d)/g;
// cspell:enable

/** What the parts are made of: words with single spaces, "unit" for "#", "and" for "&", "to" between numbers. */
const toWords = (street: string): string =>
	plain(
		street
			.slice(0, MAX_COMPARED)
			.toLowerCase()
			.replace(UNIT_FIRST, '$2 $1')
			.replace(LETTERS_OF_UNIT, '$1')
			.replace(/(\d)-(?=[a-z]\b)/g, '$1')
			.replace(/(\d)\s*[-–]\s*(?=[a-z]{0,2}\d)|\b([a-z])-(?=[a-z]\b)/g, '$1$2 to ')
			.replaceAll('#', ' unit ')
			.replace(/[&/]/g, ' and '),
	)
		.replace(/\b(apt|bldg|ste|suite|unit)(?=\d)/g, '$1 ')
		.replace(WITHOUT_NUMBER, '');

function normalizeStreet(street: string, address: Address): Street {
	const units: string[][] = [];
	const takeUnits = (_: string, ids: string): string => {
		units.push(ids.split(/ (?:and|to) /).map(unitId));
		return '';
	};
	const named = ROADS.reduce(
		(text, [spellings, name]) => text.replace(spellings, name),
		toWords(street),
	);
	const line = plain(named.replace(FLOOR, takeUnits).replace(UNIT, takeUnits)).replace(
		/^\w+/,
		(word) => SHORT_FORMS.get(word)?.match(/^\d+$/)?.[0] ?? word,
	);
	const [, first, last, rest = line] =
		/^(\d+)(?: (?:and|to) (\d+))?(?: |(?=[a-z]\b))(.+)$/.exec(line) ?? [];
	const words = rest
		.split(' ')
		.map((word) => SHORT_FORMS.get(word) ?? word.replace(/^(\d+)(?:st|nd|rd|th)$/, '$1'))
		.join(' ')
		// "N W 2nd Ave" lies in the northwest, "N West Shore Blvd" does not.
		.replace(/^([ns]) ([ew])(?= \d)/, '$1$2');
	const [name, bareUnits] = partsOf(words.split(' '));
	if (bareUnits !== '') takeUnits('', bareUnits);
	const numbers = [first, last].filter((number) => number !== undefined);
	return { numbers, ...byNumber(name, address), units };
}

const unitId = (id: string): string => id.replaceAll(' ', '').replace(/^0+(?=\d)/, '');

/** Directions stand before the name, or behind the type; units behind both. */
function partsOf(words: string[]): [StreetName, bareUnits: string] {
	const [before, all] = isDirection(words[0]) ? [words[0], words.slice(1)] : ['', words];
	const end = endOfName(all);
	const behind = BEHIND_NAME.exec(all.slice(end).join(' '));
	const name = behind ? all.slice(0, end) : all;
	const type = name.length > 1 && TYPES.has(name.at(-1) ?? '') ? (name.pop() ?? '') : '';
	const directions = joined(' ', before, behind?.[1]);
	return [{ directions, name: inFull(name), type }, behind?.[2] ?? ''];
}

const isDirection = (word = ''): boolean => new RegExp(`^${DIRECTION}$`).test(word);

/** Behind the type of the street, or the number of a road. */
function endOfName(words: string[]): number {
	if (/^(?:us|sr|cr)$/.test(words[0] ?? '')) return 2;
	let end = words.length;
	while (end > 1 && (isDirection(words[end - 1]) || MAY_BE_UNIT.test(words[end - 1] ?? ''))) end--;
	if (end === 1 ? words[0] === 'a1a' : TYPES.has(words[end - 1] ?? '')) return end;
	return words.length > 1 && isDirection(words.at(-1)) ? words.length - 1 : words.length;
}

/** One text, whether two words of a name are written as one. Numbers and single letters stay apart. */
const inFull = (words: string[]): string =>
	words
		.map((word) => FULL_FORMS.get(word) ?? word)
		.join(' ')
		.replace(/(?<=[a-z]{2}) (?=[a-z]{2})/g, '');

/** The street for a key, without units; of several house numbers the first. */
const streetLine = ({ numbers: [number = ''], directions, name, type }: Street): string =>
	joined(' ', number, directions, name, type);

/** The unit for a key; of several the first. */
const unitOf = (units: string[][]): string => units.map(([first]) => first).join('');

/**
 * Whether two addresses are the same door. A direction, street type or unit that only one of them has is
 * assumed to be left out of the other, and a typo is forgiven.
 */
export function compareStreets(one: Street, other: Street): 'same' | 'otherUnit' | 'other' {
	const isSame =
		one.numbers.some((number) => other.numbers.includes(number)) &&
		agree(one.directions, other.directions) &&
		agree(one.type, other.type) &&
		isSameName(one.name, other.name);
	if (!isSame) return 'other';
	return isSameUnit(one, other) ? 'same' : 'otherUnit';
}

/** The building may be left out of one, and a suite may be one of several. */
function isSameUnit({ units }: Street, { units: others }: Street): boolean {
	const suites = others.at(-1) ?? [];
	const isInSuite = units.at(-1)?.some((unit) => suites.includes(unit)) ?? false;
	const areSame = agree(unitOf(units.slice(0, -1)), unitOf(others.slice(0, -1))) && isInSuite;
	return areSame || agree(unitOf(units), unitOf(others));
}

const agree = (one: string, other: string): boolean => !one || !other || one === other;

/** One slip in a long name. Numbered streets have none: 22nd is not 2nd. */
function isSameName(one: string, other: string): boolean {
	const min = 1 - 1.5 / Math.max(one.length, other.length);
	const isLong = Math.min(one.length, other.length) >= 6 && !/\d|\b\w\b/.test(`${one} ${other}`);
	return one === other || (isLong && similarity(one, other, min) > min);
}

// cspell:disable
/**
 * Streets that have a name and a number, and are addressed by both, with the same house numbers. Only those that
 * are the same from end to end, and whose name no other street of the county has.
 */
const ROUTES = new Map([
	['backbeach rd', { county: 'Bay', route: 'us 98' }],
	['panamacitybeach pkwy', { county: 'Bay', route: 'us 98' }],
	['tamiami trl', { county: 'Collier', route: 'us 41' }],
	['federal hwy', { county: 'Palm Beach', route: 'us 1' }],
	['emeraldcoast pkwy', { county: 'Walton', route: 'us 98' }],
]);
/** "NW Bird Rd" is not the one in the southwest. */
const MIAMI_STREETS = new Map([
	['bird rd', { directions: 'sw', name: '40', type: 'st' }],
	['sunset dr', { directions: 'sw', name: '72', type: 'st' }],
	['n kendall dr', { directions: 'sw', name: '88', type: 'st' }],
	['sw lejeune rd', { directions: 'sw', name: '42', type: 'ave' }],
	['nw lejeune rd', { directions: 'nw', name: '42', type: 'ave' }],
]);
// cspell:enable

/** The street by its number, if it has one in its county. Looking for a city's county takes long, and few have two. */
function byNumber(street: StreetName, address: Address): StreetName {
	const { directions, name, type } = street;
	const numbered = ROUTES.get(`${name} ${type}`);
	if (numbered && numbered.county === likeliestCounty(address))
		return { directions, name: numbered.route, type: '' };
	const inMiami = MIAMI_STREETS.get(joined(' ', directions, name, type));
	return inMiami && likeliestCounty(address) === 'Miami-Dade' ? inMiami : street;
}

/**
 * One key for a venue, however its address is written, e.g. "100-n-main-st-5-33602": the street, the unit and
 * the ZIP code. The unit is included because two doors of a mall are two venues. Null without a street, a
 * house number or a ZIP code: nobody serves anything in a post office box, or under a license in escrow.
 */
export function venueKey({ address }: License): string | null {
	const zip = fiveDigits(address?.zip);
	if (zip === undefined || zip === NO_ZIP_CODE || !hasAddress({ address })) return null;
	const street = streetOf(address);
	if (!street?.numbers.length) return null;
	return keyOfWords(`${streetLine(street)} ${unitOf(street.units)} ${zip}`);
}

/** The street of a license or a business, as its county knows it. */
export function streetOf(address: License['address']): Street | undefined {
	const street = textOf(address?.street);
	return street === '' ? undefined : normalizeStreet(street, address ?? {});
}

/** The likeliest county. */
export const likeliestCounty = ({ zip, city }: Address): string | undefined =>
	(findZipCode(zip)?.counties ?? countiesOfCity(city))[0];
