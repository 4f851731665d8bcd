import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Why a request brought no usable answer. `refused` means that it was never made. */
export type FailureKind = 'refused' | 'status' | 'redirect' | 'network' | 'timeout' | 'shape';

interface FailureFacts {
	status?: number;
	/** Milliseconds that the service asked to wait. */
	retryAfter?: number;
	/** Whether the same request may well be answered later. */
	passing?: boolean;
	/** The service's own words. */
	said?: string;
}

/**
 * What the rooms below the doors throw: one sentence that says what happened, one that says what to do.
 * It holds no request and no cause, because those carry the API key in their headers.
 */
export class Failure extends Error {
	readonly description: string;
	readonly status?: number;
	readonly said?: string;
	readonly retryAfter?: number;
	readonly passing: boolean;

	constructor(
		readonly kind: FailureKind,
		message: string,
		advice: string,
		facts: FailureFacts = {},
	) {
		super(message);
		this.name = 'Failure';
		this.status = facts.status;
		this.said = facts.said;
		this.description =
			facts.said === undefined ? advice : `${advice} The service says: ${facts.said}`;
		this.retryAfter = facts.retryAfter;
		this.passing = facts.passing ?? false;
	}
}

const hasStatus = (error: unknown, statuses: number[]): boolean =>
	error instanceof Failure && statuses.includes(error.status ?? 0);

/** How a service may say that it does not know a cursor (any more); the interface does not show it. */
export const refusesCursor = (error: unknown): boolean => hasStatus(error, [400, 404, 410, 422]);

/** What another request would meet as well, whatever it asks for. */
export const stopsEveryRequest = (error: unknown): boolean => hasStatus(error, [401, 429]);

/** A value that a user entered and that is not worth a request. */
export function refusal(message: string, description: string): Failure {
	return new Failure('refused', message, description);
}

/**
 * The one place where failures become what n8n shows. `httpCode` is how n8n's own back-off recognizes
 * 401, 403 and 429. `item` is given only where several items make it worth naming.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: number,
): NodeApiError | NodeOperationError {
	if (!(error instanceof Failure)) {
		if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex: item,
		});
	}
	const message = item === undefined ? error.message : `${error.message} [item ${item}]`;
	const { description } = error;
	if (error.kind === 'refused') {
		return new NodeOperationError(node, message, { description, itemIndex: item });
	}
	return new NodeApiError(
		node,
		{},
		{ message, description, httpCode: error.status?.toString(), itemIndex: item },
	);
}
