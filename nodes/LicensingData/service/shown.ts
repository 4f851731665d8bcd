import type { FunctionsBase } from 'n8n-workflow';

import { shortened } from '../licenses/text';

/** Anything longer is not read. */
const LONGEST_SHOWN = 1_000;

type Redact = (text: string) => string;

const withoutKey = (text: string, redact: Redact): string =>
	shortened(redact(shortened(text, LONGEST_SHOWN)), LONGEST_SHOWN);

/** For a hint or a description, which the editor shows as HTML: services and users may have put anything in it. */
export const asHtml = (text: string, redact: Redact): string =>
	shortened(
		withoutKey(text, redact)
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;'),
		LONGEST_SHOWN,
	);

/** What a line in the log begins with: all workflows of an n8n write into one. */
export function whereIn(context: Pick<FunctionsBase, 'getNode' | 'getWorkflow'>): string {
	const { name, id } = context.getWorkflow();
	return `Workflow "${name ?? id}", node "${context.getNode().name}": `;
}

/** For a message or a line in the log: it is a text in some places and HTML in others, so it holds no markup. */
export const asLine = (text: string, redact: Redact): string =>
	withoutKey(text, redact)
		.replace(/[<>]/g, ' ')
		.replace(/&(?=#?\w+;)/g, '& ');
