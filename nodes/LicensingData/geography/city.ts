import { plain } from '../domain/comparableText';

/** Abbreviations in city names, spelled out as the Postal Service does. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
	ft: 'fort',
	mt: 'mount',
	pt: 'port',
	st: 'saint',
	no: 'north',
	n: 'north',
	so: 'south',
	s: 'south',
	e: 'east',
	w: 'west',
	bch: 'beach',
	ctr: 'center',
	gdns: 'gardens',
	hts: 'heights',
	lk: 'lake',
	spgs: 'springs',
};

/** Short, older and colloquial names, as people and license records use them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
	acreage: 'theacreage',
	balharbor: 'balharbour',
	boca: 'bocaraton',
	boynton: 'boyntonbeach',
	cutlerridge: 'cutlerbay',
	dania: 'daniabeach',
	daytona: 'daytonabeach',
	deerfield: 'deerfieldbeach',
	delray: 'delraybeach',
	drphillips: 'doctorphillips',
	eglinafb: 'eglinairforcebase',
	everglades: 'evergladescity',
	fortlaud: 'fortlauderdale',
	fortwalton: 'fortwaltonbeach',
	grant: 'grantvalkaria',
	hallandale: 'hallandalebeach',
	islamoradavillageofislands: 'islamorada',
	jax: 'jacksonville',
	jaxbeach: 'jacksonvillebeach',
	lakeworth: 'lakeworthbeach',
	lehigh: 'lehighacres',
	marco: 'marcoisland',
	miamishoresvillage: 'miamishores',
	newsmyrna: 'newsmyrnabeach',
	pompano: 'pompanobeach',
	rotonda: 'rotondawest',
	saintpete: 'saintpetersburg',
	saintpetersburgbeach: 'saintpetebeach',
	sanibelisland: 'sanibel',
	sunnyisles: 'sunnyislesbeach',
	tyndallafb: 'tyndallairforcebase',
	vero: 'verobeach',
	villages: 'thevillages',
	westpalm: 'westpalmbeach',
};

/** The same text for "St Petersburg", "Saint Petersburg" and "ST. PETE". Empty if it is not a city. */
export function cityKey(city: unknown): string {
	if (typeof city !== 'string') return '';
	const words = plain(city)
		.replace(/ (?:fl|florida)$/, '')
		.replace(/^(?:(?:city|town|village) of|md) /, '');
	return nameFor(OTHER_NAMES, spelledOut(words).join(''));
}

/** The words of a plain text, without abbreviations. */
export const spelledOut = (text: string): string[] =>
	text.split(' ').map((word) => nameFor(ABBREVIATIONS, word));

/** A record may name a city "constructor". */
const nameFor = (names: Readonly<Record<string, string>>, word: string): string =>
	(Object.hasOwn(names, word) && names[word]) || word;
