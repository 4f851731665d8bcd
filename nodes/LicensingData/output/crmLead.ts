import type { IDataObject } from 'n8n-workflow';

import type { License } from '../licenses/license';
import { NEW_FILING } from '../licenses/knownValues';
import { dayOf, joined, textOf } from '../licenses/text';
import { leadId } from '../licenses/identity';
import { deliveredFields, type Flat, flatten, pick } from './flat';

/**
 * Fields are named as HubSpot, Salesforce, Pipedrive and spreadsheets name them, in the order in which a seller
 * reads them. `leadId` is the license in the hands of its holder, not the event, so that a renewal updates the
 * lead instead of making a second one. `venueKey` is the same for all licenses at one address, and `holderKey`
 * for all of one owner.
 */
export function crmLead(license: License): IDataObject {
	const flat = flatten(license);
	return {
		company: companyName(flat),
		...pick(flat, 'legalName', 'street', 'city', 'state'),
		postalCode: flat.zip,
		country: 'US',
		...pick(flat, 'county', 'phone', 'website'),
		latitude: flat.lat,
		longitude: flat.lng,
		...pick(flat, 'licenseNumber', 'licenseType', 'licenseTypeName', 'isLiquor'),
		licenseStatus: flat.status,
		event: flat.eventType,
		eventName: flat.eventTypeName,
		...pick(flat, 'filingKind', 'eventTimestamp', 'filedDate', 'issuedDate'),
		...pick(flat, 'effectiveDate', 'expirationDate'),
		leadSource: 'Florida License Filings',
		description: describe(flat, license),
		sourceUrl: flat.sourceUrl,
		leadId: leadId(license),
		...pick(flat, 'eventId', 'venueKey', 'holderKey'),
	};
}

export const companyName = ({ businessName, dbaName, legalName }: Flat) =>
	[businessName, dbaName, legalName].find(textOf) ?? null;

const WHAT_HAPPENED: Record<string, string> = {
	new_filing: 'filed for a',
	renewal: 'renewed its',
	ownership_transfer: 'changed hands with its',
	status_change: 'has a new status for its',
	cancellation: 'canceled its',
	address_change: 'changed the address of its',
	newLicense: 'filed for a new',
	newHolder: 'took over a',
};

/** "The Rusty Anchor in Tampa, Hillsborough County took over a Food Service license on 2026-07-03." */
function describe(flat: Flat, license: License): string {
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
		WHAT_HAPPENED[textOf(flat.filingKind) || eventType] ?? 'has news about its',
		textOf(flat.licenseTypeName ?? flat.licenseType),
		'license',
		day && `on ${day}`,
	);
	const { previousStatus, newStatus, ...said } = deliveredFields(license);
	const change = [
		[said.previousLegalName, said.newLegalName ?? flat.legalName],
		[said.previousAddress, flat.address],
		[previousStatus, newStatus ?? flat.status],
	].find(([before, now]) => before && now && before !== now);
	return change ? `${sentence}: ${change[0]} before, ${change[1]} now.` : `${sentence}.`;
}
