import type { IDataObject } from 'n8n-workflow';

import type { License } from '../licenses/license';
import { licenseName } from '../licenses/eventIdentity';
import { NEW_FILING } from '../licenses/eventTypes';
import { dayOf } from '../licenses/moment';
import { safeKey } from '../licenses/safeKey';
import { joined, textOf } from '../licenses/readableText';
import { flatten, type Flat } from './flat';
import { singleLine } from './singleLine';

/**
 * Fields are named as HubSpot, Salesforce, Pipedrive and spreadsheets name them, in the order in which a seller
 * reads them. `externalId` is the license, not the event, so that a renewal updates the lead instead of making
 * a second one. `venueKey` is the same for all licenses at one address, and `holderKey` for all of one owner.
 */
export function crmLead(license: License): IDataObject {
	const flat = flatten(license);
	const name = licenseName(license);
	return {
		company: companyName(flat),
		legalName: flat.legalName,
		street: flat.street,
		city: flat.city,
		state: flat.state,
		postalCode: flat.zip,
		country: 'US',
		county: flat.county,
		phone: flat.phone,
		website: flat.website,
		latitude: flat.lat,
		longitude: flat.lng,
		licenseNumber: flat.licenseNumber,
		licenseType: flat.licenseType,
		licenseTypeName: flat.licenseTypeName,
		isLiquor: flat.isLiquor,
		licenseStatus: flat.status,
		event: flat.eventType,
		eventName: flat.eventTypeName,
		eventTimestamp: flat.eventTimestamp,
		filedDate: flat.filedDate,
		issuedDate: flat.issuedDate,
		effectiveDate: flat.effectiveDate,
		expirationDate: flat.expirationDate,
		leadSource: 'Florida License Filings',
		description: describe(flat, license),
		sourceUrl: flat.sourceUrl,
		externalId: name === undefined ? null : safeKey(name),
		eventId: flat.eventId,
		venueKey: flat.venueKey,
		holderKey: flat.holderKey,
	};
}

export const companyName = ({ businessName, dbaName, legalName }: Flat) =>
	[businessName, dbaName, legalName].find(textOf) ?? null;

const WHAT_HAPPENED: Record<string, string> = {
	new_filing: 'filed for a new',
	renewal: 'renewed its',
	ownership_transfer: 'changed hands under its',
	status_change: 'has a new status for its',
	cancellation: 'canceled its',
	address_change: 'changed the address of its',
};

/** "The Rusty Anchor in Tampa, Hillsborough County filed for a new Food Service license on 2026-07-03." */
function describe(flat: Flat, { previousStatus, newStatus }: License): string {
	const eventType = textOf(flat.eventType);
	const county = textOf(flat.county)
		.replace(/county$/i, '')
		.trim();
	const place = joined(', ', flat.city, county && `${county} County`);
	const day = dayOf(eventType === NEW_FILING && flat.filedDate) ?? dayOf(flat.eventTimestamp);
	const sentence = joined(
		' ',
		companyName(flat) ?? 'A business',
		place && `in ${place}`,
		WHAT_HAPPENED[eventType] ?? 'has news about its',
		textOf(flat.licenseTypeName ?? flat.licenseType),
		'license',
		day && `on ${day}`,
	);
	const before = singleLine(previousStatus);
	const now = singleLine(newStatus) ?? flat.status;
	const change = before && now && before !== now;
	return change ? `${sentence}: ${before} before, ${now} now.` : `${sentence}.`;
}
