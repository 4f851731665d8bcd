import { findCounty } from '../licenses/counties';
import type { License } from '../licenses/license';
import { numberOf, textOf } from '../licenses/text';
import { isInFlorida, milesBetween, type Point } from './distance';
import { findZipCode, fiveDigits } from './zipCodes';

export type WithAddress = Pick<License, 'address'>;

/** The county that an address names or, if that is none of Florida's, those of its ZIP code. Empty if nobody knows. */
export function countiesOf(address: License['address']): string[] {
	const named = findCounty(address?.county);
	return named ? [named] : (findZipCode(address?.zip)?.counties ?? []);
}

/** A license in escrow belongs to no place. The register then writes these, and no street. */
export const NO_ZIP_CODE = '99999';
const NO_CITY = /^no city code$/i;

/** Tells whether there is a place to go to, or to write to. Where street and city are known, the ZIP code may be missing. */
export function hasAddress({ address }: WithAddress): boolean {
	const city = textOf(address?.city).trim();
	const isLocated = city !== '' || fiveDigits(address?.zip) !== NO_ZIP_CODE;
	return textOf(address?.street) !== '' && isLocated && !NO_CITY.test(city);
}

/** How far a license is from a point; undefined if neither its coordinates nor its ZIP code tell. */
export function milesFrom(center: Point, { address }: WithAddress): number | undefined {
	const point = pointOf(address) ?? findZipCode(address?.zip)?.point;
	return point && milesBetween(center, point);
}

/** The coordinates, if they are in Florida. */
export function pointOf(address: License['address']): Point | undefined {
	const point = { lat: numberOf(address?.lat), lng: numberOf(address?.lng) };
	return isInFlorida(point) ? point : undefined;
}
