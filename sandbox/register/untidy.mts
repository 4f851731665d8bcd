import { readFileSync } from 'node:fs';

import { drawFrom, pick, type Draw } from './random.mts';

/** Names and addresses as untidy as a register's; all of them are made up. What is missing: behavior.mts. */
export const names = JSON.parse(
	readFileSync(new URL('./names.json', import.meta.url), 'utf8'),
) as typeof import('./names.json');
const listed = (text: string): string[] => text.split(', ');
const pictures = listed(names.pictures.first).flatMap((first) =>
	listed(names.pictures.second)
		.filter((second) => second !== first)
		.map((second) => `${first} ${second}`),
);
const owners = listed(names.owners).map((owner) => `${owner}'s`);
const [surnames, legalForms, streets, accented, directions, highways, doubles] = [
	...[names.surnames, names.legalForms, names.streets, names.accented],
	...[names.directions, names.highways, names.doubles],
].map(listed) as [string[], string[], string[], string[], string[], string[], string[]];
const kinds = new Map(Object.entries(names.kinds).map(([type, text]) => [type, listed(text)]));
/** Types without names of their own borrow. */
const namedLike = new Map(Object.entries(names.namedLike));
const abbreviated = new Map(Object.entries(names.abbreviated));
const cities = new Map(Object.entries(names.cities));

/** Capital letters turned into title case by a program: "Llc", "Ii", "Abc". */
export const titleCase = (text: string): string =>
	text.toLowerCase().replace(/(^|[\s/(&.-])([a-z])/g, (found) => found.toUpperCase());

export function nameOf(seed: number, serial: number, licenseType: string): string {
	const draw = drawFrom(seed, serial);
	const kind = pick(
		kinds.get(namedLike.get(licenseType) ?? licenseType)!,
		draw('kind of business'),
	);
	const named = (what: string) => {
		const chance = draw(what);
		const isOwner = chance < 1 / 6;
		return `${isOwner ? pick(owners, 6 * chance) : pick(pictures, chance)} ${kind}`;
	};
	const plain = named('name');
	const style = draw('style of name');
	if (style < 0.001) return pick(['O', 'Na', 'Ix'], draw('oddity'));
	if (style < 0.02) return `${plain} (The)`;
	if (style < 0.035) return `${named('former name')}/${plain}`;
	if (style < 0.045) return `${pick(accented, draw('oddity'))} ${1 + (serial % 40)}`;
	if (style < 0.2) return titleCase(`${plain} LLC`);
	if (style < 0.23) return titleCase(`${plain} II`);
	if (style < 0.26) return `${plain} #${1 + (serial % 90)}`;
	return titleCase(plain);
}

export function holderOf(
	seed: number,
	serial: number,
	name: string,
	changes: number,
): string | null {
	const draw = drawFrom(seed + 7919 * (changes + 1), serial);
	const style = draw('style of holder');
	if (style < 0.03) return null;
	const form = pick(legalForms, draw('legal form'));
	const surname = pick(surnames, draw('surname'));
	if (style < 0.4 && changes === 0)
		return titleCase(`${name.replace(/'| \(The\)| Llc$/g, '')} ${form}`);
	if (style < 0.7) return titleCase(`${surname} ${form}`);
	return titleCase(`${surname} & ${pick(surnames, draw('partner'))} ${form}`);
}

const units: ReadonlyArray<(unit: number) => string> = [
	(unit) => ` #${unit}`,
	(unit) => `  UNIT ${unit}`,
	(unit) => ` STE ${unit}-${unit + 1}`,
	(unit) => ` UNITS ${unit} & ${unit + 1}`,
	() => ' A & B',
	(unit) => ` P${unit % 90}`,
	(unit) => ` CU-${unit % 12}`,
	(unit) => ` ${unit % 40}`,
	(unit) => ` BAY ${unit}`,
];

export function streetOf(seed: number, serial: number): string {
	const draw = drawFrom(seed, serial);
	const number = 2 + Math.floor(draw('house') * 12_900);
	const oddity = draw('odd house');
	const odd = oddity < 0.03 ? `${number}-${number + 2}` : `${number % 100} 1/2`;
	const house = oddity < 0.035 ? odd : String(number);
	const unit = pick(units, draw('style of unit'))(1 + Math.floor(draw('unit') * 800));
	return `${house} ${streetNameOf(draw)}${draw('has unit') < 0.3 ? unit : ''}`;
}

function streetNameOf(draw: Draw): string {
	const kind = draw('kind of street');
	const direction = pick(directions, draw('direction'));
	const within = draw('street');
	// A numbered street without its ordinal: "SW 99 ST".
	if (kind < 0.3) {
		const number = 1 + Math.floor(within * 180);
		return `${direction} ${number} ${pick(['ST', 'AVE', 'CT', 'TER'], draw('suffix'))}`;
	}
	if (kind < 0.4) return pick(highways, within);
	if (kind < 0.42) return pick(doubles, within);
	const name = pick(streets, within)
		.toUpperCase()
		.replace(/(?<= )\w+$/, (last) => abbreviated.get(last) ?? last);
	return kind < 0.6 ? `${direction} ${name}` : name;
}

/** The state has abbreviations for cities, which not every record uses. */
export function cityOf(seed: number, serial: number, city: string): string {
	const style = drawFrom(seed, serial)('style of city');
	if (city === 'Miami' && style < 0.2) return 'MD MIAMI';
	const written = (style < 0.6 ? cities.get(city) : undefined) ?? city;
	return style < 0.5 ? written.toUpperCase() : written;
}

export function zipOf(seed: number, serial: number, zip: string): string {
	const draw = drawFrom(seed, serial);
	const style = draw('style of ZIP code');
	if (style < 0.01) return pick(['34620', '33700', '32000', '99999'], style * 100);
	// Nine digits, as the state's own files have them.
	return style < 0.03 ? zip + String(Math.floor(draw('ZIP+4') * 10_000)).padStart(4, '0') : zip;
}
