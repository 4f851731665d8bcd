import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../api/failure';
import type { License } from '../api/types';
import { crmLead } from './crmLead';
import { selectedFields, simplified } from './flat';

export type OutputForm = (license: License) => IDataObject;

/** The multi-select gives a list; an expression or an agent may give names in one text. */
const toNames = (fields: unknown): string[] =>
	(Array.isArray(fields) ? fields.map(String) : typeof fields === 'string' ? fields.split(',') : [])
		.map((field) => field.trim())
		.filter((field) => field !== '');

/** The form behind the parameters Output and Fields. */
export function outputForm(output: unknown, fields: unknown): OutputForm {
	switch (output) {
		case 'simplified':
			return simplified;
		case 'raw':
			return (license) => license as IDataObject;
		case 'selectedFields': {
			const chosen = toNames(fields);
			return (license) => selectedFields(license, chosen);
		}
		case 'crmLead':
			return crmLead;
		default:
			throw refusal(
				"'Output' has a value that this node does not know",
				'Choose one of: simplified, raw, selectedFields, crmLead.',
			);
	}
}
