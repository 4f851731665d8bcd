import { findCounty } from '../licenses/knownValues';
import type { Address } from '../licenses/license';
import { fiveDigits, findZipCode } from './zipCodes';

/** The county that an address names or, if that is none of Florida's, those of its ZIP code. Empty if nobody knows. */
export function countiesOf(address: Address | null | undefined): string[] {
	const named = findCounty(address?.county);
	if (named !== undefined) return [named];
	return findZipCode(fiveDigits(address?.zip) ?? '')?.counties ?? [];
}
