import type { IWebhookFunctions } from 'n8n-workflow';

import { eventHash } from '../licenses/eventIdentity';
import type { License } from '../licenses/license';

/** What this process remembers of a node. */
const MOST_EVENTS = 10_000;

/** What n8n saves of it: 8 KB, because n8n copies static data into every execution. */
const MOST_SAVED = 1_000;

interface NodeEvents {
	/** The hashes of the events that the node has emitted, oldest first. */
	taken: Set<string>;
	/** Those that n8n has not answered yet. */
	underWay: Set<string>;
}

/** By the node's address, which is another one for test events. Simultaneous requests get copies of static data. */
const nodes = new Map<string, NodeEvents>();

interface Claim {
	state: 'new' | 'pending' | 'taken';
	/** To be called as soon as the execution exists, and before n8n saves static data. */
	confirm: () => void;
}

/** An event counts as taken once its execution exists: if n8n could not start it, the service sends it again. */
export function claim(context: IWebhookFunctions, license: License): Claim {
	const saved = context.getWorkflowStaticData('node') as { takenEvents?: string };
	const { taken, underWay } = eventsOf(String(context.getNodeWebhookUrl('default')));
	for (const known of saved.takenEvents?.match(/.{8}/g) ?? []) remember(taken, known);
	const hash = eventHash(license);
	const confirm = () => {
		remember(taken, hash);
		// Assigned as a whole, since n8n only notices assignments.
		saved.takenEvents = [...taken].slice(-MOST_SAVED).join('');
	};
	if (taken.has(hash)) return { state: 'taken', confirm };
	if (underWay.has(hash)) return { state: 'pending', confirm };
	underWay.add(hash);
	context.getResponseObject().once('close', () => underWay.delete(hash));
	return { state: 'new', confirm };
}

function eventsOf(node: string): NodeEvents {
	const events = nodes.get(node) ?? { taken: new Set(), underWay: new Set() };
	nodes.set(node, events);
	return events;
}

function remember(events: Set<string>, hash: string): void {
	events.add(hash);
	const [oldest] = events;
	if (events.size > MOST_EVENTS && oldest !== undefined) events.delete(oldest);
}
