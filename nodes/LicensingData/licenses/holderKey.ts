import { plain } from './comparableText';
import { keyOfWords } from './safeKey';

/** Each short form, and how else it is written. Companies with different forms are different companies. */
// cspell:ignore pllc lllp
const LEGAL_FORMS: Array<[RegExp, string]> = [
	[/\bp l l c\b/g, 'pllc'],
	[/\bl l c\b|\blimited liability (?:company|co)\b|\bltd liability (?:company|co)\b/g, 'llc'],
	[/\bl l l p\b/g, 'lllp'],
	[/\bl l p\b|\blimited liability partnership\b/g, 'llp'],
	[/\bl p\b|\blimited partnership\b/g, 'lp'],
	[/\bp a\b|\bprofessional association\b/g, 'pa'],
	[/\bincorporated\b/g, 'inc'],
	[/\bcorporation\b/g, 'corp'],
	[/\bcompany\b/g, 'co'],
	[/\blimited\b/g, 'ltd'],
];

/** One key for the owner of a license, however the name is written, e.g. "rusty-anchor-llc". */
export function holderKey({ legalName }: { legalName?: unknown }): string | null {
	const name = typeof legalName === 'string' ? normalizeLegalName(legalName) : '';
	return name === '' ? null : keyOfWords(name);
}

function normalizeLegalName(legalName: string): string {
	const name = plain(legalName.replaceAll('&', ' and ')).replace(/^the /, '');
	return LEGAL_FORMS.reduce((text, [spellings, form]) => text.replace(spellings, form), name);
}
