// cspell:disable
import type { License } from '../../nodes/LicensingData/licenses/license.ts';

/** Somebody who runs a business behind a door, for a while, with one license or several. */
interface Tenant {
	door: string;
	business: string;
	holder: number;
}

/** A license as a clerk wrote it down, and what is true about it. */
export interface Filing extends Tenant {
	license: License;
	/** Who had a license behind this door before, latest first. */
	before: Tenant[];
	/** How many licenses the holder has, this one included. */
	held: number;
}

/** Lines of fields, a field's spellings between slashes, the proper one first. */
const table = (text: string) => text.split('\n').map((line) => line.trim().split(';'));
const list = (text = '') => text.split('/');
const proper = (text?: string) => list(text)[0] ?? '';
const TOWNS =
	table(`Fort Myers/Ft. Myers/Ft Myers;Lee;33901/33907/33912\nFort Myers Beach/Ft. Myers Beach/Ft Myers Beach;Lee;33931\nMarco Island;Collier;34145\nNaples;Collier;34102/34103/34108
	Port St. Joe/Port Saint Joe/Port St Joe;Gulf;32456\nWewahitchka;Gulf;32465\nSt. Petersburg/Saint Petersburg/St Petersburg;Pinellas;33701/33704
	St. Augustine/Saint Augustine/St Augustine;St. Johns/Saint Johns/St Johns;32080/32084\nFort Lauderdale/Ft. Lauderdale/Ft Lauderdale;Broward;33301/33316\nMiami;Miami-Dade;33130/33135`);
/** Directions before; name; kind; directions after. */
const STREETS =
	table(`N/S;Main;St;\n;Tamiami;Trl;N/S\n;A1A/State Road A1A/SR A1A/Hwy A1A;;S/N\n;US 41/U.S. Highway 41/US HWY 41/US-41/U.S. 41;;N/S\nN/S;US 1/US Hwy 1/U.S. Highway 1/US-1;;\n;CR 951/County Road 951/C.R. 951/County Rd 951;;
	;SR 7/State Road 7/S.R. 7/State Rd. 7/SR-7;;\n;CR 30A/County Road 30A/C.R. 30A/County Hwy 30A;;\nSW/NW/SE;8th/8;St;\nSW/NW;8th/8;Ave;\nSW/NE;8th/8;Ter;\n;5th/Fifth;Ave;S/N\n;1st/First;St;\n;Ave D/Avenue D/Ave. D;;
	;Ave E/Avenue E;;\n;Monument;Ave;\n;Cape San Blas;Rd;\n;Bay;St;\n;Bay;Ct;\n;Ponce de Leon;Blvd;\nE/W;Las Olas;Blvd;\n;Via del Mar;;\n;Camino Real;;\n;Avenida Menendez;;\n;San Marco;Ave;\n;San Mateo;Ave;\n;Palm;Ave;
	;Palma;Ave;\n;Santa Barbara;Blvd;\n;Broadway;;\n;St. Johns/Saint Johns/St Johns;Ave;\n;St. George/Saint George/St George;St;\n;Fort King/Ft. King/Ft King;Rd;\n;Gulf Shore;Blvd;N/S\n;Treasure Island;Cswy;
	;Daniels;Pkwy;\n;McGregor;Blvd;\n;Causeway;Blvd;\nE/W;Harborside;Plz;\n;Dr. Martin Luther King Jr./Martin Luther King Jr./MLK Jr.;Blvd;\n;O'Brien;Ln;`);
