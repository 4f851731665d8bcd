import { plain } from './text';

// cspell:ignore pllc lllp
/**
 * The short form of a key, how people write it, and how else registers do. Companies with different forms are different
 * companies. "Pa" may be part of a name.
 */
const LEGAL_FORMS: Array<[key: string, asWritten: string, spellings: RegExp]> = [
	['pllc', 'PLLC', /\bp l l c\b/g],
	[
		'llc',
		'LLC',
		/\bl l c\b|\blimited liability (?:company|co)\b|\bltd liability (?:company|co)\b/g,
	],
	['lllp', 'LLLP', /\bl l l p\b/g],
	['llp', 'LLP', /\bl l p\b|\blimited liability partnership\b/g],
	['lp', 'LP', /\bl p\b|\blimited partnership\b/g],
	['pa', '', /\bp a\b|\bprofessional association\b/g],
	['inc', 'Inc.', /\bincorporated\b/g],
	['corp', 'Corp.', /\bcorporation\b/g],
	['co', 'Co.', /\bcompany\b/g],
	['ltd', 'Ltd.', /\blimited\b/g],
];

/** For comparing: plain words, with each legal form in one spelling. */
export function normalizeLegalName(legalName: string): string {
	const name = plain(legalName.replaceAll('&', ' and ')).replace(/^the /, '');
	return LEGAL_FORMS.reduce((text, [key, , spellings]) => text.replace(spellings, key), name);
}

const TITLE_CASE = new Map(
	LEGAL_FORMS.filter(([, asWritten]) => asWritten !== '').map(([key, asWritten]) => [
		key.charAt(0).toUpperCase() + key.slice(1),
		asWritten,
	]),
);
const LEGAL_FORM = new RegExp(`\\b(?:${[...TITLE_CASE.keys()].join('|')})(?=$|,)`, 'g');

/** "Rusty Anchor Llc", as title case makes it of capitals, becomes "Rusty Anchor LLC". */
export const withLegalForm = (name: string): string =>
	name.replace(LEGAL_FORM, (form) => TITLE_CASE.get(form) ?? form);
