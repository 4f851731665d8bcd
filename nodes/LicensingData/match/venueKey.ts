import { findCounty } from '../licenses/knownValues';
import type { License } from '../licenses/license';
import { textOf } from '../licenses/text';
import { keyOfWords } from '../licenses/identity';
import { findZipCode, fiveDigits, hasAddress, NO_ZIP_CODE } from '../places/places';
import { normalizeStreet, streetLine, unitOf, type Street } from './street';

/**
 * One key for a venue, however its address is written, e.g. "100-n-main-st-5-33602": the street, the unit and
 * the ZIP code. The unit is included because two doors of a mall are two venues. Null without a street, a
 * house number or a ZIP code: nobody serves anything in a post office box, or under a license in escrow.
 */
export function venueKey({ address }: License): string | null {
	const zip = fiveDigits(address?.zip);
	const street = streetOf(address);
	if (zip === undefined || zip === NO_ZIP_CODE) return null;
	if (!street?.numbers.length || !hasAddress({ address })) return null;
	return keyOfWords(`${streetLine(street)} ${unitOf(street)} ${zip}`);
}

/** The street of a license, as its county knows it. */
export function streetOf(address: License['address']): Street | undefined {
	const street = textOf(address?.street);
	if (street === '') return undefined;
	const [county] = findZipCode(address?.zip)?.counties ?? [];
	return normalizeStreet(street, county ?? findCounty(address?.county));
}
