import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure } from '../domain/failure';

/**
 * The one place where failures become what n8n shows. `httpCode` is how n8n's own back-off recognizes 401,
 * 403 and 429. `item` is given only if there are several.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: number,
): NodeApiError | NodeOperationError {
	if (!(error instanceof Failure)) {
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
