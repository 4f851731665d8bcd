import { createHash } from 'node:crypto';

import type { IWebhookFunctions } from 'n8n-workflow';

import type { License } from '../api/types';

/** The answer that n8n gives to a delivery: a success means that its execution has started. */
type Answer = ReturnType<IWebhookFunctions['getResponseObject']>;

export type Claim = 'new' | 'pending' | 'taken';

/** About a megabyte a node. */
const MOST_EVENTS = 10_000;

/**
 * Which events a node has emitted, the oldest first. It lives in this process and not in n8n's static data:
 * n8n does not save what a delivery changes there, and deliveries at the same moment hold copies of it.
 */
const nodes = new Map<string, Map<string, Answer | 'taken'>>();

/**
 * Takes an event, in one step that no other delivery can come between. The event counts as taken
 * when the answer is a success: if n8n could not start the execution, the service sends it again.
 */
export function claim(node: string, license: License, answer: Answer): Claim {
	const events = nodes.get(node) ?? new Map<string, Answer | 'taken'>();
	nodes.set(node, events);
	const key = eventKey(license);

	const earlier = events.get(key);
	if (earlier === 'taken') return 'taken';
	if (earlier && !earlier.writableEnded) return 'pending';
	if (earlier && isSuccess(earlier)) return 'taken';

	events.set(key, answer);
	const [oldest] = events.keys();
	if (events.size > MOST_EVENTS && oldest !== undefined) events.delete(oldest);
	answer.once('close', () => {
		// A sender that hung up is no answer: n8n is still at work on it.
		if (!answer.writableEnded || events.get(key) !== answer) return;
		if (isSuccess(answer)) events.set(key, 'taken');
		else events.delete(key);
	});
	return 'new';
}

const isSuccess = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300;

/** Without a time, two renewals of one license look alike but for the rest of the record. */
function eventKey(license: License): string {
	const { id, licenseNumber, eventType, eventTimestamp } = license;
	// The same moment may be written in more than one way.
	const moment = typeof eventTimestamp === 'string' && Date.parse(eventTimestamp);
	const event = eventTimestamp
		? [id || licenseNumber, eventType, moment || eventTimestamp]
		: license;
	return createHash('sha256').update(JSON.stringify(event)).digest('base64url');
}
