import { plain } from '../licenses/text';

const pairs = (text: string): ReadonlyMap<string, string> =>
	new Map(text.split(/,\s*/).map((pair) => pair.split(' ') as [string, string]));

/** Abbreviations in city names, spelled out as the Postal Service does. */
const ABBREVIATIONS = pairs(
	`ft fort, mt mount, pt port, st saint, no north, n north, so south, s south, e east, w west,
	bch beach, ctr center, gdns gardens, hts heights, lk lake, spgs springs`,
);

/** Short, older and colloquial names, as people and license records use them. */
const OTHER_NAMES = pairs(
	`acreage theacreage, balharbor balharbour, boca bocaraton, boynton boyntonbeach,
	cutlerridge cutlerbay, dania daniabeach, daytona daytonabeach, deerfield deerfieldbeach,
	delray delraybeach, drphillips doctorphillips, eglinafb eglinairforcebase,
	everglades evergladescity, fortlaud fortlauderdale, fortwalton fortwaltonbeach,
	grant grantvalkaria, hallandale hallandalebeach, islamoradavillageofislands islamorada,
	jax jacksonville, jaxbeach jacksonvillebeach, lakeworth lakeworthbeach, lehigh lehighacres,
	marco marcoisland, miamishoresvillage miamishores, newsmyrna newsmyrnabeach,
	pompano pompanobeach, rotonda rotondawest, saintpete saintpetersburg,
	saintpetersburgbeach saintpetebeach, sanibelisland sanibel, sunnyisles sunnyislesbeach,
	tyndallafb tyndallairforcebase, vero verobeach, villages thevillages, westpalm westpalmbeach`,
);

/** The same text for "St Petersburg", "Saint Petersburg" and "ST. PETE". Empty if it is not a city. */
export function cityKey(city: unknown): string {
	if (typeof city !== 'string') return '';
	const words = plain(city)
		.replace(/ (?:fl|florida)$/, '')
		.replace(/^(?:(?:city|town|village) of|md) /, '');
	const name = spelledOut(words).join('');
	return OTHER_NAMES.get(name) ?? name;
}

/** The words of a plain text, without abbreviations. */
export const spelledOut = (text: string): string[] =>
	text.split(' ').map((word) => ABBREVIATIONS.get(word) ?? word);
