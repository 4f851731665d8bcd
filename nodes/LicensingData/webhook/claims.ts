import type { IWebhookFunctions } from 'n8n-workflow';

import { eventHash } from '../domain/eventIdentity';
import { momentOf } from '../domain/moment';
import type { Delivery } from './delivery';
import { nodeIn, registrationOf, savedIn } from './savedState';

/** n8n's answer to a delivery: a success means that its execution has started. */
type Answer = ReturnType<IWebhookFunctions['getResponseObject']>;

/** What this process remembers of a node: about a megabyte. */
const MOST_EVENTS = 10_000;

/** What n8n saves of it: 8 KB, because n8n copies static data into every execution. */
const MOST_SAVED = 1_000;

/** The events that each node has emitted, oldest first. Simultaneous requests get copies of static data. */
const nodes = new Map<string, Map<string, Answer | 'taken'>>();

interface Claim {
	state: 'new' | 'pending' | 'taken';
	/** To be called as soon as the execution exists, and before n8n saves static data. */
	confirm: () => void;
}

/**
 * Takes an event, in one step that no other delivery can interrupt. The event counts as taken once its
 * execution has started: if n8n could not start it, the service sends it again.
 */
export function claim(context: IWebhookFunctions, delivery: Delivery): Claim {
	const events = eventsOf(context);
	const answer = context.getResponseObject();
	const hash = hashOf(delivery);
	const confirm = () => {
		events.set(hash, 'taken');
		// It may have come or gone since this copy of static data was read.
		registrationOf(context);
		savedIn(context).takenEvents = [...events.keys()]
			.filter((known) => events.get(known) === 'taken')
			.slice(-MOST_SAVED)
			.join('');
	};

	const earlier = events.get(hash);
	const isAnswered = earlier !== undefined && earlier !== 'taken' && earlier.writableEnded;
	if (earlier === 'taken' || (isAnswered && isSuccess(earlier))) return { state: 'taken', confirm };
	if (earlier && !isAnswered) return { state: 'pending', confirm };

	remember(events, hash, answer);
	answer.once('close', () => {
		// A sender that hung up got no answer: n8n is still working on the event.
		if (!answer.writableEnded || events.get(hash) !== answer) return;
		if (isSuccess(answer)) events.set(hash, 'taken');
		else events.delete(hash);
	});
	return { state: 'new', confirm };
}

/**
 * Usually the event's. Two changes of a license without dates may leave the same record, but they are two
 * deliveries.
 */
const hashOf = ({ license, id }: Delivery): string =>
	id !== undefined && momentOf(license.eventTimestamp) === undefined
		? eventHash({ id: `delivery ${id}` })
		: eventHash(license);

/** What this process knows, and what others have saved. */
function eventsOf(context: IWebhookFunctions): Map<string, Answer | 'taken'> {
	const node = nodeIn(context);
	const events = nodes.get(node) ?? new Map<string, Answer | 'taken'>();
	nodes.set(node, events);
	for (const hash of savedIn(context).takenEvents?.match(/.{8}/g) ?? []) {
		if (!events.has(hash)) remember(events, hash, 'taken');
	}
	return events;
}

function remember<State>(events: Map<string, State>, hash: string, state: State): void {
	events.set(hash, state);
	const [oldest] = events.keys();
	if (events.size > MOST_EVENTS && oldest !== undefined) events.delete(oldest);
}

const isSuccess = ({ statusCode }: Answer): boolean => statusCode >= 200 && statusCode < 300;
