import { plain } from './text';

// cspell:ignore pllc lllp
/**
 * The short form of a key, how people write it, and how else registers do. Companies with different forms are different
 * companies. "Pa" may be part of a name.
 */
const LEGAL_FORMS: Array<[key: string, asWritten: string, spellings: RegExp]> = [
	['pllc', 'PLLC', /\bp l l c\b/g],
	['llc', 'LLC', /\b(?:l l c|(?:limited|ltd) liability (?:company|co))\b/g],
	['lllp', 'LLLP', /\bl l l p\b/g],
	['llp', 'LLP', /\b(?:l l p|limited liability partnership)\b/g],
	['lp', 'LP', /\b(?:l p|limited partnership)\b/g],
	['pa', '', /\b(?:p a|professional association)\b/g],
	['inc', 'Inc.', /\bincorporated\b/g],
	['corp', 'Corp.', /\bcorporation\b/g],
	['co', 'Co.', /\bcompany\b/g],
	['ltd', 'Ltd.', /\blimited\b/g],
];

/** Each form that is a single word, in any spelling. */
export const LEGAL_FORM_WORDS = LEGAL_FORMS.flatMap(([key, , { source }]) => [
	key,
	source.replaceAll('\\b', ''),
]).filter((form) => !form.includes(' '));

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
