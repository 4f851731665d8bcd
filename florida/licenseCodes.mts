/** What the codes in the state's files mean. An unknown one is `unknown`, never `active`. */

const byCode = (codes: Record<string, string>): ReadonlyMap<string, string> =>
	new Map(
		Object.entries(codes).flatMap(([status, all]) => all.split(' ').map((code) => [code, status])),
	);

/** By primary and secondary code, or by the primary one where the other does not matter. */
const STATUSES = {
	liquor: byCode({
		active: '20/20 20/35 20/30 20/31 20/32 30 31 32',
		// A temporary license lets its holder open before the lasting one comes.
		approved: '21/20 21/34 22',
		pending: '21/37 10',
		inactive: '41 20/10 21/10',
		suspended: '42',
		expired: '45',
		cancelled: '46 47 60 61 62 63 64 80 99',
	}),
	food: byCode({ active: '20/20 20/18', expired: '45/20 45/18 45/45', cancelled: '46' }),
};

export const UNKNOWN = 'unknown';

export const statusOf = (kind: 'liquor' | 'food', codes: string): string =>
	STATUSES[kind].get(codes) ?? STATUSES[kind].get(codes.split('/')[0]!) ?? UNKNOWN;

/** Liquor: temporary licenses, which tell a new venue from a new owner. */
export const TEMPORARY_NEW = '21/20';
export const TEMPORARY_TRANSFER = '21/34';

/** An owner change is under way, and the row still names the old holder. */
export const isPendingTransfer = (codes: string): boolean =>
	/^(20|45)\/18$|^20\/35$|^22\//.test(codes);

/** The row of the holder who leaves, beside the row of the one who comes. */
export const isOutgoing = (kind: 'liquor' | 'food', codes: string): boolean =>
	kind === 'liquor' ? codes === '20/35' : codes.endsWith('/45');

export function liquorType(profession: string, series: string): string {
	if (profession === '4002') return 'TEMP_PERMIT';
	if (profession === '4005') return 'MANUFACTURER';
	if (profession === '4014' || /^14BC\b/.test(series)) return 'BOTTLE_CLUB';
	if (/-(SFS|SRX)$/.test(series)) return 'SRX';
	if (/^\w*COP\b/.test(series)) return 'COP';
	return /^\w*PS\b/.test(series) ? 'APS' : 'BEV';
}

const RANKS: Record<string, string> = { SEAT: 'SEATING', MFDV: 'MOBILE_FOOD', HTDG: 'MOBILE_FOOD' };
/** Permits for a few days: no lead. */
const PERMITS = /^(TEMP|TLIC|TANN|TMP4)$/;

/** Empty for a permit of a few days; a rank that is not known is one of the many kinds of food service. */
export const foodType = (rank: string): string =>
	PERMITS.test(rank) ? '' : (RANKS[rank] ?? 'FOOD_SERVICE');

/** The state's codes go through the counties by the alphabet, Miami-Dade (23) by its old name: the first is 11. */
const COUNTIES = (
	'Alachua,Baker,Bay,Bradford,Brevard,Broward,Calhoun,Charlotte,Citrus,Clay,Collier,Columbia,Miami-Dade,DeSoto,' +
	'Dixie,Duval,Escambia,Flagler,Franklin,Gadsden,Gilchrist,Glades,Gulf,Hamilton,Hardee,Hendry,Hernando,Highlands,' +
	'Hillsborough,Holmes,Indian River,Jackson,Jefferson,Lafayette,Lake,Lee,Leon,Levy,Liberty,Madison,Manatee,Marion,' +
	'Martin,Monroe,Nassau,Okaloosa,Okeechobee,Orange,Osceola,Palm Beach,Pasco,Pinellas,Polk,Putnam,St. Johns,' +
	'St. Lucie,Santa Rosa,Sarasota,Seminole,Sumter,Suwannee,Taylor,Union,Volusia,Wakulla,Walton,Washington'
).split(',');

/** Empty for codes of other states, and for those that nobody knows. */
export const countyOf = (code: string): string => COUNTIES[Number(code) - 11] ?? '';
