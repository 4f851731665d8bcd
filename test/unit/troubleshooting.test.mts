import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { ROOT } from '../support/manifest.mts';

/** Which argument of these says what happened. */
const MESSAGE_IN: Record<string, number> = {
	invalidInput: 0,
	Failure: 0,
};

const sources = readdirSync(join(ROOT, 'nodes'), { recursive: true, encoding: 'utf8' })
	.filter((file) => file.endsWith('.ts'))
	.map((file) => join('nodes', file));

/** The texts that an expression may be; whatever is known only at run time is an ellipsis. */
function textsOf(node: ts.Expression): string[] {
	if (ts.isStringLiteralLike(node)) return [node.text];
	if (ts.isConditionalExpression(node)) {
		return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
	}
	if (!ts.isTemplateExpression(node)) return [];
	return [
		[node.head, ...node.templateSpans.map(({ literal }) => literal)]
			.map(({ text }) => text)
			.join('…'),
	];
}

function messagesIn(path: string): string[] {
	const messages: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
			const message = node.arguments?.[MESSAGE_IN[node.expression.getText(file)] ?? Infinity];
			if (message) messages.push(...textsOf(message));
		}
		// In the tables of statuses and codes, the first text says what happened.
		if (path.endsWith('failures.ts') && ts.isArrayLiteralExpression(node))
			messages.push(...node.elements.flatMap(textsOf).slice(0, 1));
		ts.forEachChild(node, visit);
	};
	const text = readFileSync(join(ROOT, path), 'utf8');
	const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
	visit(file);
	return messages;
}

/** Thrown to requests that nobody is waiting for anymore. */
const NEVER_SHOWN = 'The reading has ended';

const messages = [...new Set(sources.flatMap(messagesIn))].filter((text) => text !== NEVER_SHOWN);

const page = readFileSync(join(ROOT, 'docs', 'troubleshooting.md'), 'utf8');
const table = page.slice(page.indexOf('| n8n says'), page.indexOf('## What n8n shows'));
/** One row may name several messages: the first in full, of the others only the end. */
const named = [...table.matchAll(/^\| (?!n8n says|-|\*\*)(.+?) +\|/gm)].flatMap(([, cell = '']) =>
	cell.split(' · '),
);

/** Whether a message contains these words, with anything in place of an ellipsis. */
function fits(words: string, message: string): boolean {
	let rest: string | undefined = message;
	for (const part of words.split('…')) {
		const at: number = rest?.indexOf(part) ?? -1;
		rest = at === -1 ? undefined : rest?.slice(at + part.length);
	}
	return rest !== undefined;
}

describe('The table of messages in docs/troubleshooting.md', () => {
	it('has a row for every error that the nodes can show', () => {
		const missing = messages.filter((message) => !named.some((words) => fits(words, message)));
		expect(missing).toEqual([]);
	});

	it('names no error that the nodes cannot show', () => {
		const unknown = named.filter((words) => !messages.some((message) => fits(words, message)));
		expect(unknown).toEqual([]);
	});

	it('is held against what the nodes say', () => {
		expect(messages).toContain('The API key was not accepted');
		expect(messages).toContain("'…' is not text");
		expect(messages.length).toBeGreaterThan(35);
	});
});