const SPELLING = new Map(
	table(`St;St/Street/St./Str\nTrl;Trl/Trail/Tr\nAve;Ave/Avenue/Ave./Av\nCt;Court/Ct/Ct.\nTer;Terrace/Ter/Terr.\nRd;Road/Rd/Rd.\nBlvd;Boulevard/Blvd/Blvd.\nLn;Lane/Ln\nCswy;Causeway/Cswy\nPkwy;Parkway/Pkwy/Pky\nPlz;Plaza/Plz
	N;N/North/N.\nS;S/South/S.\nE;E/East/E.\nW;W/West/W.\nSW;SW/Southwest/S.W.\nNW;NW/Northwest/N.W.\nSE;SE/Southeast/S.E.\nNE;NE/Northeast/N.E.\nLLC; LLC/, LLC/ L.L.C./, L.L.C./ LLC./ L L C/
	Inc; Inc/, Inc./ Inc./ Incorporated/\nCorp; Corp/ Corp./ Corporation/\nLP; LP/, L.P./ Limited Partnership/\nLtd; Ltd/, Ltd./ Limited/`).map(
		([short = '', spellings]) => [short, list(spellings)],
	),
);
const WORDS = 'Suite/STE/Ste./#/Unit/UNIT #/Suite #/STE/#/Unit';
/** How often of a hundred; what it is; the words for its units; the units. */
const KINDS = table(
	`46;house;;\n6;hotel;;\n16;mall;${WORDS};1/2/3/4/5/6/7/8/9/10/11/12/14\n10;mall;${WORDS};101/102/103/104/105/106/110/111\n9;mall;${WORDS};A/B/C/D/E/F/G/H/N/S\n4;mall;${WORDS};A-1/A-2/A-3/B-1/B-2/B-3/B-12\n4;hall;Stall/Stall #/#/Unit;1/2/3/4/5/6/7/8/9\n2;stadium;Section/Sec./Sec/SEC #;112/113/114/121/122/312\n3;marina;Slip/Slip #/#;1/2/3/4/11/12/21`,
);
const [FIRST, SECOND, THIRD, FAMILY, BRANDS, FORMS, TYPES] =
	table(`Salty/Rusty/Captain/Blue/Lazy/Tipsy/Old Gulf/Casa/La/El Gran/Tacos El/Pier/Joe's/Peña's/J.R.'s/Two/Stan & Kay's
	Pelican/Marlin/Tortuga/Habana/Güero/Heron/Crab/Grouper/Anchor/Parrot/Rincón/Key/Lime/Conch/Coral/St. Elmo
	Bar & Grill/Tavern/Cantina/Café/Raw Bar/Pizza/Liquors/Fish House/Taquería/Deli/Market/Brewing Co.\nPeña/Garcia/O’Neal/Nguyen/Smith/Castellanos/De la Cruz/Rossi/Patel/St. James/Weiss/Ortiz\nWavecrest Mart/Coffee Reef/Taco Marlin/Citrus Grill/Sub Lagoon/Gulf Liquor Barn
	LLC/LLC/LLC/LLC/LLC/LLC/Inc/Inc/Corp/LP/Ltd/\n4COP,SEATING/SRX,SEATING/2COP,NOSEAT/COP,SEATING/APS,NOSEAT/2APS,APS/SFS,SEATING`).map(
		([line]) => list(line),
	) as [string[], string[], string[], string[], string[], string[], string[]];
type Building = {
	number: number;
	street: string[];
	pre: string;
	post: string;
	town: string[];
	id: string;
	zip: string;
	kind: string[];
	master?: number;
};
type Door = { id: string; building: Building; unit: string };
type Paper = { at: number; type: string; door: Door; tenancy: Tenant };
type Dice = ReturnType<typeof createDice>;

function createDice(seed: number) {
	let state = seed | 0;
	const below = (count: number) => {
		state = (state + 0x6d2b79f5) | 0;
		const mixed = Math.imul(state ^ (state >>> 15), state | 1);
		const more = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
		return Math.floor((((more ^ (more >>> 14)) >>> 0) / 2 ** 32) * count);
	};
	const pick = <T,>(from: readonly T[]) => from[below(from.length)] as T;
	return {
		below,
		pick,
		chance: (part: number) => below(1e6) < part * 1e6,
		word: (text?: string) => pick(list(text)),
	};
}

const LONG_WORD = /[A-Z][a-z]{4,}/;
const withoutAccents = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '');
const toKey = (name: string) =>
	withoutAccents(name)
		.toLowerCase()
		.replace(/&/g, 'and')
		.replace(/\b(co|company)\b|[^a-z0-9]/g, '');

function build(dice: Dice, count: number): Door[] {
	const [doors, buildings] = [[] as Door[], new Map<string, Building>()];
	while (doors.length < count) {
		const twin = dice.chance(0.2) ? dice.pick([...buildings.values()]) : undefined;
		const [at, town] = dice.pick([...TOWNS.entries()]);
		const street =
			twin?.street ?? dice.pick(STREETS.filter((_, index) => (index * 5 + at * 3) % 4 < 2));
		const number =
			twin?.number ?? 100 * (1 + dice.below(60)) + Number(dice.word('1/5/10/20/25/41/50/75/99'));
		const [pre, post] = [dice.word(street[0]), dice.word(street[3])];
		const kind = dice.pick(KINDS.flatMap((each) => Array<string[]>(Number(each[0])).fill(each)));
		const [id, zip] = [`building ${buildings.size + 1}`, dice.word(town[2])];
		const building: Building = { id, number, street, pre, post, town, zip, kind };
		const key = [number, pre, street, post, town].join();
		if (buildings.has(key)) continue;
		buildings.set(key, building);
		const units = list(kind[3])
			.slice(dice.below(Math.max(1, list(kind[3]).length - 5)))
			.slice(0, 3 + dice.below(4));
		for (const unit of units) doors.push({ id: unit ? `${id}, ${unit}` : id, building, unit });
	}
	return doors.slice(0, count);
}

