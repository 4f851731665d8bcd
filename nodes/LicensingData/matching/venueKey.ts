import type { License } from '../domain/license';
import { keyOfWords } from '../domain/safeKey';
import { fiveDigits } from '../geography/zipCodes';
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
	return isVenue ? keyOfWords(`${line} ${unit} ${zip}`) : null;
}
