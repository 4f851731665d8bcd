import { businessNameOf, legalForms, streets, surnames } from '../dataset/business-names.mts';
import type { LicenseType } from '../dataset/license.mts';
import { fraction, hash } from '../dataset/random.mts';

/** Names and addresses as untidy as a register's; all of them are made up. */
type Draw = (salt: number) => number;

const drawFrom =
	(seed: number, serial: number): Draw =>
	(salt) =>
		fraction(seed, serial, salt);

const pick = <Item,>(items: readonly Item[], chance: number): Item =>
	items[Math.floor(chance * items.length)]!;

const salts = {
	first: 101,
	second: 102,
	style: 103,
	tooth: 104,
	house: 105,
	street: 106,
	unit: 107,
	unitNumber: 108,
	zip: 109,
	city: 110,
	surname: 111,
	partner: 112,
	form: 113,
	legalStyle: 114,
	grid: 115,
	direction: 116,
};

/** The types that businesses' names are made for; the rest borrows. */
const namedLike: Record<string, LicenseType> = {
	TEMP_PERMIT: 'COP',
	MANUFACTURER: 'BEV',
	BOTTLE_CLUB: 'COP',
};

/** Capital letters turned into title case by a program: "Llc", "Ii", "Abc". */
export const titleCase = (text: string): string =>
	text.toLowerCase().replace(/(^|[\s/(&.-])([a-z])/g, (found) => found.toUpperCase());

const accented = ['CafÃ© Lantana', 'PanaderÃ­a Flor', 'TaquerÃ­a OlÃ©', 'JalapeÃ±o Cantina'];

export function nameOf(seed: number, serial: number, licenseType: string): string {
	const draw = drawFrom(seed, serial);
	const type = namedLike[licenseType] ?? (licenseType as LicenseType);
	const name = (shift: number) =>
		businessNameOf(type, hash(seed + shift, serial, salts.first), hash(seed, serial, salts.second));
	const plain = name(0);
	const style = draw(salts.style);
	if (style < 0.001) return pick(['O', 'Na', 'Ix'], draw(salts.tooth));
	if (style < 0.02) return `${plain} (The)`;
	if (style < 0.035) return `${name(1)}/${plain}`;
	if (style < 0.045) return `${pick(accented, draw(salts.tooth))} ${1 + (serial % 40)}`;
	if (style < 0.2) return titleCase(`${plain} LLC`);
	if (style < 0.23) return titleCase(`${plain} II`);
	if (style < 0.26) return `${plain} #${1 + (serial % 90)}`;
	return titleCase(plain);
}

/** What a license without premises is called: its name begins so, in capitals. */
export const escrowName = (name: string): string => `INACTIVE INACTIVE/${name.toUpperCase()}`;

export function holderOf(
	seed: number,
	serial: number,
	name: string,
	changes: number,
): string | null {
	const draw = drawFrom(seed + 7919 * (changes + 1), serial);
	const style = draw(salts.legalStyle);
	if (style < 0.03) return null;
	const form = pick(legalForms, draw(salts.form));
	const surname = pick(surnames, draw(salts.surname));
	if (style < 0.4 && changes === 0)
		return titleCase(`${name.replace(/'| \(The\)| Llc$/g, '')} ${form}`);
	if (style < 0.7) return titleCase(`${surname} ${form}`);
	return titleCase(`${surname} & ${pick(surnames, draw(salts.partner))} ${form}`);
}

const directions = ['N', 'S', 'E', 'W', 'NW', 'SW', 'NE', 'SE'];
const highways = [
	'US HIGHWAY 19',
	'US HWY 1',
	'HWY 98-A',
	'STATE ROAD 7',
	'TAMIAMI TR',
	'ALICO TRL',
];
const abbreviated: ReadonlyArray<[RegExp, string]> = [
	[/ STREET$/, ' ST'],
	[/ AVENUE$/, ' AVE'],
	[/ BOULEVARD$/, ' BLVD'],
	[/ DRIVE$/, ' DR'],
	[/ ROAD$/, ' RD'],
	[/ LANE$/, ' LN'],
	[/ HIGHWAY$/, ' HWY'],
];
/** Two names for one street, as both are written. */
const doubles = ['BIRD RD', 'SW 40 ST', 'TAMIAMI TRL', 'SW 8 ST'];

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
	const number = 2 + Math.floor(draw(salts.house) * 12_900);
	const tooth = draw(salts.tooth);
	const house =
		tooth < 0.03 ? `${number}-${number + 2}` : tooth < 0.035 ? `${number % 100} 1/2` : `${number}`;
	return `${house} ${streetNameOf(draw)}${draw(salts.unit) < 0.3 ? pick(units, draw(salts.grid))(1 + Math.floor(draw(salts.unitNumber) * 800)) : ''}`;
}

function streetNameOf(draw: Draw): string {
	const kind = draw(salts.street);
	const direction = pick(directions, draw(salts.direction));
	const within = draw(salts.second);
	// A numbered street without its ordinal: "SW 99 ST".
	if (kind < 0.3) {
		const number = 1 + Math.floor(within * 180);
		return `${direction} ${number} ${pick(['ST', 'AVE', 'CT', 'TER'], draw(salts.form))}`;
	}
	if (kind < 0.4) return pick(highways, within);
	if (kind < 0.42) return pick(doubles, within);
	const name = abbreviated.reduce(
		(text, [whole, short]) => text.replace(whole, short),
		pick(streets, within).toUpperCase(),
	);
	return kind < 0.6 ? `${direction} ${name}` : name;
}

/** The state's abbreviations for cities, which not every record uses. */
const citiesWritten: Record<string, string> = {
	'Port St. Lucie': 'PT ST LUCIE',
	'St. Petersburg': 'ST PETERSBURG',
	'St. Augustine': 'SAINT AUGUSTINE',
	'Fort Lauderdale': 'FT LAUDERDALE',
};

export function cityOf(seed: number, serial: number, city: string): string {
	const draw = fraction(seed, serial, salts.city);
	if (city === 'Miami' && draw < 0.2) return 'MD MIAMI';
	const written = (draw < 0.6 ? citiesWritten[city] : undefined) ?? city;
	return draw < 0.5 ? written.toUpperCase() : written;
}

const deadZips = ['34620', '33700', '32000', '99999'];

export function zipOf(seed: number, serial: number, zip: string): string {
	const draw = fraction(seed, serial, salts.zip);
	if (draw < 0.01) return pick(deadZips, draw * 100);
	// Nine digits, as the state's own files have them.
	return draw < 0.03
		? `${zip}${String(hash(seed, serial, salts.zip) % 10_000).padStart(4, '0')}`
		: zip;
}
