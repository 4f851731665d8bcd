import { type FunctionsBase, type INode, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { shortened } from '../licenses/text';
import { redactorFor } from './redactor';

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
	if (!(error instanceof Failure))
		return new NodeOperationError(node, error instanceof Error ? error : String(error), {
			itemIndex: item,
		});
	const line = asLine(error.message, redact);
	const message = item === undefined ? line : `${line} [item ${item}]`;
	const description = asHtml(error.description, redact);
	if (error.facts.isInvalidInput)
		return new NodeOperationError(node, message, { description, itemIndex: item });
	return new NodeApiError(
		node,
		{},
		{ message, description, httpCode: error.facts.status?.toString(), itemIndex: item },
	);
}

/** Anything longer is not read. */
const MAX_SHOWN = 1_000;

type Redact = (text: string) => string;

const withoutKey = (text: string, redact: Redact): string =>
	shortened(redact(shortened(text, MAX_SHOWN)), MAX_SHOWN);

/** For a hint or a description, which the editor shows as HTML: services and users may have put anything in it. */
export const asHtml = (text: string, redact: Redact): string =>
	shortened(
		withoutKey(text, redact)
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;'),
		MAX_SHOWN,
	);

/** What a line in the log begins with: all workflows of an n8n write into one. */
export function whereIn(context: Pick<FunctionsBase, 'getNode' | 'getWorkflow'>): string {
	const { name, id } = context.getWorkflow();
	return `Workflow "${name ?? id}", node "${context.getNode().name}": `;
}

/** For a message or a line in the log: it is a text in some places and HTML in others, so it is one line without markup. */
export const asLine = (text: string, redact: Redact): string =>
	withoutKey(text, redact)
		.replace(/[<>\p{Cc}\u2028\u2029]/gu, ' ')
		.replace(/&(?=#?\w+;)/g, '& ');
