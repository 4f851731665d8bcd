import { dateOf, expiryDays } from './calendar.mts';
import type { Place } from './florida.mts';
import type { License } from '../../server/license.mts';
import type { Rates } from './behavior.mts';
import { isAddress, type LicensePatch } from './patch.mts';
import { drawFrom, idOf, pick } from './random.mts';
import { cityOf, holderOf, nameOf, names, streetOf, titleCase, zipOf } from './untidy.mts';

/** Which of the state's files a license comes from. */
export type Source = 'liquor' | 'food' | 'groceries';

/** A license in the register. What does not stand here is drawn from the seed and its serial number. */
export interface RegisterRecord {
	serial: number;
	source: Source;
	licenseNumber: string;
	licenseType: string;
	/** The type that its name was made for: a name stays when a type is corrected. */
	namedAs: string;
	place: Place;
	/** The serial number that its address is drawn from: two holders of one number share one. */
	premises: number;
	isEscrow: boolean;
	/** Days since 1970; undefined where the source has no date: then they are the list's own. */
	filed: number | undefined;
	effective: number | undefined;
	/** The turn in which it was filed: how long it counts as new goes by turns. */
	filedTurn: number | undefined;
	/** Its place among all that has become visible or changed; 0 for what was there before. */
	arrival: number;
	eventType: string;
	/** What an event has made of it; without one, it follows from the dates. */
	status: string | undefined;
	/** How often the license has changed hands, and its address. */
	transfers: number;
	moves: number;
	/** What a test has put in the place of what is drawn. */
	planted?: LicensePatch;
	/** What free text is looked for in, in lower case; written when somebody asks. */
	listText?: string | undefined;
	searchText?: string | undefined;
}

/** What a license looks like on a day. */
export interface View {
	seed: number;
	day: number;
	rates: Rates;
}

const businessNameOf = ({ seed }: View, record: RegisterRecord): string => {
	const name = nameOf(seed, record.serial, record.namedAs);
	return record.isEscrow ? `INACTIVE INACTIVE/${name.toUpperCase()}` : name;
};

/** The county as records show it: its name, or nothing for what is out of state or unknown. */
export const countyOf = ({ seed, rates }: View, record: RegisterRecord): string => {
	const isKnown =
		record.source === 'food' ||
		drawFrom(seed, record.premises)('without county') >= rates.withoutCounty;
	return isKnown || record.isEscrow ? record.place.county : '';
};

export function statusOf(view: View, record: RegisterRecord): string {
	const planted = record.planted?.status;
	if (typeof planted === 'string') return planted;
	if (record.status !== undefined) return record.status;
	if (isExpired(view, record)) return 'expired';
	if (record.eventType !== 'new_filing') return 'active';
	const chance = drawFrom(view.seed, record.serial)('status');
	if (chance < 0.03) return 'pending';
	return chance < 0.07 ? 'approved' : 'active';
}

/** A renewal that is late comes after up to four months; until then the license has expired. */
function isExpired(view: View, record: RegisterRecord): boolean {
	const { seed, day, rates } = view;
	if (record.source !== 'liquor' || record.eventType === 'new_filing') return false;
	const { last } = expiryDays(day, monthOf(record));
	const isLate = drawFrom(seed + last, record.serial)('late') < rates.renewedLate;
	return isLate && day - last <= 120 * drawFrom(seed, record.serial)('renewed after');
}

const monthOf = ({ place }: RegisterRecord): 2 | 8 => (place.county.length % 2 ? 2 : 8);

/** What free text is looked for in. */
export const partOf = (
	view: View,
	record: RegisterRecord,
): Pick<License, 'businessName' | 'address'> => {
	return { businessName: businessNameOf(view, record), address: addressOf(view, record) };
};

/** Writes a license out as the list shows it on a day. */
export function licenseOf(view: View, record: RegisterRecord): License {
	const { seed, day } = view;
	const { serial, source, licenseNumber, licenseType, transfers, planted } = record;
	const name = businessNameOf(view, record);
	const filed = record.filed ?? day;
	const effective = record.effective ?? day;
	const dba = drawFrom(seed, serial)('dba');
	const { last, next } = expiryDays(day, monthOf(record));
	const license: License = {
		// Not with a spread, see `draw`.
		id: idOf(seed, serial),
		...{ licenseNumber, licenseType, status: statusOf(view, record) },
		businessName: name,
		legalName: holderOf(seed, serial, name, transfers),
		dbaName: dba < 0.5 ? name : dba < 0.55 ? titleCase(`${name} Too`) : null,
		address: addressOf(view, record),
		...{ filedDate: dateOf(filed), effectiveDate: dateOf(effective) },
		issuedDate: source === 'groceries' ? null : dateOf(filed),
		expirationDate: source === 'groceries' ? null : dateOf(isExpired(view, record) ? last : next),
		eventType: record.eventType,
		eventTimestamp: `${dateOf(effective)}T00:00:00Z`,
		sourceUrl: `https://records.example/${source}`,
		...enrichmentOf(view, record, name),
	};
	if (!planted) return license;
	const address = isAddress(planted.address) && { ...license.address, ...planted.address };
	return { ...license, ...planted, ...(address && { address }) } as License;
}

function addressOf(view: View, record: RegisterRecord): License['address'] {
	const { seed, rates } = view;
	const { premises: serial, place, isEscrow, moves } = record;
	const county = countyOf(view, record);
	const nowhere = { lat: null, lng: null };
	if (isEscrow)
		return { street: null, city: 'No City Code', county, state: 'FL', zip: '99999', ...nowhere };
	const street = streetOf(seed + moves, serial);
	const draw = drawFrom(seed, serial);
	if (county === '' && serial % 2)
		return { street, county, ...pick(names.elsewhere, draw('elsewhere')), ...nowhere };
	const isLocated = draw('coordinates') < rates.withCoordinates;
	const near = (coordinate: number, what: string) =>
		Number((coordinate + (draw(what) - 0.5) * 0.01).toFixed(5));
	return {
		street,
		...{ city: cityOf(seed, serial, place.city), county, state: 'FL' },
		zip: zipOf(seed, serial, place.zip),
		lat: isLocated ? near(place.latitude, 'latitude') : null,
		lng: isLocated ? near(place.longitude, 'longitude') : null,
	};
}

function enrichmentOf({ seed, rates }: View, record: RegisterRecord, name: string) {
	const { serial, source } = record;
	const draw = drawFrom(seed, serial);
	if (draw('enriched') >= rates.withPhone) return undefined;
	const size = draw('size');
	const last = String(100 + Math.floor(draw('phone') * 100)).padStart(4, '0');
	const domain = name.toLowerCase().replace(/[^a-z0-9]/g, '');
	return {
		enrichment: {
			phone: size < 0.5 ? `(850) 555-${last}` : `850-555-${last}`,
			website: draw('website') < 0.4 ? `https://${domain}.example` : null,
			...names.industries[source],
			employeeCount: size < 0.6 ? 1 + Math.floor(size * 60) : null,
			yearsInBusiness: size > 0.3 ? Math.floor(size * 20) : null,
		},
	};
}
