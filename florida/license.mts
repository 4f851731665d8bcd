import type { License } from '../server/license.mts';
import { dayFrom } from './calendar.mts';
import { countyOf, foodType, liquorType, statusOf } from './codes.mts';
import type { Row } from './csv.mts';
import { STATE_ADDRESS } from './sources.mts';

/** What a row of the state's files says of a license, as far as it matters here. */
export interface Facts {
	number: string;
	type: string;
	/** Of liquor: "4COP", or with a modifier "4COP-SFS". */
	series: string | null;
	/** Primary and secondary status, such as "20/20". */
	codes: string;
	status: string;
	holder: string;
	business: string;
	street: string | null;
	city: string;
	county: string;
	state: string;
	zip: string | null;
	phone: string | null;
	expires: string | null;
	/** Liquor: when this holder's record began. Food has no such date: see `Kept`. */
	filed: string | null;
	effective: string | null;
}

export type EventType =
	| 'new_filing'
	| 'ownership_transfer'
	| 'renewal'
	| 'status_change'
	| 'cancellation';

/** A license as it is remembered: what its row says, and what has happened to it. */
export interface Kept extends Facts {
	source: string;
	event: EventType | null;
	/** The day of the event; the first sighting fixes it. */
	at: string | null;
	/** Null where the number does not tell, and of events that are no new license or holder. */
	kind: 'newLicense' | 'newHolder' | null;
	/** Since when this holder is known to have it; null if it was so when the files were first read. */
	holderSince: string | null;
	/** The latest expiration that has been seen: some pass through an earlier one, or none. */
	latestExpiry: string | null;
	/** The file that lacked it first. */
	goneIn: string | null;
	/** The day on which it was taken to have ended. */
	ended: string | null;
}

/** What stays of a license thirty days after its end. */
export interface Ended {
	number: string;
	source: string;
	ended: string;
	holderHash: string;
}

/** Why a row is no license of its own. */
export type LeftOut = { reason: string };

export function factsFrom(kind: 'liquor' | 'food', row: Row): Facts | LeftOut {
	const number = row('License Number').toUpperCase().replace(/\s+/g, '');
	if (number === '') return { reason: 'no license number' };
	return kind === 'liquor' ? liquorFrom(number, row) : foodFrom(number, row);
}

/** By the columns that follow "Location": the street's, then those of the county, the state and the ZIP code. */
function placeFrom(row: Row, lines: string[], rest: [county: string, state: string, zip: string]) {
	const at = (column: string) => row(`Location ${column}`);
	const [county = '', state = '', zip = ''] = rest.map(at);
	return {
		...{ street: lines.map(at).filter(Boolean).join(' ') || null, city: at('City') },
		...{ county: countyOf(county), state: /^[A-Z]{2}$/.test(state) ? state : 'FL' },
		zip: /^\d{5}/.exec(zip)?.[0] ?? null,
	};
}

const LIQUOR_STREET = ['Address 1', 'Address 2', 'Address 3'];
const FOOD_STREET = ['Street Address', 'Address Line 2', 'Address Line 3'];

function liquorFrom(number: string, row: Row): Facts {
	const series = row('Series');
	const modifier = row('Modifier').replace(/^NULL$/i, '');
	const codes = `${row('Primary Status')}/${row('Secondary Status')}`;
	const holder = row('Owner Name');
	return {
		...{ number, codes, holder, business: row('DBA') || holder, phone: null },
		...placeFrom(row, LIQUOR_STREET, ['County', 'State', 'ZIP']),
		type: liquorType(row('Profession'), series, modifier),
		series: [series, modifier].filter(Boolean).join('-') || null,
		status: statusOf('liquor', codes),
		expires: dayFrom(row('Expiration Date')),
		filed: dayFrom(row('Original Licensure Date')),
		effective: dayFrom(row('Effective Date')),
	};
}

function foodFrom(number: string, row: Row): Facts | LeftOut {
	const type = foodType(row('Rank Code'));
	if (type === null) return { reason: 'permit for a few days' };
	const codes = `${row('Primary Status Code')}/${row('Secondary Status Code')}`;
	const holder = row('Licensee Name');
	return {
		...{ number, type, codes, holder, business: row('Business Name') || holder },
		...placeFrom(row, FOOD_STREET, ['County Code', 'State Code', 'Zip Code']),
		...{ series: null, filed: null, effective: null, status: statusOf('food', codes) },
		phone: phoneFrom(row('Primary Phone Number')) ?? phoneFrom(row('Secondary Phone Number')),
		expires: dayFrom(row('License Expiry Date')),
	};
}

/** The state writes a phone number in 25 ways. */
function phoneFrom(text: string): string | null {
	const [, area, exchange, line] =
		/^1?([2-9]\d\d)([2-9]\d\d)(\d{4})$/.exec(text.replace(/[a-z#].*/i, '').replace(/\D/g, '')) ??
		[];
	return area === undefined ? null : `(${area}) ${exchange}-${line}`;
}

/** As the interface shows it. */
export function licenseFrom(kept: Kept): License {
	const { street, city, county, state, zip, phone } = kept;
	return {
		id: idOf(kept.number),
		licenseNumber: kept.number,
		licenseType: kept.type,
		status: kept.status,
		businessName: kept.business,
		legalName: kept.holder || null,
		dbaName: kept.business === kept.holder ? null : kept.business,
		address: { street, city, county, state, zip, lat: null, lng: null },
		filedDate: kept.filed,
		effectiveDate: kept.effective,
		eventType: kept.event,
		eventTimestamp: kept.at && `${kept.at}T00:00:00Z`,
		// Said of each new filing: otherwise the nodes would guess by a table that ages.
		filingKind: kept.kind ?? (kept.event === 'new_filing' ? 'notKnown' : null),
		...(kept.series !== null && { licenseSeries: kept.series }),
		issuedDate: null,
		expirationDate: kept.expires,
		sourceUrl: `${STATE_ADDRESS}${kept.source}.csv`,
		...(phone !== null && { enrichment: { phone, ...NO_ENRICHMENT } }),
	};
}

const NO_ENRICHMENT = {
	...{ website: null, naicsCode: null, naicsDescription: null },
	...{ employeeCount: null, yearsInBusiness: null },
};

/** A license keeps its number for good. */
export const idOf = (number: string): string => `lic_${number}`;
