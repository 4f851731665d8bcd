import { findPlace } from '../places/places';
import { singleLine } from './singleLine';

/**
 * Registers write in capitals, and title case makes "Llc" of it. These write as people do, from closed lists
 * alone: what is in none stays as it came, as many a chain writes its own name in capitals.
 */
type Written = string | number | null;

// cspell:ignore pllc lllp viii
const LEGAL_FORMS: Record<string, string> = {
	...{ Llc: 'LLC', Pllc: 'PLLC', Llp: 'LLP', Lllp: 'LLLP', Lp: 'LP' },
	...{ Inc: 'Inc.', Corp: 'Corp.', Co: 'Co.', Ltd: 'Ltd.' },
};
const LEGAL_FORM = new RegExp(`\\b(?:${Object.keys(LEGAL_FORMS).join('|')})(?=$|,)`, 'g');

/** "Vi" and "Xi" are names. */
const NUMERAL = /\b(?:Ii|Iii|Iv|Vii|Viii|Ix)\b(?!['’])/g;

export function nameAsWritten(name: unknown): Written {
	const line = singleLine(name);
	if (typeof line !== 'string') return line;
	return line
		.replace(LEGAL_FORM, (form) => LEGAL_FORMS[form] ?? form)
		.replace(NUMERAL, (numeral) => numeral.toUpperCase());
}

/** A place of Florida by its usual name, however the register shortens it. */
export const cityAsWritten = (city: unknown): Written => findPlace(city)?.name ?? singleLine(city);

/** ZIP+4, which registers write without the hyphen. */
export function zipAsWritten(zip: unknown): Written {
	const line = singleLine(zip);
	const [, five, four] = /^\s*(\d{5})(\d{4})\s*$/.exec(String(line)) ?? [];
	return five === undefined ? line : `${five}-${four}`;
}
