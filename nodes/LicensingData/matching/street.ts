import { plain } from '../domain/comparableText';
import { similarity } from '../domain/similarity';

export interface Street {
	/** House number, directions and street, e.g. "100 n main st". */
	line: string;
	/** What follows Suite, Unit, #, Building or Floor, in the order given, e.g. "5" or "b 210". */
	unit: string;
}

// cspell:disable
/** From the Postal Service's Publication 28: each short form, and its other spellings. */
const ABBREVIATIONS = new Map(
	`n north, s south, e east, w west, ne northeast, nw northwest, se southeast, sw southwest,
	aly alley, ave av aven avenue, bch beach, blf bluff, blvd bl boul boulevard boulv, bnd bend, br branch,
	brg bridge, byp bypass, byu bayou, cir circ circle, cres crescent, crk creek, cswy causeway, ct court crt,
	ctr center centre cntr, cv cove, cyn canyon, dr drive drv, est estate estates, expy expressway, ft fort,
	gdns garden gardens, grn green, grv grove, hbr harbor harbour, hts heights, hwy highway hiway hway, is island,
	jct junction, lk lake, lks lakes, lndg landing, ln lane, mdw meadow meadows, mnr manor, mt mount, pk park,
	pkwy parkway pkway pky, pl place, pln plain plains, plz plaza, pr prairie, pt point, prt port, rdg ridge, rd road,
	riv river, rte route, shr shore shores, spg spgs spring springs, sq square, st saint sainte str street, sta station,
	ter terr terrace, tpke turnpike, trl trail trails, vis vista, vlg village, vly valley, vw view, wy way, xing crossing,
	1 first one, 2 second two, 3 third three, 4 fourth four, 5 fifth five, 6 sixth six, 7 seventh seven,
	8 eighth eight, 9 ninth nine, 10 tenth ten, 11 eleventh, 12 twelfth, 13 thirteenth, 14 fourteenth,
	15 fifteenth, 16 sixteenth, 17 seventeenth, 18 eighteenth, 19 nineteenth, 20 twentieth`
		.split(',')
		.flatMap((line) => {
			const [short = '', ...others] = line.trim().split(/\s+/);
			return others.map((other): [string, string] => [other, short]);
		}),
);

const DIGITS_FOLLOW = String.raw`(?=\d|a1a)`;

/** Roads that people write in many ways: "us 1", the state's "sr 60", a county's "cr 220", "a1a". */
const ROADS: Array<[spellings: RegExp, name: string]> = [
	[/\ba 1 ?a\b|\ba1 a\b/g, 'a1a'],
	[/\b(?:(?:dr|doctor) )?(?:m ?l ?k|martin luther king)(?: (?:jr|junior))?\b/g, 'mlk'],
	[/^(\d+ (?:[nsew]{1,2} )?)(?:fl|florida) (?=\d)/, '$1sr '],
	[
		new RegExp(
			String.raw`\b(?:(?:state|st|fl|florida) (?:road|rd|route|rte|highway|hwy)|s r) ${DIGITS_FOLLOW}`,
			'g',
		),
		'sr ',
	],
	[/\b(?:(?:highway|hwy) u ?s|u ?s (?:highway|hwy|route|rte)|u s) (?=\d)/g, 'us '],
	[/\b(?:(?:county|co|cnty) (?:road|rd|route|highway|hwy)|c r) (?=\d)/g, 'cr '],
	[/\b(?:sr|hwy|highway) (?=a1a)/g, ''],
];

const FLOOR = /\b(\d+)(?:st|nd|rd|th) (?:floor|fl|flr)\b/g;
const UNIT =
	/\b(?:apartment|apt|bay(?= \d)|bldg|building|fl|floor|flr|kiosk|lot|no(?= \d)|number|rm|room|slip|space|spc|ste|suite|suites|unit)\b(?: (?:no|number|unit))? ([a-z]? ?\d+ ?[a-z]?|[a-z])\b/g;
// cspell:enable

/**
 * One spelling for a street address. Words are treated the same wherever they are: what counts is that two
 * spellings of one address come out the same and that two addresses do not, not that it reads well.
 */
export function normalizeStreet(street: string): Street {
	const units: string[] = [];
	const takeUnit = (_: string, unit: string): string => {
		units.push(unit.replaceAll(' ', ''));
		return '';
	};
	const named = ROADS.reduce(
		(text, [spellings, name]) => text.replace(spellings, name),
		plain(street.replaceAll('#', ' unit ')),
	);
	const line = named
		.replace(FLOOR, takeUnit)
		.replace(UNIT, takeUnit)
		.split(/\s+/)
		.filter(Boolean)
		.map((word) => ABBREVIATIONS.get(word) ?? word.replace(/^(\d+)(?:st|nd|rd|th)$/, '$1'))
		.join(' ')
		.replace(/\b([ns]) ([ew])\b/g, '$1$2')
		.replace(/^(\d+)([a-z])\b/, '$1 $2');
	return { line, unit: units.join(' ') };
}

const DIRECTIONS = new Set(['n', 's', 'e', 'w', 'ne', 'nw', 'se', 'sw']);
// cspell:ignore cres cswy expy
const TYPES = new Set(
	'aly ave blvd cir cres cswy ct cv dr expy hwy ln pkwy pl plz rd sq st ter trl way wy'.split(' '),
);

/**
 * Whether two addresses are the same door. A direction, street type or unit that only one of them has is
 * assumed to be left out of the other, and a typo is forgiven.
 */
export function compareStreets(one: Street, other: Street): 'same' | 'otherUnit' | 'other' {
	const [a, b] = [partsOf(one), partsOf(other)];
	const isSame =
		a.number !== undefined &&
		a.number === b.number &&
		agree(a.directions, b.directions) &&
		agree(a.type, b.type) &&
		isSameName(a.name, b.name);
	if (!isSame) return 'other';
	return agree(one.unit, other.unit) ? 'same' : 'otherUnit';
}

function partsOf({ line }: Street) {
	const [number = '', ...words] = line.split(' ');
	const name = words.filter((word) => !DIRECTIONS.has(word));
	const type = name.length > 1 && TYPES.has(name.at(-1) ?? '') ? name.pop() : undefined;
	return {
		number: /^\d/.test(number) ? number : undefined,
		directions: words.filter((word) => DIRECTIONS.has(word)).join(' '),
		type: type ?? '',
		name: name.join(''),
	};
}

const agree = (one: string, other: string): boolean => !one || !other || one === other;

/** Numbered streets have no typos: 22nd is not 2nd. */
const isSameName = (one: string, other: string): boolean =>
	one === other || (!/\d/.test(one + other) && similarity(one, other) >= 0.8);
