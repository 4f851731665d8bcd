/** A street without house number and units. */
interface StreetName {
	directions: string;
	name: string;
	type: string;
}

// cspell:disable
/**
 * Streets that have a number and a name, and are addressed by both, with the same house numbers: by county, as
 * `number: names`. Only those that are the same from end to end, and whose name no other street of the county has.
 */
const TWO_NAMES: Record<string, string> = {
	Bay: 'us 98 alt: frontbeach rd; us 98: panamacitybeach pkwy, backbeach rd',
	Broward: 'us 1: federal hwy; us 441: sr 7',
	Charlotte: 'us 41: tamiami trl',
	Citrus: 'us 19: suncoast blvd; sr 44: gulftolake hwy',
	Collier: 'us 41: tamiami trl',
	Hernando: 'us 19: commercial way; sr 50: cortez blvd',
	Lee: 'us 41: tamiami trl',
	Martin: 'us 1: federal hwy',
	'Miami-Dade': `sw 8 st: tamiami trl, us 41, calleocho; sw 40 st: bird rd; sw 56 st: miller dr, miller rd;
		sw 72 st: sunset dr; sw 88 st: kendall dr, n kendall dr; sw 152 st: coralreef dr; sw 184 st: eureka dr;
		sw 312 st: campbell dr; sw 177 ave: krome ave; sw 87 ave: galloway rd; sw 67 ave: s ludlam rd;
		sw 57 ave: s red rd; sw 42 ave: s lejeune rd, sw lejeune rd; nw 42 ave: n lejeune rd, nw lejeune rd`,
	Monroe: 'us 1: overseas hwy',
	Okaloosa: 'us 98: emeraldcoast pkwy',
	Orange: 'sr 50: colonial dr; us 441: orangeblossom trl; sr 436: semoran blvd',
	'Palm Beach': 'us 1: federal hwy; us 441: sr 7',
	Sarasota: 'us 41: tamiami trl',
	'St. Lucie': 'us 1: federal hwy',
	Walton: 'us 98: emeraldcoast pkwy',
};
// cspell:enable

const numbersByName = new Map(
	Object.entries(TWO_NAMES).flatMap(([county, streets]) =>
		streets.split(';').flatMap((street) => {
			const [number = '', names = ''] = street.split(':').map((part) => part.trim());
			return names.split(/,\s*/).map((name): [string, string] => [`${county}: ${name}`, number]);
		}),
	),
);

/** The street by its number, if it has one in this county. */
export function otherName(street: StreetName, county = ''): StreetName {
	const { directions, name, type } = street;
	const written = [name, type].filter(Boolean).join(' ');
	const withDirections = numbersByName.get(`${county}: ${directions} ${written}`);
	const number = withDirections ?? numbersByName.get(`${county}: ${written}`);
	if (number === undefined) return street;
	const [, ownDirection = '', road = '', ownType = ''] =
		/^(sw |nw )?(.+?)(?: (st|ave))?$/.exec(number) ?? [];
	const rest = { name: road, type: ownType };
	if (ownDirection === '') return { directions, ...rest };
	// "NW Bird Rd" is not the one in the southwest.
	const isIt = withDirections !== undefined || ['', ownDirection.trim()].includes(directions);
	return isIt ? { directions: ownDirection.trim(), ...rest } : street;
}
