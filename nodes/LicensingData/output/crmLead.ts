import type { IDataObject } from 'n8n-workflow';

import type { License } from '../api/types';
import { NEW_FILING } from '../fields/eventType';
import { LICENSE_TYPES } from '../fields/licenseType';
import { flatten, words } from './flat';

/**
 * Named as HubSpot, Salesforce, Pipedrive and spreadsheets name their columns. `externalId` is the license,
 * not the event, so that a renewal updates the lead instead of making a second one.
 */
export function crmLead(license: License): IDataObject {
	const flat = flatten(license);
	return {
		externalId: flat.id || flat.licenseNumber,
		company: companyName(license),
		legalName: flat.legalName,
		street: flat.street,
		city: flat.city,
		state: flat.state,
		postalCode: flat.zip,
		country: 'US',
		county: flat.county,
		latitude: flat.lat,
		longitude: flat.lng,
		licenseNumber: flat.licenseNumber,
		licenseType: flat.licenseType,
		licenseStatus: flat.status,
		event: flat.eventType,
		eventTimestamp: flat.eventTimestamp,
		filedDate: flat.filedDate,
		effectiveDate: flat.effectiveDate,
		leadSource: 'Florida License Filings',
		description: describe(license),
		sourceUrl: flat.sourceUrl,
	};
}

const companyName = ({ businessName, dbaName, legalName }: License): string | null =>
	[businessName, dbaName, legalName].find((name) => words('', name)) ?? null;

const WHAT_HAPPENED: Record<string, string> = {
	new_filing: 'filed for a new',
	renewal: 'renewed its',
	ownership_transfer: 'changed hands under its',
	status_change: 'has a new status for its',
	cancellation: 'canceled its',
};

/** "The Rusty Anchor in Tampa, Hillsborough County filed for a new Food Service license on 2026-07-03." */
function describe(license: License): string {
	const { address } = license;
	const eventType = words('', license.eventType);
	const licenseType = words('', license.licenseType);
	const county = words('', address?.county).replace(/\s+county$/i, '');
	const place = words(', ', address?.city, county && `${county} County`);
	const day =
		words('', eventType === NEW_FILING && license.filedDate) || words('', license.eventTimestamp);
	const sentence = words(
		' ',
		companyName(license) ?? 'A business',
		place && `in ${place}`,
		WHAT_HAPPENED[eventType] ?? 'has news about its',
		LICENSE_TYPES.find(({ value }) => value === licenseType)?.name ?? licenseType,
		'license',
		day && `on ${day.slice(0, 10)}`,
	);
	return `${sentence}.`;
}
