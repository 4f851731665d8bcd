import type { License } from '../server/license.mts';
import type { Row } from './csvFile.mts';
import { dayFrom } from './days.mts';
import { countyOf, foodType, liquorType, statusOf } from './licenseCodes.mts';
import { STATE_ADDRESS } from './sources.mts';

export const NO_EVENTS = {
	...{ new_filing: 0, ownership_transfer: 0, renewal: 0, status_change: 0, cancellation: 0 },
};

/** A license as it is remembered: what its row says, and what has happened to it. */
export interface Kept extends Facts {
	source: string;
	event: keyof typeof NO_EVENTS | null;
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

export type Facts = ReturnType<typeof factsFrom>;

/** What a row of the state's files says of a license, as far as it matters here. */
export function factsFrom(kind: 'liquor' | 'food', row: Row) {
	const isLiquor = kind === 'liquor';
	const holder = row('Owner Name', 'Licensee Name');
	const state = row('Location State', 'Location State Code');
	const street = [
		row('Location Address 1', 'Location Street Address'),
		row('Location Address 2', 'Location Address Line 2'),
		row('Location Address 3', 'Location Address Line 3'),
	];
	const codes = `${row('Primary Status', 'Primary Status Code')}/${row('Secondary Status', 'Secondary Status Code')}`;
	const modifier = isLiquor ? row('Modifier').replace(/^NULL$/i, '') : '';
	const series = isLiquor ? row('Series') + (modifier && `-${modifier}`) : '';
	return {
		number: row('License Number').toUpperCase().replace(/\s+/g, ''),
		type: isLiquor ? liquorType(row('Profession'), series) : foodType(row('Rank Code')),
		/** Of liquor: "4COP", or with a modifier "4COP-SFS". */
		series: series || null,
		/** Primary and secondary status, such as "20/20". */
		codes,
		status: statusOf(kind, codes),
		holder,
		business: row('DBA', 'Business Name') || holder,
		street: street.filter(Boolean).join(' ') || null,
		city: row('Location City'),
		county: countyOf(row(isLiquor ? 'Location County' : 'Location County Code')),
		state: /^[A-Z]{2}$/.test(state) ? state : 'FL',
		zip: /^\d{5}/.exec(row('Location ZIP', 'Location Zip Code'))?.[0] ?? null,
		phone: isLiquor
			? null
			: (phoneFrom(row('Primary Phone Number')) ?? phoneFrom(row('Secondary Phone Number'))),
		expires: dayFrom(row('Expiration Date', 'License Expiry Date')),
		/** Liquor: when this holder's record began. Food has no such date: see `withApproval`. */
		filed: isLiquor ? dayFrom(row('Original Licensure Date')) : null,
		effective: isLiquor ? dayFrom(row('Effective Date')) : null,
	};
}

/** The state writes a phone number in 25 ways. */
function phoneFrom(text: string): string | null {
	const digits = text.replace(/[a-z#].*/i, '').replace(/\D/g, '');
	const [, area, exchange, line] = /^1?([2-9]\d\d)([2-9]\d\d)(\d{4})$/.exec(digits) ?? [];
	return area === undefined ? null : `(${area}) ${exchange}-${line}`;
}

/** The license that the interface shows. */
export function licenseFrom(kept: Kept): License {
	const { street, city, county, state, zip, phone } = kept;
	return {
		// A license keeps its number for good.
		id: `lic_${kept.number}`,
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
		expirationDate: kept.expires,
		sourceUrl: `${STATE_ADDRESS}${kept.source}.csv`,
		...(phone !== null && { enrichment: { phone } }),
	};
}
