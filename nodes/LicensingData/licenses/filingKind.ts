import { EVENT_TYPES, NEW_FILING } from './eventTypes';
import { type Choice, findChoice } from './findChoice';
import { type License, licenseNumberOf } from './license';
import { LICENSE_NUMBERS } from './licenseNumbers';
import { dayOf } from './time';

type FilingKind = 'newHolder' | 'newLicense';

export const NOT_KNOWN = 'notKnown';

export const FILING_KINDS: Choice[] = [
	{ name: 'New Holder', value: 'newHolder', description: 'An old license in new hands' },
	{
		name: 'New License',
		value: 'newLicense',
		description: 'A license that the state has given out for the first time',
	},
	{
		name: 'Not Known',
		value: NOT_KNOWN,
		description:
			'New filings whose license number does not show whether the license is new, and events that are not new filings',
	},
];

/**
 * A license that changes hands keeps its number, and its new holder's filing is listed as new. Only the number
 * tells: the state gives numbers out in order, and never twice. Null where it does not tell; a guess would send
 * a seller to the wrong door. A service that has seen the license before knows better.
 */
export function filingKind(license: License): FilingKind | null {
	if (findChoice(EVENT_TYPES, license.eventType) !== NEW_FILING) return null;
	const said = findChoice(FILING_KINDS, license.filingKind);
	if (said !== undefined) return said === NOT_KNOWN ? null : (said as FilingKind);
	const filed = dayOf(license.filedDate);
	if (filed === undefined) return null;
	const number = licenseNumberOf(license).toUpperCase();
	return kindByYear(number, filed) ?? kindByCounty(number, filed) ?? null;
}

/** The interface's own shape, such as "COP-2026-00123", says in which year a number was given out. */
function kindByYear(number: string, filed: string): FilingKind | undefined {
	const [, year] = /^[A-Z_]+-(\d{4})-\d+$/.exec(number) ?? [];
	const age = Number(filed.slice(0, 4)) - Number(year);
	// One year: given out in December and filed in January, or handed on.
	return age === 0 ? 'newLicense' : age >= 2 ? 'newHolder' : undefined;
}

/** Numbers are given out a little out of order: so far below the highest, one may still be new. */
const OUT_OF_ORDER = 50;

/** Florida's own shape, such as "BEV2300123": a series, a county and a number of that county. */
function kindByCounty(number: string, filed: string): FilingKind | undefined {
	const [, series = '', county = '', digits] = /^([A-Z]{3})(\d\d)(\d{5})$/.exec(number) ?? [];
	const { day, highest } = numberings().get(series) ?? {};
	const above = Number(digits) - (highest?.get(county) ?? Number.NaN);
	if (day === undefined || filed <= day) return undefined;
	return above > 0 ? 'newLicense' : above <= -OUT_OF_ORDER ? 'newHolder' : undefined;
}

let bySeries: ReturnType<typeof readNumberings> | undefined;

/** Read on first use. */
const numberings = () => (bySeries ??= readNumberings(LICENSE_NUMBERS));

/** By series: filings after `day` can be told apart by the `highest` numbers, one for each of the state's codes of counties. */
export const readNumberings = (table: string) =>
	new Map(
		table
			.trim()
			.split('\n')
			.flatMap((line) => {
				const [, series = '', day = '', entries = ''] = /^(\S+) ([^\s:]+):(.*)$/.exec(line) ?? [];
				const pairs = entries.split(',').map((entry) => entry.split(' '));
				const highest = new Map(pairs.map(([county = '', number]) => [county, Number(number)]));
				return series.split('/').map((one) => [one, { day, highest }] as const);
			}),
	);
