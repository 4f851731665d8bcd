import { expect, it } from 'vitest';
import { LicensingData } from '../../../nodes/LicensingData/LicensingData.node.ts';
import { urlFor, withAddress } from '../../../playground/crm/address.mts';
import { nodeOf, workflowOf } from '../../support/host.mts';

const HERE = 'http://127.0.0.1:5679/leads';
const node = { name: 'Send Lead', type: '', typeVersion: 1, position: [0, 0] as [number, number] };
const after = (parameters: Record<string, unknown>) =>
	withAddress(HERE, { ...node, parameters }).parameters;

it('writes an address that n8n turns into one with the name of the workflow', () => {
	const nodeType = new LicensingData();
	const sender = nodeOf(nodeType, {});
	const { expression } = workflowOf(nodeType, sender, { name: 'To HubSpot & Slack' });
	expect(expression.getSimpleParameterValue(sender, urlFor(HERE), 'internal', {})).toBe(
		`${HERE}?workflow=To%20HubSpot%20%26%20Slack`,
	);
});

it.each([
	['the placeholder of the file', 'https://crm.example.com/leads', urlFor(HERE)],
	['the address of an earlier run', 'http://127.0.0.1:4000/leads', urlFor(HERE)],
	['what an earlier run wrote', urlFor('http://127.0.0.1:4000/leads'), urlFor(HERE)],
	['a CRM of the user', 'https://crm.company.com/leads', 'https://crm.company.com/leads'],
	['another path on this machine', 'http://127.0.0.1:4000/x', 'http://127.0.0.1:4000/x'],
])('sends leads to this run, unless the user has changed it: %s', (_, before, url) => {
	expect(after({ method: 'POST', url: before })).toEqual({ method: 'POST', url });
});

it('says the address of this run in a note, and leaves the rest of it', () => {
	const content = 'Leads go to http://127.0.0.1:4000/leads, and then home.';
	expect(after({ content })).toEqual({ content: `Leads go to ${HERE}, and then home.` });
});
