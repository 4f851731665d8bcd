import type { Choice } from './choice';
import { findChoice } from './choice';

interface LicenseType extends Choice {
	/** Whom it is for, in words that people search the list for. */
	examples?: string;
}

export const LICENSE_TYPES: LicenseType[] = [
	{
		name: 'Beverage (BEV)',
		value: 'BEV',
		description: 'May sell alcoholic beverages; the register does not say how',
	},
	{
		name: 'Consumption on Premises (COP)',
		value: 'COP',
		examples: 'Bars, Clubs, Restaurants',
		description: 'May serve alcohol to drink on the premises: bars, taverns, clubs and restaurants',
	},
	{
		name: 'Food Service',
		value: 'FOOD_SERVICE',
		examples: 'Restaurants, Cafés, Caterers',
		description: 'May prepare and serve food',
	},
	{
		name: 'Mobile Food',
		value: 'MOBILE_FOOD',
		examples: 'Food Trucks, Carts',
		description: 'May sell food from a vehicle or a cart, such as a food truck',
	},
	{
		name: 'Package Sales (APS)',
		value: 'APS',
		examples: 'Liquor Stores, Beer, Wine',
		description: 'May sell alcohol in sealed containers to take away: stores, not bars',
	},
	{
		name: 'Seating',
		value: 'SEATING',
		examples: 'Restaurants With Tables',
		description: 'May serve food to seated guests',
	},
	{
		name: 'Special Restaurant (SRX)',
		value: 'SRX',
		description: 'A restaurant that may serve alcohol and makes most of its money from food',
	},
];

export const LIQUOR_TYPES = ['APS', 'BEV', 'COP', 'SRX'];

/** A type as the service writes it: its code, its name, or, in deliveries, a label such as "Quota Beverage (4COP)". */
export function findLicenseType(given: unknown): string | undefined {
	const [, code] = typeof given === 'string' ? (/\(\d*([A-Z_]+)\d*\)/.exec(given) ?? []) : [];
	return (
		findChoice(LICENSE_TYPES, given) ?? LICENSE_TYPES.find(({ value }) => value === code)?.value
	);
}

const MEMBERS: Record<string, string[]> = {
	allFoodService: ['FOOD_SERVICE', 'MOBILE_FOOD', 'SEATING'],
	allLiquor: LIQUOR_TYPES,
	barsAndRestaurants: ['COP', 'SRX'],
};

/** Chosen like types; each stands for several. */
export const LICENSE_TYPE_GROUPS: Choice[] = [
	{
		name: 'All Food Service',
		value: 'allFoodService',
		description: 'Everyone who serves food: Food Service, Mobile Food and Seating',
	},
	{
		name: 'All Liquor',
		value: 'allLiquor',
		description: 'Everyone who sells or serves alcohol: APS, BEV, COP and SRX',
	},
	{
		name: 'Bars and Restaurants',
		value: 'barsAndRestaurants',
		description: 'Everyone who serves alcohol to guests: COP and SRX',
	},
];

/** The types that the service knows, each once, for the chosen types and groups. */
export const withoutGroups = (chosen: string[]): string[] => [
	...new Set(chosen.flatMap((value) => MEMBERS[value] ?? value)),
];
