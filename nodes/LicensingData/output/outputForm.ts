import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../licenses/failure';
import { FINDINGS, type License } from '../licenses/license';
import { findChoice } from '../licenses/knownValues';
import { entriesOf, oneOf, text } from '../filters/values';
import { crmLead } from './crmLead';
import { delivered } from './delivered';
import { FIELD_CHOICES } from './outputFields';
import { selectedFields, simplified } from './selectedFields';

export type OutputForm = (license: License) => IDataObject;

/** The multi-select gives a list; an expression or an agent may give a text, with names as people read them. */
function toNames(fields: unknown): string[] {
	return entriesOf(fields).flatMap((given) => {
		const name = findChoice(FIELD_CHOICES, given) ?? text('Fields', given) ?? [];
		// As the name of a field, n8n would take it for the item's prototype.
		if (name !== '__proto__') return name;
		throw refusal("'Fields' names no field of a license: __proto__", 'Choose other fields.');
	});
}

/** The form that the parameters Output and Fields ask for, of a license in a list or of one that was looked up. */
export const outputForm = (output: unknown, fields: unknown, isLookUp = false): OutputForm =>
	withFindings(formOf(output, fields, isLookUp));

export function withFindings(form: OutputForm): OutputForm {
	return (license) => {
		const findings = FINDINGS.filter((name) => Object.hasOwn(license, name));
		const found = findings.map((name) => [name, license[name]]);
		return { ...form(license), ...delivered(license), ...Object.fromEntries(found) } as IDataObject;
	};
}

function formOf(output: unknown, fields: unknown, isLookUp: boolean): OutputForm {
	switch (oneOf('Output', output, ['simplified', 'raw', 'selectedFields', 'crmLead'])) {
		case 'simplified':
			return (license) => simplified(license, isLookUp);
		case 'raw':
			return (license) => license as IDataObject;
		case 'selectedFields': {
			const chosen = toNames(fields);
			return (license) => selectedFields(license, chosen);
		}
		case 'crmLead':
			return crmLead;
	}
}
