import { milesFrom, type WithAddress } from './address';
import { cityKey } from './cities';
import type { Point } from './distance';
import { fiveDigits, isWithin, type ZipRange } from './zipCodes';

/** The cities, ZIP codes and circle that a user chose. Every one given must hold; its values are alternatives. */
export interface ChosenPlaces {
	/** The keys that `cityKey` makes of their names. */
	cities?: string[];
	zipCodes?: ZipRange[];
	near?: { center: Point; miles: number };
	/** True to keep a license that does not say what is needed to tell. */
	keepUnlocated: boolean;
}

export function isInChosenPlaces(chosen: ChosenPlaces, license: WithAddress): boolean {
	const { cities, zipCodes, near, keepUnlocated } = chosen;
	const zip = fiveDigits(license.address?.zip);
	const city = cityKey(license.address?.city);
	const miles = near && milesFrom(near.center, license);
	return (
		(!cities || (city ? cities.includes(city) : keepUnlocated)) &&
		(!zipCodes || (zip ? zipCodes.some((range) => isWithin(zip, range)) : keepUnlocated)) &&
		(!near || (miles === undefined ? keepUnlocated : miles <= near.miles))
	);
}
