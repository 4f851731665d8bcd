import type { INode, Failure as Declaration } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure } from '../domain/failure';
import { redactAny } from './redaction';
import { type CredentialsOf, redactIn } from './request';
import { asHtml, asLine } from './shown';

/**
 * The one place where failures become what n8n shows. Its back-off for polling triggers goes by `failure`, and
 * before 2.41 by `httpCode`. `item` is given only if there are several.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: number,
	redact = redactAny,
): NodeApiError | NodeOperationError {
	if (!(error instanceof Failure)) {
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex: item,
		});
	}
	const line = asLine(error.message, redact);
	const message = item === undefined ? line : `${line} [item ${item}]`;
	const description = asHtml(error.description, redact);
	const failure = declarationOf(error);
	if (error.kind === 'refused') {
		return new NodeOperationError(node, message, { description, itemIndex: item, failure });
	}
	return new NodeApiError(
		node,
		{},
		{ message, description, httpCode: error.status?.toString(), itemIndex: item, failure },
	);
}

/** For what n8n calls: a failure comes out as n8n shows it. */
export async function withNodeErrors<T>(
	context: { getNode(): INode } & CredentialsOf,
	outcome: Promise<T>,
): Promise<T> {
	try {
		return await outcome;
	} catch (error) {
		throw toNodeError(context.getNode(), error, undefined, await redactIn(context));
	}
}

/** Why it failed, in n8n's terms, where that is beyond doubt. */
function declarationOf({
	kind,
	status,
	isTransient,
	retryAfter,
}: Failure): Declaration | undefined {
	if (kind === 'refused') return { cause: 'configuration-invalid' };
	if (status === 401) return { cause: 'credential-invalid' };
	if (status === 429) return { cause: 'rate-limited', retryAfterMs: retryAfter };
	if (isTransient) return { cause: 'temporarily-unavailable', retryAfterMs: retryAfter };
	return undefined;
}
