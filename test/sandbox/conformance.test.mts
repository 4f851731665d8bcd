import { readdirSync, readFileSync } from 'node:fs';

import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const textOf = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The names of the tests that run: a comment or a skipped test proves nothing. */
function testsIn(path: string): Set<string> {
	const names = new Set<string>();
	const visit = (node: ts.Node): void => {
		if (ts.isCallExpression(node)) {
			const [name] = node.arguments;
			const isTest = /^it(\.(each|for)\b[^]*)?$/.test(node.expression.getText());
			if (isTest && name && ts.isStringLiteralLike(name)) names.add(name.text);
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest, true));
	return names;
}

const tests = new Map(
	readdirSync(new URL('.', import.meta.url))
		.filter((name) => name.endsWith('.test.mts'))
		.map((name) => [name.replace('.test.mts', ''), testsIn(name)]),
);

/** The rows of the table in the sandbox's readme: the interface's line, and the tests that prove it. */
const rows = textOf('../../sandbox/README.md')
	.split('\n')
	.filter((line) => /^\| [2-8]\./.test(line))
	.map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '').trim()))
	.map(([line = '', ...rest]) => ({ line, holders: rest.join(' | ') }));

describe('The conformance table', () => {
	it('has lines for each of the sections 2 to 8', () => {
		const sections = new Set(rows.map(({ line }) => line[0]));
		expect([...sections].sort()).toEqual(['2', '3', '4', '5', '6', '7', '8']);
	});

	it('names for every line tests that exist, or says that it is open', () => {
		const unheld = rows.flatMap(({ line, holders }) => {
			if (holders.startsWith('Open:')) return [];
			const named = holders.split('<br>').map((holder) => holder.trim().split(': '));
			return named
				.filter(([file = '', ...name]) => !tests.get(file)?.has(name.join(': ')))
				.map(([file, ...name]) => `${line}: ${file}: ${name.join(': ')}`);
		});
		expect(unheld).toEqual([]);
	});
});
