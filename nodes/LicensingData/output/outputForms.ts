import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { entriesOf, oneOf, text } from '../filters/enteredValues';
import { field } from '../filters/filter';
import { NEW_FILING } from '../licenses/eventTypes';
import { invalidInput } from '../licenses/failure';
import { findChoice } from '../licenses/findChoice';
import { leadId } from '../licenses/leadKeys';
import { FINDINGS, type License } from '../licenses/license';
import { joined, textOf } from '../licenses/text';
import { dayOf } from '../licenses/time';
import {
	companyName,
	DELIVERED_FIELDS,
	deliveredFields,
	type Flat,
	flatten,
	pick,
	singleLine,
} from './fields';

export type OutputForm = (license: License) => IDataObject;

/** The multi-select gives a list; an expression or an agent may give a text, with names as people read them. */
function toNames(fields: unknown): string[] {
	return entriesOf('Fields', fields).flatMap((given) => {
		const name = findChoice(FIELD_CHOICES, given) ?? text('Fields', given) ?? [];
		// As the name of a field, n8n would take it for the item's prototype.
		if (name !== '__proto__') return name;
		throw invalidInput("'Fields' cannot include __proto__", 'Choose other fields.');
	});
}

/** The form that the parameters Output and Fields ask for, of a license in a list or of one that was looked up. */
export const outputForm = (output: unknown, fields: unknown, isLookUp = false): OutputForm =>
	withFindings(formOf(output, fields, isLookUp));

export function withFindings(form: OutputForm): OutputForm {
	return (license) => {
		const findings = FINDINGS.filter((name) => Object.hasOwn(license, name));
		return { ...form(license), ...deliveredFields(license), ...pick(license, ...findings) };
	};
}

function formOf(output: unknown, fields: unknown, isLookUp: boolean): OutputForm {
	const form = oneOf('Output', output, ['simplified', 'raw', 'selectedFields', 'crmLead']);
	if (form === 'raw') return (license) => license as IDataObject;
	if (form === 'crmLead') return crmLead;
	if (form === 'simplified') return (license) => simplified(license, isLookUp);
	const chosen = toNames(fields);
	return (license) => selectedFields(license, chosen);
}

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
		...pick(flat, 'licenseNumber', 'licenseType', 'licenseTypeName', 'licenseSeries', 'isLiquor'),
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

const WHAT_HAPPENED: Record<string, string> = {
	new_filing: 'filed for a',
	renewal: 'renewed its',
	ownership_transfer: 'got a new holder for its',
	status_change: 'got a new status for its',
	cancellation: 'canceled its',
	address_change: 'changed the address of its',
	newLicense: 'filed for a new',
	newHolder: 'took over a',
};