/** Who moved in where and when, and the papers that took. Fills `legal`, the names and forms of holders. */
function live(dice: Dice, doors: Door[], legal: string[][]): Paper[] {
	const papers: Paper[] = [];
	const used = new Set<string>();
	const chains = new Map<string, number>();
	const isNew = (name: string) => used.size < used.add(name).size;
	function incorporate(wish: string, form = dice.pick(FORMS)): number {
		const ends = list(
			`/ II/ III/ IV/ of Florida/ 2020/ 2021/ 2022/ No. ${legal.length}/ X${legal.length}`,
		);
		return legal.push([wish + ends.find((end) => isNew(toKey(wish + end))), form]) - 1;
	}
	function christen(tries = 0): string {
		const name = `${dice.chance(0.85) ? `${dice.pick(FIRST)} ${dice.pick(SECOND)}` : `${dice.pick(FAMILY)}'s`} ${dice.pick(THIRD)}${tries > 9 ? ` ${used.size}` : ''}`;
		return isNew(`named ${toKey(name)}`) ? name : christen(tries + 1);
	}
	function found(business: string, { town, number, street }: Building): number {
		const [one, plain] = [dice.pick(FAMILY), business.replace(/ Co\.$/, '')];
		if (dice.chance(0.08)) return incorporate(`${dice.word('María/John/J.R./Thi')} ${one}`, '');
		const local = `${plain}/${plain} of ${proper(town[0])}/${number} ${proper(street[1])} Holdings/${plain.replace(/(\S)\S* ?/g, '$1')} Ventures`;
		return incorporate(
			dice.word(
				`${local}/${one} & ${dice.pick(FAMILY)} Enterprises/${one} Brothers/J.R. ${one} Foods`,
			),
		);
	}
	function joinChain({ id, building }: Door): Tenant {
		const brand = dice.pick(BRANDS);
		const business = brand + (dice.chance(0.5) ? '' : ` #${1000 + dice.below(9000)}`);
		if (BRANDS.indexOf(brand) < 3 && !chains.has(brand))
			chains.set(brand, incorporate(`${brand} Stores`));
		const local = () => dice.word(`of ${proper(building.town[0])}/${dice.below(900)}`);
		const holder = chains.get(brand) ?? incorporate(`${brand} ${local()}`);
		return { door: id, business, holder };
	}
	function moveIn(door: Door, last?: Tenant): Tenant {
		const [{ building }, roll] = [door, dice.below(100)];
		if (last && roll < 26)
			return roll < 14
				? { ...last, holder: found(last.business, building) }
				: { ...last, business: christen() };
		const isLed = !last && /hotel|stadium/.test(building.kind[1] ?? '');
		if (!isLed && roll < 38) return joinChain(door);
		const business = christen();
		const holder = isLed
			? (building.master ??= found(business, building))
			: legal.length > 9 && roll < 52
				? dice.below(legal.length)
				: found(business, building);
		return { door: door.id, business, holder };
	}
	function file(door: Door, tenancy: Tenant, at: number) {
		const [types, first] = [dice.pick(TYPES).split(','), dice.below(2)];
		const waits = [
			[0, 0],
			...(dice.chance(0.22) ? [[1, dice.pick([0, 0, 30, 2880, 20000])]] : []),
			...(dice.chance(0.05) ? [[0, 90000]] : []),
		];
		for (const [next = 0, wait = 0] of waits)
			papers.push({ at: at + wait, type: types[(first + next) % 2] ?? 'COP', door, tenancy });
	}
	for (const door of doors) {
		let [at, tenancy] = [dice.below(1500000), moveIn(door)];
		file(door, tenancy, at);
		for (let bars = door.building.kind[1] === 'hotel' ? 1 + dice.below(3) : 0; bars > 0; bars--)
			file(door, (tenancy = { ...tenancy, business: christen() }), (at += 40 + dice.below(90000)));
		for (let moves = dice.pick([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3]); moves > 0; moves--)
			file(door, (tenancy = moveIn(door, tenancy)), (at += 130000 + dice.below(900000)));
	}
	return papers.sort((one, other) => one.at - other.at);
}

