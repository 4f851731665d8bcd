/** Why there is no result. `refused`: nothing was sent. `answered`: what was answered leads no further. */
type FailureKind = 'refused' | 'answered' | 'status' | 'redirect' | 'network' | 'timeout' | 'shape';

interface FailureFacts {
	status?: number;
	/** Milliseconds that the service asked to wait. */
	retryAfter?: number;
	/** Whether the same request may well succeed later. */
	isTransient?: boolean;
	/** The service's own words. */
	serviceMessage?: string;
	/** What the service calls this request. */
	requestId?: string;
}

/**
 * What the modules below the node classes throw: one sentence on what happened, and one on what to do. It
 * holds no request and no cause, because those carry the API key in their headers.
 */
export class Failure extends Error {
	private notes = '';
	readonly status?: number;
	readonly serviceMessage?: string;
	readonly retryAfter?: number;
	readonly isTransient: boolean;

	constructor(
		readonly kind: FailureKind,
		message: string,
		private readonly advice: string,
		readonly facts: FailureFacts = {},
	) {
		super(message);
		this.name = 'Failure';
		this.status = facts.status;
		this.serviceMessage = facts.serviceMessage;
		this.retryAfter = facts.retryAfter;
		this.isTransient = facts.isTransient ?? false;
	}

	get description(): string {
		const { serviceMessage, requestId } = this.facts;
		const said = serviceMessage === undefined ? '' : `The service says: "${serviceMessage}" `;
		const id =
			requestId === undefined ? '' : ` Its support can find this request as "${requestId}".`;
		return said + this.advice + this.notes + id;
	}

	/** For callers that know more about where it happened. */
	addNote(sentence: string): void {
		this.notes += ` ${sentence}`;
	}

	/** The same failure with changed advice, and more facts about what happened. */
	withWords(change: (advice: string) => string, more: FailureFacts = {}): Failure {
		return new Failure(this.kind, this.message, change(this.advice), { ...this.facts, ...more });
	}
}

const hasStatus = (error: unknown, statuses: number[]): error is Failure =>
	error instanceof Failure && statuses.includes(error.status ?? 0);

/** How a service may say that it does not know a cursor (anymore); the interface does not specify it. */
export const refusesCursor = (error: unknown): error is Failure =>
	hasStatus(error, [400, 404, 410, 422]);

/** How a service may turn down a value that a filter does not know. */
export const refusesValue = (error: unknown): error is Failure => hasStatus(error, [400, 404, 422]);

/** The key is in order, and may ask for less. */
export const exceedsPlan = (error: unknown): boolean => hasStatus(error, [403]);

/** What was asked for does not exist, or no longer does. */
export const isNotFound = (error: unknown): error is Failure => hasStatus(error, [404, 410]);

/** What any other request would run into as well. */
export const stopsEveryRequest = (error: unknown): boolean => hasStatus(error, [401, 429]);

/** For a value that the user entered and that is not worth a request. */
export function refusal(message: string, description: string): Failure {
	return new Failure('refused', message, description);
}

/** For what only the answers can show, such as a list that is too long. The same values may do tomorrow. */
export function cannotGoOn(message: string, description: string): Failure {
	return new Failure('answered', message, description);
}

/** The service understood the request and turned it down. */
export function notAccepted(facts: FailureFacts = {}): Failure {
	const { status } = facts;
	return new Failure(
		'status',
		`The service did not accept the request${status === undefined ? '' : ` (HTTP ${status})`}`,
		facts.serviceMessage === undefined
			? "The service gave no reason. Check the filters and values of this node, then 'Base URL' in the Licensing Data credential. If they are right, ask the service's support."
			: "If that is about your plan, trial, payment or credit, check the account dashboard. If it is about the key or a token, copy the key from there into 'API Key' of the Licensing Data credential. If it is about a value, correct it in this node. If none of this applies, try again later. If it keeps happening, send this text to the service's support.",
		facts,
	);
}

/**
 * For an answer that cannot be understood. It must never look the same as an empty list: an empty list is a
 * result, and an unreadable answer would hide one.
 */
export function unexpectedAnswer(what: string): Failure {
	return new Failure(
		'shape',
		'The service sent an answer this node cannot read',
		`${what} Check 'Base URL' and 'API Key' in the Licensing Data credential. If they are right, try again later. If it keeps happening, send this text to the service's support.`,
	);
}

/** Anything else that is thrown while an answer is read comes from something in it that nobody foresaw. */
export const toFailure = (error: unknown): Failure =>
	error instanceof Failure
		? error
		: unexpectedAnswer('Something in the answer is not as expected.');
