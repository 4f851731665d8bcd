import { legalForms, streets, surnames } from './business-names.mts';
import { idOf, numberOf } from './identifiers.mts';
import { isAddress, textOf, type Address, type License, type LicensePatch } from './license.mts';
import { placeOf, type Place } from './places.mts';
import { fraction, hash } from './random.mts';

/** What a record is made from. The rest of it is drawn from the seed and its serial number. */
export interface RecordState {
	place: Place;
	businessName: string;
	/** How often the license has changed hands. */
	transfers: number;
	filed: number;
	licenseType: string | null;
	eventType: string | null;
	status: string | null;
	time: number;
}

const DAY = 86_400_000;

/** What each draw decides; giving each a number of its own keeps them independent. */
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
const isoDate = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The moment that a date or timestamp names. Only ISO 8601 is read the same on every machine. */
export function momentIn(value: unknown): number | undefined {
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
	const time = Date.parse(value);
	return Number.isNaN(time) ? undefined : time;
}

/** Planted values that other fields of the record follow from. */
export function withPlanted(state: RecordState, planted: LicensePatch): RecordState {
	const text = (field: 'licenseType' | 'eventType' | 'status') =>
		field in planted ? textOf(planted[field]) : state[field];
	return {
		place: 'address' in planted ? placeOf(planted.address, state.place) : state.place,
		businessName:
			'businessName' in planted ? (textOf(planted.businessName) ?? '') : state.businessName,
		transfers: state.transfers,
		filed: momentIn(planted.filedDate) ?? state.filed,
		licenseType: text('licenseType'),
		eventType: text('eventType'),
		status: text('status'),
		time: state.time,
	};
}

const generatedNumber = (serial: number, { licenseType, filed }: RecordState): string =>
	numberOf(serial, licenseType, new Date(filed).getUTCFullYear());

/** What records can be looked up by. */
export const namesOf = (
	seed: number,
	serial: number,
	state: RecordState,
	{ id = idOf(seed, serial), licenseNumber = generatedNumber(serial, state) }: LicensePatch,
): unknown[] => [id, licenseNumber];

/** Writes a record out in full. Only fields that the interface documents, unless planted. */
export function licenseFrom(
	seed: number,
	serial: number,
	state: RecordState,
	planted: LicensePatch,
): License {
	const { licenseType, eventType, status, filed, time, businessName } = state;
	const licenseNumber = generatedNumber(serial, state);
	const license: License = {
		id: idOf(seed, serial),
		licenseNumber,
		licenseType,
		status,
		businessName,
		legalName: legalNameOf(seed, serial, state),
		...dbaNameOf(seed, serial, state),
		address: addressOf(seed, serial, state),
		filedDate: isoDate(filed),
		effectiveDate:
			status === 'pending' ? null : isoDate(time + (hash(seed, serial, draw.effective) % 15) * DAY),
		eventType,
		eventTimestamp: isoTime(time),
		...(fraction(seed, serial, draw.withoutSource) < 0.03
			? {}
			: { sourceUrl: `https://records.example/florida/licenses/${licenseNumber}` }),
	};
	const address = isAddress(planted.address)
		? { address: { ...license.address, ...planted.address } }
		: {};
	return { ...license, ...planted, ...address } as License;
}

function legalNameOf(seed: number, serial: number, state: RecordState): string | null {
	const { businessName, transfers } = state;
	const owner = seed + transfers;
	const style = fraction(owner, serial, draw.legalStyle);
	if (style < 0.03) return null;
	const form = legalForms[hash(owner, serial, draw.legalForm) % legalForms.length];
	const surname = surnames[hash(owner, serial, draw.surname) % surnames.length];
	if (style < 0.4 && transfers === 0) return `${businessName.replaceAll("'", '')} ${form}`;
	if (style < 0.7) return `${surname} ${form}`;
	return `${surname} & ${surnames[hash(owner, serial, draw.partner) % surnames.length]} ${form}`;
}

function dbaNameOf(
	seed: number,
	serial: number,
	{ businessName }: RecordState,
): { dbaName?: string | null } {
	const kind = fraction(seed, serial, draw.dba);
	if (kind < 0.6) return { dbaName: businessName };
	return kind < 0.85 ? { dbaName: null } : {};
}

function addressOf(seed: number, serial: number, { place, licenseType }: RecordState): Address {
	const { center } = place;
	const withoutPremises =
		licenseType === 'MOBILE_FOOD' && fraction(seed, serial, draw.withoutPremises) < 0.4;
	const house = 100 + (hash(seed, serial, draw.house) % 9800);
	const street = streets[hash(seed, serial, draw.street) % streets.length];
	// About half a kilometer around the city's center, so that no point leaves its county.
	const near = (coordinate: number, salt: number) =>
		Number((coordinate + (fraction(seed, serial, salt) - 0.5) * 0.01).toFixed(5));
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
