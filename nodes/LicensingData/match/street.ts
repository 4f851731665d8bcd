import { LONGEST_COMPARED, plain, similarity } from '../licenses/text';

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
	ave avenue av aven, bch beach, bnd bend, blvd boulevard bl boul boulv, cir circle circ, crk creek, cswy causeway,
	ct court crt, ctr center centre cntr, cv cove, dr drive drv, expy expressway, ft fort, gdns garden gardens,
	hbr harbor harbour, hts heights, hwy highway hiway hway, intl international, lk lake, lndg landing, ln lane,
	mdw meadow meadows, mt mount, pkwy parkway pkway pky, pl place, plz plaza, pt point, rd road, shr shore shores,
	spg spring springs spgs, sq square, st saint sainte str street, ter terrace terr, trl trail trails tr,
	vlg village, vw view, wy way, xing crossing,
	1 first one, 2 second two, 3 third three, 4 fourth four, 5 fifth five, 6 sixth six, 7 seventh seven,
	8 eighth eight, 9 ninth nine, 10 tenth ten, 11 eleventh, 12 twelfth, 13 thirteenth, 14 fourteenth,
	15 fifteenth, 16 sixteenth, 17 seventeenth, 18 eighteenth, 19 nineteenth, 20 twentieth`
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
		.flatMap(
			([full, short]): Array<[string, string]> => (/^\d/.test(short) ? [] : [[short, full]]),
		),
);

const TYPES = new Set(
	`aly ave blvd bnd cir cres cswy ct cv dr expy hwy ln loop pass path pike pkwy pl plz rd row run sq st ter tpke trce trl walk
	way wy xing`.split(/\s+/),
);
const DIRECTION = '(?:[ns][ew]?|[ew])';

const DIGITS_FOLLOW = String.raw`(?=\d|a1a)`;
/** A house number, and what may stand before the number of a road. */
const BEFORE_ROAD = String.raw`^(\d+ (?:half )?(?:(?:[nsew]{1,2}|north|south|east|west|old) )?)`;
const US_ROUTE = '(?:1|17|19|23|27|29|41|90|92|98|129|192|221|231|301|319|331|441)';

/** Roads that people write in many ways: "us 1", the state's "sr 60", a county's "cr 220", "a1a". */
const ROADS: Array<[spellings: RegExp, name: string]> = [
	[/\b(?:dr )?(?:m ?l ?k|martin luther king)(?: (?:jr|junior))?\b/g, 'mlk'],
	[new RegExp(`${BEFORE_ROAD}(?:fl|florida) (?=\\d)`), '$1sr '],
	[
		new RegExp(
			String.raw`\b(?:(?:state|st|fl|florida) (?:road|rd|route|rte|highway|hwy)|s r) ${DIGITS_FOLLOW}`,
			'g',
		),
		'sr ',
	],
	[/\b(?:(?:highway|hwy) u ?s|u ?s (?:highway|hwy|route|rte)|u s) (?=\d|alt)/g, 'us '],
	[/\b(?:county|co|cnty) (?:road|rd|route|highway|hwy) (?=\d)|\bc r (?=\d)/g, 'cr '],
	[/\b(?:sr|hwy|highway) (?=a1a)/g, ''],
	[new RegExp(String.raw`${BEFORE_ROAD}(?:highway|hwy) (?=${US_ROUTE}\b)`), '$1us '],
	[new RegExp(String.raw`${BEFORE_ROAD}(?:highway|hwy) (?=\d)`), '$1sr '],
	[/\b(?:us )?(?:alt|alternate) (?:us )?(\d+)\b/g, 'us $1 alt'],
];

const UNIT_ID = String.raw`(?:[a-z]{1,3}\d{1,5}[a-z]?|[a-z]{1,2} \d{1,5}|\d{1,5}(?: ?[a-z])?|[a-z])\b`;
const UNIT_IDS = `${UNIT_ID}(?: (?:and|to) ${UNIT_ID})*`;
const FLOOR = /\b(\d+)(?:st|nd|rd|th) (?:floor|fl|flr)\b/g;
const UNIT = new RegExp(
	String.raw`\b(?:apartment|apt|bays?(?= [a-z]?\d| [a-z]$)|bldg|building|fl|floor|flr|kiosk|level|lot|no(?= \d)|number|rm|room|sec|section|shop|slip|space|spc|stall|ste|store|suite|unit)s?\b(?: (?:no|number|unit))* (${UNIT_IDS})`,
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
			.slice(0, LONGEST_COMPARED)
			.toLowerCase()
			.replace(UNIT_FIRST, '$2 $1')
			.replace(/^(\s*\d+)[\s-]+1\/2(?=\s)/, '$1 half')
			.replace(/(?<!co |county |state )\b(us|u\.s\.|hwy|highway)([\s.-]*\d+)-?a\b/g, '$1$2 alt')
			.replace(LETTERS_OF_UNIT, '$1')
			.replace(/(\d)-(?=[a-z]\b)/g, '$1')
			.replace(/(\d)\s*[-–]\s*(?=[a-z]{0,2}\d)|\b([a-z])-(?=[a-z]\b)/g, '$1$2 to ')
			.replaceAll('#', ' unit ')
			.replace(/[&/]/g, ' and '),
	)
		.replace(/\b(apt|bldg|ste|suite|unit)(?=\d)/g, '$1 ')
		.replace(WITHOUT_NUMBER, '');

/** The county tells which streets have two names. */
export function normalizeStreet(street: string, county?: string): Street {
	const units: string[][] = [];
	const takeUnits = (_: string, ids: string): string => {
		units.push(ids.split(/ (?:and|to) /).map(unitId));
		return '';
	};
	const named = ROADS.reduce(
		(text, [spellings, name]) => text.replace(spellings, name),
		toWords(street),
	);
	const line = named
		.replace(FLOOR, takeUnits)
		.replace(UNIT, takeUnits)
		.trim()
		.replace(/\s+/g, ' ')
		.replace(/^\w+/, (word) => SHORT_FORMS.get(word)?.match(/^\d+$/)?.[0] ?? word);
	const [, first, last, half = '', rest = ''] =
		/^(\d+)(?: (?:and|to) (\d+))?( half)?(?: |(?=[a-z]\b))(.+)$/.exec(line) ?? [];
	const words = (first === undefined ? line : rest)
		.split(' ')
		.map((word) => SHORT_FORMS.get(word) ?? word.replace(/^(\d+)(?:st|nd|rd|th)$/, '$1'))
		.join(' ')
		// "N W 2nd Ave" lies in the northwest, "N West Shore Blvd" does not.
		.replace(/^([ns]) ([ew])(?= \d)/, '$1$2');
	const [name, bareUnits] = partsOf(words.split(' '));
	if (bareUnits !== '') takeUnits('', bareUnits);
	const numbers = [first, last].flatMap((number) => (number ? number + half : []));
	return { numbers, ...byNumber(name, county), units };
}

const unitId = (id: string): string => id.replaceAll(' ', '').replace(/^0+(?=\d)/, '');

/** Directions stand before the name, or behind the type; units behind both. */
function partsOf(words: string[]): [StreetName, bareUnits: string] {
	const isBefore = isDirection(words[0]) && words.length > 1;
	const [before, all] = isBefore ? [words.slice(0, 1), words.slice(1)] : [[], words];
	const end = endOfName(all);
	const behind = BEHIND_NAME.exec(all.slice(end).join(' '));
	const name = behind ? all.slice(0, end) : all;
	const type = name.length > 1 && TYPES.has(name.at(-1) ?? '') ? (name.pop() ?? '') : '';
	const directions = [...before, behind?.[1]].filter(Boolean).join(' ');
	return [{ directions, name: inFull(name), type }, behind?.[2] ?? ''];
}

const isDirection = (word = ''): boolean => new RegExp(`^${DIRECTION}$`).test(word);

/** Behind the type of the street, or the number of a road. */
function endOfName(words: string[]): number {
	if (/^(?:us|sr|cr)$/.test(words[0] ?? '')) return words[2] === 'alt' ? 3 : 2;
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
export const streetLine = ({ numbers: [number = ''], directions, name, type }: Street): string =>
	[number, directions, name, type].filter(Boolean).join(' ');

/** The unit for a key; of several the first. */
export const unitOf = ({ units }: Street): string => units.map(([first]) => first).join('');

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
function isSameUnit(one: Street, other: Street): boolean {
	if (agree(unitOf(one), unitOf(other))) return true;
	const [building, suite] = splitUnit(one);
	const [otherBuilding, others] = splitUnit(other);
	return agree(building, otherBuilding) && suite.some((unit) => others.includes(unit));
}

const splitUnit = (street: Street): [building: string, suite: string[]] => [
	unitOf({ ...street, units: street.units.slice(0, -1) }),
	street.units.at(-1) ?? [],
];

const agree = (one: string, other: string): boolean => !one || !other || one === other;

/** One slip in a long name. Numbered streets have none: 22nd is not 2nd. */
function isSameName(one: string, other: string): boolean {
	const least = 1 - 1.5 / Math.max(one.length, other.length);
	const isLong = Math.min(one.length, other.length) >= 6 && !/\d|\b\w\b/.test(`${one} ${other}`);
	return one === other || (isLong && similarity(one, other, least) > least);
}

// cspell:disable
/**
 * Streets that have a number and a name, and are addressed by both, with the same house numbers: by county, as
 * `number: names`. Only those that are the same from end to end, and whose name no other street of the county has.
 */
const TWO_NAMES: Record<string, string> = {
	Bay: 'us 98 alt: frontbeach rd; us 98: panamacitybeach pkwy, backbeach rd',
	Broward: 'us 1: federal hwy; us 441: sr 7',
	Charlotte: 'us 41: tamiami trl',
	Citrus: 'us 19: suncoast blvd; sr 44: gulftolake hwy',
	Collier: 'us 41: tamiami trl',
	Hernando: 'us 19: commercial way; sr 50: cortez blvd',
	Lee: 'us 41: tamiami trl',
	Martin: 'us 1: federal hwy',
	'Miami-Dade': `sw 8 st: tamiami trl, us 41, calleocho; sw 40 st: bird rd; sw 56 st: miller dr, miller rd;
		sw 72 st: sunset dr; sw 88 st: kendall dr, n kendall dr; sw 152 st: coralreef dr; sw 184 st: eureka dr;
		sw 312 st: campbell dr; sw 177 ave: krome ave; sw 87 ave: galloway rd; sw 67 ave: s ludlam rd;
		sw 57 ave: s red rd; sw 42 ave: s lejeune rd, sw lejeune rd; nw 42 ave: n lejeune rd, nw lejeune rd`,
	Monroe: 'us 1: overseas hwy',
	Okaloosa: 'us 98: emeraldcoast pkwy',
	Orange: 'sr 50: colonial dr; us 441: orangeblossom trl; sr 436: semoran blvd',
	'Palm Beach': 'us 1: federal hwy; us 441: sr 7',
	Sarasota: 'us 41: tamiami trl',
	'St. Lucie': 'us 1: federal hwy',
	Walton: 'us 98: emeraldcoast pkwy',
};
// cspell:enable

const NUMBERS = new Map(
	Object.entries(TWO_NAMES).flatMap(([county, streets]) =>
		streets.split(';').flatMap((street) => {
			const [number = '', names = ''] = street.split(':').map((part) => part.trim());
			const [road] = partsOf(number.split(' '));
			return names.split(/,\s*/).map((name): [string, StreetName] => [`${county}: ${name}`, road]);
		}),
	),
);

/** The street by its number, if it has one in this county. */
function byNumber(street: StreetName, county = ''): StreetName {
	const { directions, name, type } = street;
	const written = `${name} ${type}`.trim();
	const exact = NUMBERS.get(`${county}: ${directions} ${written}`);
	const road = exact ?? NUMBERS.get(`${county}: ${written}`);
	if (road?.directions === '') return { ...road, directions };
	// "NW Bird Rd" is not the one in the southwest.
	return road && (exact || ['', road.directions].includes(directions)) ? road : street;
}
