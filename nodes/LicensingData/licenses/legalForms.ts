import { plain } from './text';

// cspell:ignore pllc lllp
/**
 * The short form of a key, how people write it, and how else registers do. Companies with different forms are different
 * companies. "Pa" may be part of a name.
 */
const LEGAL_FORMS = [
	['pllc', 'PLLC', 'p l l c'],
	['llc', 'LLC', 'l l c|(?:limited|ltd) liability (?:company|co)'],
	['lllp', 'LLLP', 'l l l p'],
	['llp', 'LLP', 'l l p|limited liability partnership'],
	['lp', 'LP', 'l p|limited partnership'],
	['pa', '', 'p a|professional association'],
	['inc', 'Inc.', 'incorporated'],
	['corp', 'Corp.', 'corporation'],
	['co', 'Co.', 'company'],
	['ltd', 'Ltd.', 'limited'],
].map(([key = '', asWritten = '', spelled = '']) => {
	return { key, asWritten, spelled, spellings: new RegExp(`\\b(?:${spelled})\\b`, 'g') };
});

/** Each form that is a single word, in any spelling. */
export const LEGAL_FORM_WORDS = LEGAL_FORMS.flatMap(({ key, spelled }) => [key, spelled]).filter(
	(form) => !form.includes(' '),
);

/** For comparing: plain words, with each legal form in one spelling. */
export function normalizeLegalName(legalName: string): string {
	const name = plain(legalName.replaceAll('&', ' and ')).replace(/^the /, '');
	return LEGAL_FORMS.reduce((text, { key, spellings }) => text.replace(spellings, key), name);
}

const TITLE_CASE = new Map(
	LEGAL_FORMS.filter(({ asWritten }) => asWritten !== '').map(({ key, asWritten }) => [
		key.charAt(0).toUpperCase() + key.slice(1),
		asWritten,
	]),
);
const LEGAL_FORM = new RegExp(`\\b(?:${[...TITLE_CASE.keys()].join('|')})(?=$|,)`, 'g');

/** "Rusty Anchor Llc", as title case makes it of capitals, becomes "Rusty Anchor LLC". */
export const withLegalForm = (name: string): string =>
	name.replace(LEGAL_FORM, (form) => TITLE_CASE.get(form) ?? form);
