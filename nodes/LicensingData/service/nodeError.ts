import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { redactorFor } from './redaction';
import { type CredentialsOf, redactIn } from './request';
import { asHtml, asLine } from './shown';

/**
 * The one place where failures become what n8n shows. Its back-off for polling triggers goes by
 * `httpCode`. `item` is given only if there are several.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: number,
	redact = redactorFor('').redact,
): NodeApiError | NodeOperationError {
	if (!(error instanceof Failure)) {
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex: item,
		});
	}
	const line = asLine(error.message, redact);
	const message = item === undefined ? line : `${line} [item ${item}]`;
	const description = asHtml(error.description, redact);
	if (error.kind === 'refused') {
		return new NodeOperationError(node, message, { description, itemIndex: item });
	}
	return new NodeApiError(
		node,
		{},
		{ message, description, httpCode: error.status?.toString(), itemIndex: item },
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
