import type { Address } from '../licenses/license';
import { numberOf, textOf } from '../licenses/text';
import { cityKey } from './city';
import { isInFlorida, milesBetween, type Point } from './distance';
import { fiveDigits, findZipCode, isWithin, type ZipRange } from './zipCodes';

/** What a seller calls an area. Every condition given must hold; the values of one are alternatives. */
export interface Territory {
	/** As `cityKey` writes them. */
	cities?: string[];
	zipCodes?: ZipRange[];
	near?: { center: Point; miles: number };
	/** Whether to keep a license that does not say what is needed to tell. */
	keepUnlocated: boolean;
}

type WithAddress = { address?: Address | null };

/** A license in escrow belongs to no place. The register then writes these, and no street. */
export const NO_ZIP_CODE = '99999';
const NO_CITY = /^no city code$/i;

/** Whether there is a place to go to, or to write to. Where street and city are known, the ZIP code may be missing. */
export function hasAddress({ address }: WithAddress): boolean {
	const city = textOf(address?.city).trim();
	const isLocated = city !== '' || fiveDigits(address?.zip) !== NO_ZIP_CODE;
	return textOf(address?.street) !== '' && isLocated && !NO_CITY.test(city);
}

export function isInTerritory(territory: Territory, license: WithAddress): boolean {
	const { cities, zipCodes, near, keepUnlocated } = territory;
	const zip = fiveDigits(license.address?.zip);
	const city = cityKey(license.address?.city);
	const miles = near && milesFrom(near.center, license);
	return (
		(cities === undefined || (city ? cities.includes(city) : keepUnlocated)) &&
		(zipCodes === undefined ||
			(zip ? zipCodes.some((range) => isWithin(zip, range)) : keepUnlocated)) &&
		(near === undefined || (miles === undefined ? keepUnlocated : miles <= near.miles))
	);
}

/** How far a license is from a point; undefined if neither its coordinates nor its ZIP code tell. */
export function milesFrom(center: Point, license: WithAddress): number | undefined {
	const point = locate(license.address);
	return point && milesBetween(center, point);
}

/** The coordinates, if they are in Florida. */
export function pointOf(address: Address | null | undefined): Point | undefined {
	const point = { lat: numberOf(address?.lat), lng: numberOf(address?.lng) };
	return isInFlorida(point) ? point : undefined;
}

function locate(address: Address | null | undefined): Point | undefined {
	const point = pointOf(address);
	if (point) return point;
	const zip = fiveDigits(address?.zip);
	return zip === undefined ? undefined : findZipCode(zip)?.point;
}
