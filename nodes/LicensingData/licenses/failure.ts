export interface FailureFacts {
	status?: number;
	/** Milliseconds that the service asked to wait. */
	retryAfter?: number;
	/** True if the same request may well succeed later. */
	isTransient?: boolean;
	/** True if a value that the user entered is to blame, and nothing was sent. */
	isInvalidInput?: boolean;
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
	constructor(
		message: string,
		private readonly advice: string,
		readonly facts: FailureFacts = {},
	) {
		super(message);
		this.name = 'Failure';
	}

	get description(): string {
		const { serviceMessage, requestId } = this.facts;
		const said = serviceMessage && `The service says: "${serviceMessage}"`;
		const id = requestId && `Request ID for the service's support: "${requestId}".`;
		return [said, this.advice, id].filter(Boolean).join(' ');
	}

	/** This failure with changed advice. */
	withWords(change: (advice: string) => string): Failure {
		return new Failure(this.message, change(this.advice), this.facts);
	}

	/** This failure with more facts about what happened. */
	withFacts(more: FailureFacts): Failure {
		return new Failure(this.message, this.advice, { ...this.facts, ...more });
	}
}

/** The one place where what was thrown becomes a value, for whoever goes on without what was asked for. */
export const orFailure = async <T>(asked: Promise<T>): Promise<T | Failure> =>
	await asked.catch((error: unknown) => {
		if (error instanceof Failure) return error;
		throw error;
	});

/** For a value that the user entered and that is not worth a request. */
export const invalidInput = (message: string, advice: string): Failure =>
	new Failure(message, advice, { isInvalidInput: true });
