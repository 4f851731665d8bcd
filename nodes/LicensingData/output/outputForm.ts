import type { IDataObject } from 'n8n-workflow';

import type { License } from '../domain/license';
import { findChoice } from '../domain/choice';
import { choices, oneOf } from '../parameters/values';
import { crmLead } from './crmLead';
import { IDENTIFIERS, selectedFields, simplified } from './flat';
import { FIELD_CHOICES } from './outputFields';

export type OutputForm = (license: License) => IDataObject;

/** What a node found out about a license. Every form adds it to the service's fields. */
const FINDINGS = ['distanceMiles', 'matchScore', 'matchReason'];

/** The form that the parameters Output and Fields ask for. */
export const outputForm = (output: unknown, fields: unknown): OutputForm =>
	withFindings(formOf(output, fields));

export function withFindings(form: OutputForm): OutputForm {
	return (license) => {
		const findings = FINDINGS.filter((name) => Object.hasOwn(license, name));
		const found = findings.map((name) => [name, license[name]]);
		return { ...form(license), ...Object.fromEntries(found) } as IDataObject;
	};
}

/** The IDs come in any case, and an agent may name them. */
const findField = (given: unknown): string | undefined =>
	IDENTIFIERS.find((field) => field === given) ?? findChoice(FIELD_CHOICES, given);

function formOf(output: unknown, fields: unknown): OutputForm {
	switch (oneOf('Output', output, ['simplified', 'raw', 'selectedFields', 'crmLead'])) {
		case 'simplified':
			return simplified;
		case 'raw':
			return (license) => license as IDataObject;
		case 'selectedFields': {
			const chosen = choices('Fields', fields, FIELD_CHOICES, findField);
			return (license) => selectedFields(license, chosen);
		}
		case 'crmLead':
			return crmLead;
	}
}
