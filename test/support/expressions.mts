import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

import { filesIn, ROOT } from './manifest.mts';

const require = createRequire(import.meta.url);

/** A literal, or a call of `RegExp` with all that it is built of. */
function writtenIn(node: ts.Node, source: ts.SourceFile): string[] {
	const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
	const isBuilt = isCall && node.expression.getText(source) === 'RegExp';
	if (isBuilt || ts.isRegularExpressionLiteral(node)) return [node.getText(source)];
	const parts: ts.Node[] = [];
	node.forEachChild((part) => void parts.push(part));
	return parts.flatMap((part) => writtenIn(part, source));
}

type Loaded = Record<string, unknown> & { EXPRESSIONS?: RegExp[] };
const loaded = new Map<string, Loaded>();

/** A module that also exports its regular expressions, built of its own constants. */
function load(path: string): Loaded {
	const known = loaded.get(path);
	if (known !== undefined) return known;
	const exports: Loaded = {};
	loaded.set(path, exports);
	const text = readFileSync(path, 'utf8');
	const parsed = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022);
	const written = writtenIn(parsed, parsed);
	const source = `${text}\nexport const EXPRESSIONS = [${written.join(', ')}];`;
	const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
	const { outputText } = ts.transpileModule(source, { compilerOptions });
	const find = (name: string): unknown =>
		name.startsWith('.') ? load(`${join(dirname(path), name)}.ts`) : require(name);
	new Function('require', 'exports', outputText)(find, exports);
	return exports;
}

/** Every regular expression in these folders, behind its file. */
export const expressionsOf = (...folders: string[]): Array<[file: string, expression: RegExp]> =>
	folders
		.flatMap((folder) => filesIn(folder, '.ts'))
		.flatMap((file) => {
			const { EXPRESSIONS = [] } = load(join(ROOT, file));
			return EXPRESSIONS.map((one): [string, RegExp] => [file, one]);
		});
