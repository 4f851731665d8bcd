import { type Choice, findChoice } from './findChoice';
import { plain, textOf } from './text';

interface LicenseType extends Choice {
	/** What people look for in the list: who has it, and what the state calls its series. */
	examples?: string;
	/** The state's series that are of this type, in lowercase letters and digits. */
	series?: RegExp;
}

/** The interface lists all but bottle clubs, manufacturers and temporary permits, which are seldom. */
export const LICENSE_TYPES: LicenseType[] = [
	{
		name: 'Beverage (BEV)',
		value: 'BEV',
		examples: 'Caterers, Social Clubs, 11C, 13CT',
		series: /^(?:3[a-d]ps|11[a-z]{1,3}|12rt|13ct)$/,
		description:
			'All other alcohol licenses: caterers, social clubs, package stores in small counties, and some restaurants. Most bars have COP, and most stores APS.',
	},
	{
		name: 'Bottle Club',
		value: 'BOTTLE_CLUB',
		examples: '14BC',
		series: /^14bc$/,
		description: 'Clubs whose guests bring their own alcohol. Bars that sell it have COP.',
	},
	{
		name: 'Consumption on Premises (COP)',
		value: 'COP',
		examples: 'Bars, Restaurants, 1COP, 2COP, 4COP',
		series: /^[1-8]cop[a-z]{0,3}$/,
		description:
			'Consumption on premises: bars, nightclubs and many restaurants, with beer and wine (2COP) or liquor (4COP), which few services tell apart. Restaurants that make most of their money on food may have SRX instead.',
	},
	{
		name: 'Food Service',
		value: 'FOOD_SERVICE',
		examples: 'Restaurants, Cafés, Caterers',
		description:
			'Restaurants, cafés and caterers, with or without alcohol. For food trucks, see Mobile Food.',
	},
	{
		name: 'Manufacturer',
		value: 'MANUFACTURER',
		examples: 'Breweries, Wineries, Distilleries',
		description:
			'Makers of beer, wine and spirits. The bars and stores that sell them are not included.',
	},
	{
		name: 'Mobile Food',
		value: 'MOBILE_FOOD',
		examples: 'Food Trucks, Carts',
		description: 'Food trucks and carts. Restaurants in buildings: Food Service or Seating.',
	},
	{
		name: 'Package Sales (APS)',
		value: 'APS',
		examples: 'Liquor Stores, Grocers, 1APS, 2APS, 3PS',
		series: /^(?:[12]aps|3ps)$/,
		description:
			'Stores that sell alcohol to go: mostly grocery stores, gas stations and drugstores with beer and wine, and liquor stores. Package stores in small counties have BEV.',
	},
	{
		name: 'Seating',
		value: 'SEATING',
		examples: 'Restaurants With Tables',
		description: 'Restaurants that serve food to seated guests. For food trucks, see Mobile Food.',
	},
	{
		name: 'Special Restaurant (SRX)',
		value: 'SRX',
		examples: 'Special Restaurants, 4COP-SRX, SFS',
		series: /^(?:[1-8]cop)?(?:srx|sfs)$/,
		description:
			'Special restaurant: may serve alcohol, but makes most of its money on food. Bars and nightclubs have COP.',
	},
	{
		name: 'Temporary Permit',
		value: 'TEMP_PERMIT',
		description:
			'For a limited time, often until the permanent license is issued. The holder can be a bar, a restaurant or a store.',
	},
];

const FOOD_TYPES = ['FOOD_SERVICE', 'MOBILE_FOOD', 'SEATING'];

export const LIQUOR_TYPES = LICENSE_TYPES.map(({ value }) => value).filter(
	(type) => !FOOD_TYPES.includes(type),
);

/** A type as the service writes it: its code, its name, or, in deliveries, a label such as "Quota Beverage (4COP)". */
export function findLicenseType(given: unknown): string | undefined {
	const [, code] = typeof given === 'string' ? (/\(([^()]+)\)/.exec(given) ?? []) : [];
	return (
		findChoice(LICENSE_TYPES, given) ??
		findChoice(LICENSE_TYPES, code) ??
		typeOfSeries(code ?? given)?.value ??
		typeOfLabel(given)?.value
	);
}

/** "Food Service Establishment" and "Permanent Food Service With Seating" begin or go on with a type's name. */
function typeOfLabel(given: unknown): LicenseType | undefined {
	const label = typeof given === 'string' ? plain(given).replace(/\bnon seating\b/, '') : '';
	const types = LICENSE_TYPES.filter(({ name }) => label.includes(plain(name.replace(/\(.*/, ''))));
	// Nearly all labels of food say "food service"; another name in it says more.
	return types.find(({ value }) => value !== 'FOOD_SERVICE') ?? types[0];
}

/** The same, however it is written. */
export const seriesKey = (given: unknown): string =>
	textOf(given)
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '');

/** The type that holds a series of the state, such as "4COP-SFS" or "3ps". */
export function typeOfSeries(given: unknown): LicenseType | undefined {
	const types = LICENSE_TYPES.filter((type) => type.series?.test(seriesKey(given)));
	// 4COP-SRX is a COP, too; SRX says more.
	return types.at(-1);
}

/** Chosen like types; each stands for several, and by its name precedes them. */
export const LICENSE_TYPE_GROUPS: Choice[] = [
	{
		name: 'All Food Service',
		value: 'allFoodService',
		description: 'Everyone who serves food: Food Service, Mobile Food and Seating',
	},
	{
		name: 'All Liquor',
		value: 'allLiquor',
		description: 'Everyone with a license for alcohol: all types except the three for food',
	},
	{
		name: 'All Serving Alcohol (Bars, Restaurants)',
		value: 'barsAndRestaurants',
		description:
			'Bars and restaurants with COP or SRX. Not in it: BEV, bottle clubs, temporary permits.',
	},
	{
		name: 'All Serving Food or Drink (All Restaurants)',
		value: 'allFoodOrDrink',
		description: 'All food service, COP, SRX and bottle clubs. Not in it: BEV, temporary permits.',
	},
];

/** What people and AI agents call a group. The code FOOD_SERVICE stays a single type. */
const GROUP_WORDS = new Map([
	['alcohol', 'allLiquor'],
	['bar', 'bars'],
	['bars', 'bars'],
	['food', 'allFoodService'],
	['food service', 'allFoodService'],
	['liquor', 'allLiquor'],
	['restaurant', 'restaurants'],
	['restaurants', 'restaurants'],
]);

export const findTypeGroup = (typed: unknown): string | undefined =>
	typeof typed === 'string'
		? GROUP_WORDS.get(
				typed
					.toLowerCase()
					.trim()
					.replace(/[\s-]+/g, ' '),
			)
		: undefined;

const MEMBERS: Record<string, string[]> = {
	bars: ['COP'],
	restaurants: ['FOOD_SERVICE', 'SEATING'],
	allFoodService: FOOD_TYPES,
	allLiquor: LIQUOR_TYPES,
	allFoodOrDrink: [...FOOD_TYPES, 'BOTTLE_CLUB', 'COP', 'SRX'],
	barsAndRestaurants: ['COP', 'SRX'],
};

/** The types that the service knows, each once, for the chosen types and groups. */
export const withoutGroups = (chosen: string[]): string[] => [
	...new Set(chosen.flatMap((value) => MEMBERS[value] ?? value)),
];
