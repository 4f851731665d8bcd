import type { License } from '../domain/license';
import { plain } from '../domain/plainText';
import { safeKey } from '../domain/safeKey';
import { fiveDigits } from '../geography/zipCode';
import { normalizeStreet } from './street';

/**
 * One key for a venue, however its address is written, e.g. "100-n-main-st-5-33602": the street, the unit and
 * the ZIP code. The unit is included because two doors of a mall are two venues. Null without a street, a
 * house number or a ZIP code, and for a post office box, where nobody serves anything.
 */
export function venueKey({ address }: License): string | null {
	const zip = fiveDigits(address?.zip);
	const { line, unit } = normalizeStreet(typeof address?.street === 'string' ? address.street : '');
	const isVenue = zip !== undefined && /^\d+ ?\S/.test(line) && line.includes(' ');
	return isVenue ? toKey(`${line} ${unit} ${zip}`) : null;
}

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
export function holderKey({ legalName }: License): string | null {
	const name = typeof legalName === 'string' ? normalizeLegalName(legalName) : '';
	return name === '' ? null : toKey(name);
}

function normalizeLegalName(legalName: string): string {
	const name = plain(legalName.replaceAll('&', ' and ')).replace(/^the /, '');
	return LEGAL_FORMS.reduce((text, [spellings, form]) => text.replace(spellings, form), name);
}

const toKey = (text: string): string => safeKey(text.trim().split(/\s+/).join('-'));
