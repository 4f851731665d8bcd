import type { IWebhookFunctions } from 'n8n-workflow';

import { eventHash } from '../licenses/eventIdentity';
import type { License } from '../licenses/license';

/** 8 KB, because n8n copies static data into every execution. */
const MOST_EVENTS = 1_000;

/** The hashes of the events that a node has emitted, oldest first, by its address (test events have another). */
const taken = new Map<string, string[]>();

/** Those that n8n has not answered yet. Simultaneous requests get copies of static data. */
const underWay = new Set<string>();

/**
 * An event counts as taken once its execution exists: if n8n could not start it, the service sends it again. So
 * `confirm` is to be called as soon as it exists, and before n8n saves static data.
 */
export function claim(context: IWebhookFunctions, license: License) {
	const node = String(context.getNodeWebhookUrl('default'));
	const saved = context.getWorkflowStaticData('node') as { takenEvents?: string };
	const hash = eventHash(license);
	const known = () => [...(saved.takenEvents?.match(/.{8}/g) ?? []), ...(taken.get(node) ?? [])];
	const confirm = () => {
		const events = [...new Set([...known(), hash])].slice(-MOST_EVENTS);
		taken.set(node, events);
		// Assigned as a whole, since n8n only notices assignments.
		saved.takenEvents = events.join('');
	};
	if (known().includes(hash)) return { state: 'taken' as const, confirm };
	const name = `${node} ${hash}`;
	if (underWay.has(name)) return { state: 'pending' as const, confirm };
	underWay.add(name);
	context.getResponseObject().once('close', () => underWay.delete(name));
	return { state: 'new' as const, confirm };
}
