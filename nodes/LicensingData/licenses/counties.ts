import { type Choice, findChoice } from './findChoice';

/** All 67, as the state spells them. */
const COUNTY_NAMES =
	`Alachua, Baker, Bay, Bradford, Brevard, Broward, Calhoun, Charlotte, Citrus, Clay, Collier, Columbia,
	DeSoto, Dixie, Duval, Escambia, Flagler, Franklin, Gadsden, Gilchrist, Glades, Gulf, Hamilton, Hardee,
	Hendry, Hernando, Highlands, Hillsborough, Holmes, Indian River, Jackson, Jefferson, Lafayette, Lake,
	Lee, Leon, Levy, Liberty, Madison, Manatee, Marion, Martin, Miami-Dade, Monroe, Nassau, Okaloosa,
	Okeechobee, Orange, Osceola, Palm Beach, Pasco, Pinellas, Polk, Putnam, Santa Rosa, Sarasota, Seminole,
	St. Johns, St. Lucie, Sumter, Suwannee, Taylor, Union, Volusia, Wakulla, Walton, Washington`.split(
		/,\s+/,
	);

export const COUNTIES: Choice[] = COUNTY_NAMES.map((name) => ({ name, value: name }));

/** "MIAMI-DADE COUNTY", "saint johns" and "de soto" all mean what one would think. */
export function findCounty(given: unknown): string | undefined {
	if (typeof given !== 'string') return undefined;
	const name = given
		.trim()
		.replace(/county$/i, '')
		.replace(/^saint\b/i, 'st')
		.replace(/^dade[^a-z]*$/i, 'miami-dade');
	return findChoice(COUNTIES, name);
}

/** The name as addresses have it: "St. Johns" becomes "st-johns". */
export const withHyphens = (county: string): string =>
	county.toLowerCase().replace(/[^a-z]+/g, '-');
