import ts from 'typescript';

import { filesIn, readText } from '../support/manifest.mts';

/** The texts that an expression may be; whatever is known only at run time is an ellipsis. */
function textsOf(node: ts.Expression): string[] {
	if (ts.isStringLiteralLike(node)) return [node.text];
	if (ts.isConditionalExpression(node))
		return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
	if (!ts.isTemplateExpression(node)) return [];
	const literals = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
	return [literals.map(({ text }) => text).join('…')];
}

function messagesIn(path: string): string[] {
	const messages: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
			const [message] = node.arguments ?? [];
			const isFailure = ['invalidInput', 'Failure'].includes(node.expression.getText(file));
			if (isFailure && message) messages.push(...textsOf(message));
		}
		// In the tables of statuses and codes, the first text says what happened.
		if (path.endsWith('httpFailures.ts') && ts.isArrayLiteralExpression(node))
			messages.push(...node.elements.flatMap(textsOf).slice(0, 1));
		ts.forEachChild(node, visit);
	};
	const file = ts.createSourceFile(path, readText(path), ts.ScriptTarget.ES2022);
	visit(file);
	return messages;
}

/** Thrown to requests that nobody is waiting for anymore. */
const NEVER_SHOWN = 'The reading has ended';

const messages = [...new Set(filesIn('nodes', '.ts').flatMap(messagesIn))].filter(
	(text) => text !== NEVER_SHOWN,
);

const page = readText('docs/troubleshooting.md');
const list = page.slice(0, page.indexOf('## What n8n shows'));
/** One entry may name several messages: the first in full, of the others only the end. */
const named = [...list.matchAll(/^- \*\*(.+?)\*\*: /gm)].flatMap(([, words = '']) =>
	words.split(' · '),
);

/** Whether a message contains these words, with anything in place of an ellipsis. */
const fits = (words: string, message: string): boolean => {
	const escaped = words.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
	return new RegExp(escaped.replaceAll('…', '[^]*')).test(message);
};

it('docs/troubleshooting.md has an entry for each error of the nodes, and no other', () => {
	expect(messages).toEqual(
		expect.arrayContaining(['The API key was not accepted', "'…' is not text"]),
	);
	const missing = messages.filter((message) => !named.some((words) => fits(words, message)));
	expect(missing).toEqual([]);
	const unknown = named.filter((words) => !messages.some((message) => fits(words, message)));
	expect(unknown).toEqual([]);
});