/** "The Rusty Anchor in Tampa, Hillsborough County took over a Food Service license, filed on 2026-07-03." */
function describe(flat: Flat, license: License): string {
	const eventType = textOf(flat.eventType);
	const county = textOf(flat.county)
		.replace(/county$/i, '')
		.trim();
	const place = joined(', ', flat.city, county && `${county} County`);
	const filed = dayOf(eventType === NEW_FILING && flat.filedDate);
	const day = filed ?? dayOf(flat.eventTimestamp);
	// Whoever may sell already has what was filed for.
	const isInForce = textOf(flat.status).toLowerCase() === 'active';
	const happened =
		WHAT_HAPPENED[textOf(flat.filingKind) || eventType] ??
		(eventType ? 'had activity on its' : 'holds a');
	const sentence = joined(
		' ',
		companyName(flat) ?? 'A business',
		place && `in ${place}`,
		isInForce ? happened.replace('filed for', 'got') : happened,
		textOf(flat.licenseTypeName ?? flat.licenseType),
		filed && isInForce ? 'license, filed' : 'license',
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

/** What tells records and events apart is always included. */
const IDENTIFIERS = ['id', 'eventId'];

/** By any name that another form has, so that a table of ten columns can be filled as it is. */
const SELECTABLE_FIELDS = [
	...new Set([...Object.keys(flatten({})), ...Object.keys(crmLead({})), ...DELIVERED_FIELDS]),
].filter((field) => !IDENTIFIERS.includes(field));

/** An expression may ask for a field that the interface does not name (yet). */
function selectedFields(license: License, fields: readonly string[]): IDataObject {
	const forms = { ...deliveredFields(license), ...crmLead(license), ...flatten(license) };
	const others = fields.filter((field) => Object.hasOwn(license, field));
	const said = Object.fromEntries(others.map((field) => [field, asCell(license[field])]));
	// Without a prototype, as an expression may name "constructor".
	return pick({ __proto__: null, ...said, ...forms }, ...fields, ...IDENTIFIERS);
}

/** What is nested becomes its JSON. */
const asCell = (value: unknown) =>
	typeof value === 'boolean'
		? value
		: singleLine(value && typeof value === 'object' ? JSON.stringify(value) : value);

/**
 * n8n's guidelines allow ten for a record: with more, people and AI agents lose sight of what matters. Whoever
 * lists licenses asks what is new, and whoever looks one up asks whether it is valid.
 */
function simplified(license: License, isLookUp: boolean): IDataObject {
	const flat = flatten(license);
	return {
		...pick(flat, 'businessName', 'legalName', 'address', 'phone', 'licenseType', 'licenseNumber'),
		...pick(flat, 'status', 'eventType', 'filedDate'),
		...pick(flat, isLookUp ? 'expirationDate' : 'filingKind', 'eventId'),
	};
}

const SIMPLIFIED: INodePropertyOptions = {
	name: 'Simplified',
	value: 'simplified',
	description: 'The ten most-used fields and the event ID, without nesting',
};

const CRM_LEAD: INodePropertyOptions = {
	name: 'CRM Lead',
	value: 'crmLead',
	description: 'Fields with the names CRMs and spreadsheets use: company, street, lead source',
};

const RAW: INodePropertyOptions = {
	name: 'Raw',
	value: 'raw',
	description: 'Everything the service sends, untouched',
};

const SELECTED_FIELDS: INodePropertyOptions = {
	name: 'Selected Fields',
	value: 'selectedFields',
	description: 'The fields you choose, with the license and event IDs',
};

/** Wherever a license leaves a node, as an item or in a file. */
export const FORMS = [CRM_LEAD, SELECTED_FIELDS, SIMPLIFIED];

/** How a license leaves the node as an item; operations and triggers all offer the same. */
export const outputFields = (): INodeProperties[] => [
	field('Output', 'output', 'options', 'simplified', {
		description: 'What each license looks like to the nodes that follow',
		// Simplified first, as n8n's guidelines have it, and the others by name.
		options: [SIMPLIFIED, CRM_LEAD, RAW, SELECTED_FIELDS],
	}),
	fieldsField({ output: ['selectedFields'] }),
];

/** The field for Selected Fields, wherever that can be chosen. */
export const fieldsField = (show: Record<string, string[]>): INodeProperties =>
	field('Fields', 'fields', 'multiOptions', ['businessName', 'licenseType', 'city', 'county'], {
		description: 'The fields to return. The license and event IDs are always included.',
		options: FIELD_CHOICES,
		displayOptions: { show },
	});

const FIELD_TITLES: Record<string, string> = {
	dbaName: 'DBA Name',
	lat: 'Latitude',
	leadId: 'Lead ID',
	lng: 'Longitude',
	sourceUrl: 'Source URL',
	zip: 'ZIP Code',
};

function toTitle(field: string): string {
	const words = field.replace(/([A-Z])/g, ' $1');
	return FIELD_TITLES[field] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

const FIELD_CHOICES = SELECTABLE_FIELDS.map((value) => ({
	name: toTitle(value),
	value,
})).sort((one, other) => one.name.localeCompare(other.name, 'en'));
