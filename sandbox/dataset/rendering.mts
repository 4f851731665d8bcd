import { legalForms, streets, surnames } from './business-names.mts';
import type { Standing } from './dataset.mts';
import { numberOf } from './identifiers.mts';
import { isAddress, type Address, type License, type LicensePatch } from './license.mts';
import type { Place } from './places.mts';
import { fraction, hash } from './random.mts';

export interface Stored {
	seed: number;
	slot: number;
	id: string;
	standing: Standing;
	businessName: string;
	place: Place;
	planted: LicensePatch | undefined;
}

const DAY = 86_400_000;

/** What each draw decides; a number of its own keeps the draws independent. */
const draw = {
	house: 11,
	street: 12,
	latitude: 13,
	longitude: 14,
	withoutPremises: 15,
	surname: 16,
	partner: 17,
	legalForm: 18,
	legalStyle: 19,
	dba: 20,
	effective: 21,
	withoutSource: 22,
};

export const isoTime = (time: number): string => new Date(time).toISOString().replace('.000Z', 'Z');
export const isoDate = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Writes a stored record out in full. Only fields that the interface documents, unless planted. */
export function licenseFrom(stored: Stored): License {
	const { seed, slot, id, standing, businessName, planted } = stored;
	const licenseNumber = numberOf(
		slot,
		standing.licenseType,
		new Date(standing.filed).getUTCFullYear(),
	);
	const license: License = {
		id,
		licenseNumber,
		licenseType: standing.licenseType,
		status: standing.status,
		businessName,
		legalName: legalNameOf(stored),
		...dbaNameOf(stored),
		address: addressOf(stored),
		filedDate: isoDate(standing.filed),
		effectiveDate:
			standing.status === 'pending'
				? null
				: isoDate(standing.time + (hash(seed, slot, draw.effective) % 15) * DAY),
		eventType: standing.eventType,
		eventTimestamp: isoTime(standing.time),
		...(fraction(seed, slot, draw.withoutSource) < 0.03
			? {}
			: { sourceUrl: `https://records.example/florida/licenses/${licenseNumber}` }),
	};
	if (!planted) return license;
	const address = isAddress(planted.address)
		? { address: { ...license.address, ...planted.address } }
		: {};
	return { ...license, ...planted, ...address } as License;
}

function legalNameOf({ seed, slot, standing, businessName }: Stored): string | null {
	const owner = seed + standing.owner;
	const style = fraction(owner, slot, draw.legalStyle);
	if (style < 0.03) return null;
	const form = legalForms[hash(owner, slot, draw.legalForm) % legalForms.length];
	const surname = surnames[hash(owner, slot, draw.surname) % surnames.length];
	if (style < 0.4 && standing.owner === 0) return `${businessName.replaceAll("'", '')} ${form}`;
	if (style < 0.7) return `${surname} ${form}`;
	return `${surname} & ${surnames[hash(owner, slot, draw.partner) % surnames.length]} ${form}`;
}

function dbaNameOf({ seed, slot, businessName }: Stored): { dbaName?: string | null } {
	const kind = fraction(seed, slot, draw.dba);
	if (kind < 0.6) return { dbaName: businessName };
	return kind < 0.85 ? { dbaName: null } : {};
}

function addressOf({ seed, slot, standing, place }: Stored): Address {
	const { center } = place;
	const withoutPremises =
		standing.licenseType === 'MOBILE_FOOD' && fraction(seed, slot, draw.withoutPremises) < 0.4;
	const house = 100 + (hash(seed, slot, draw.house) % 9800);
	const street = streets[hash(seed, slot, draw.street) % streets.length];
	// About half a kilometer around the city's center, so that no point leaves its county.
	const near = (coordinate: number, salt: number) =>
		Number((coordinate + (fraction(seed, slot, salt) - 0.5) * 0.01).toFixed(5));
	return {
		street: withoutPremises ? null : `${house} ${street}`,
		city: place.city,
		county: place.county,
		state: 'FL',
		zip: center?.zip ?? null,
		lat: center && !withoutPremises ? near(center.latitude, draw.latitude) : null,
		lng: center && !withoutPremises ? near(center.longitude, draw.longitude) : null,
	};
}