function misspell(dice: Dice, word: string): string {
	const at = 1 + dice.below(word.length - 3);
	const [one = '', two = ''] = word.slice(at);
	const other = `${one === 'e' ? 'u' : 'e'}${two}`;
	return (
		word.slice(0, at) +
		dice.pick([two, one + one + two, one === two ? other : two + one, other]) +
		word.slice(at + 2)
	);
}

function writeDown(
	dice: Dice,
	{ door, tenancy }: Paper,
	legal: string[],
	slip: string,
	zip: string,
) {
	const { number, street, pre, post, town, kind } = door.building;
	const [manner, isBare, isWide] = [dice.below(10), dice.chance(0.4), dice.chance(0.08)];
	const spell = (short = '') => dice.pick(SPELLING.get(short) ?? [short]);
	function write(text: string): string {
		const letters = manner < 6 && dice.chance(0.7) ? withoutAccents(text) : text;
		const signs = letters
			.replace(isBare ? /[.,'’]/g : /^$/, '')
			.replace(/ & /g, dice.chance(0.2) ? ' and ' : ' & ');
		const wide = isWide ? `${signs.replace(' ', '  ')} ` : signs;
		return manner < 5 ? wide.toUpperCase() : manner === 5 ? wide.toLowerCase() : wide;
	}
	const name =
		slip === 'typo'
			? proper(street[1]).replace(LONG_WORD, (word) => misspell(dice, word))
			: dice.word(street[1]);
	const line = [number, spell(pre), name, spell(street[2]), spell(post)].filter(Boolean).join(' ');
	const units =
		slip === 'other unit'
			? list(kind[3]).filter((other) => other !== door.unit)
			: [slip === 'no unit' ? '' : door.unit];
	const [unit, word] = [dice.pick(units), dice.word(kind[2])];
	const behind =
		word + (word.endsWith('#') ? dice.word('// ') : ' ') + unit.replace('-', dice.word('-// '));
	const whole = dice.chance(0.1)
		? behind + dice.word(', / / - ') + line
		: line + dice.word(', / ') + behind;
	const written =
		slip === 'no street' ? dice.pick([null, '', undefined]) : write(unit ? whole : line);
	const long = dice.chance(0.3) ? `${dice.word('-/-/')}${1000 + ((number * 7) % 9000)}` : '';
	const [city, county] = [write(dice.word(town[0])), write(dice.word(town[1]))];
	const address = { street: written, city, county, state: 'FL', zip: zip + long };
	const businessName = write(tenancy.business.replace('#', dice.word('#/# /')));
	return { businessName, legalName: write(`${legal[0]}${spell(legal[1])}`), address };
}

/** The same seed has the same truth with slips as without. */
export function gulfCounty(seed: number, doors: number, slips: number): Filing[] {
	const world = createDice(seed);
	const legal: string[][] = [];
	const zips = TOWNS.flatMap((town) => list(town[2]));
	const places = build(world, doors);
	const behind = new Map<string, Tenant[]>();
	const held = new Map<number, number>();
	return live(world, places, legal).map((paper, index): Filing => {
		const [{ building, unit, id }, { business, holder }] = [paper.door, paper.tenancy];
		const clerk = createDice(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b));
		const twins = places.filter(
			(other) =>
				other.building.number === building.number && other.building.street === building.street,
		);
		const wrongZip = clerk.pick(
			[...zips, building.zip.replace(/(.)(.)$/, '$2$1')].filter((zip) =>
				twins.every((twin) => twin.building.zip !== zip),
			),
		);
		const kinds = `no street/zip${unit && '/no unit/other unit'}${LONG_WORD.test(proper(building.street[1])) ? '/typo/typo' : ''}`;
		const slip = clerk.chance(slips / 7) ? clerk.word(kinds) : 'none';
		const before = behind.get(id) ?? [];
		behind.set(id, [
			paper.tenancy,
			...before.filter((other) => other.business !== business || other.holder !== holder),
		]);
		held.set(holder, (held.get(holder) ?? 0) + 1);
		const eventTimestamp = new Date(
			Date.UTC(2017, 0, 2) + paper.at * 60000 + index * 1000,
		).toISOString();
		const zip = slip === 'zip' ? wrongZip : building.zip;
		const license: License = {
			id: `gulf-${seed}-${index + 1}`,
			licenseNumber: `${/SEAT/.test(paper.type) ? 'SEA' : 'BEV'}${3600000 + index}`,
			licenseType: paper.type,
			...writeDown(clerk, paper, legal[holder] ?? [], slip, zip),
			eventType: 'new_filing',
			eventTimestamp,
			filedDate: eventTimestamp.slice(0, 10),
		};
		return { ...paper.tenancy, license, before, held: held.get(holder) ?? 1 };
	});
}
