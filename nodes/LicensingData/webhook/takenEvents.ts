import type { IWebhookFunctions } from 'n8n-workflow';

import { eventHash } from '../licenses/identity';
import type { License } from '../licenses/license';

/** 8 KB, because n8n copies static data into every execution. */
const MOST_EVENTS = 1_000;

/** By the address of the node. Simultaneous requests get copies of static data, and the last one is saved. */
const taken = new Map<string, string[]>();

/** The events that have started the workflow, as hashes, oldest first. */
export function takenEvents(context: IWebhookFunctions) {
	const node = String(context.getNodeWebhookUrl('default'));
	const saved = context.getWorkflowStaticData('node') as { takenEvents?: string };
	const known = () => [...(saved.takenEvents?.match(/.{8}/g) ?? []), ...(taken.get(node) ?? [])];
	return {
		has: (license: License) => known().includes(eventHash(license)),
		add(license: License) {
			const events = [...new Set([...known(), eventHash(license)])].slice(-MOST_EVENTS);
			taken.set(node, events);
			// Assigned as a whole, since n8n only notices assignments.
			saved.takenEvents = events.join('');
		},
	};
}
