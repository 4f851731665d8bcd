import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

import { repository } from '../../playground/folders.mts';

/** Made by scripts, and read by nobody. */
const TABLES = /(placeTable|zipTable|licenseNumbers)\.ts$/;

export interface Measured {
	folder: string;
	files: number;
	lines: number;
}

export interface Longest {
	name: string;
	lines: number;
}

const sourcesIn = (folder: string): string[] =>
	readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && /\.m?ts$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((path) => !path.includes('node_modules') && !TABLES.test(path));

/** The lines on which a token stands: neither blank ones nor comments. */
function codeLines(source: ts.SourceFile): Set<number> {
	const lines = new Set<number>();
	const visit = (node: ts.Node): void => {
		if (ts.isJSDoc(node)) return;
		if (node.getChildCount(source) > 0) return node.getChildren(source).forEach(visit);
		if (node.kind === ts.SyntaxKind.EndOfFileToken) return;
		const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
		const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
		for (let line = first; line <= last; line++) lines.add(line);
	};
	visit(source);
	const text = source.text.split('\n');
	return new Set([...lines].filter((line) => text[line]?.trim() !== ''));
}

function parse(path: string): ts.SourceFile {
	return ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Lines of code without blanks and comments, by folder. */
export function foldersOf(root: string): Measured[] {
	const folders = new Map<string, Measured>();
	for (const path of sourcesIn(root)) {
		const [first = '', ...rest] = relative(join(repository, root), path).split('/');
		const folder = rest.length > 0 && root.startsWith('nodes') ? `${root}/${first}` : root;
		const measured = folders.get(folder) ?? { folder, files: 0, lines: 0 };
		measured.files++;
		measured.lines += codeLines(parse(path)).size;
		folders.set(folder, measured);
	}
	return [...folders.values()].sort((a, b) => a.folder.localeCompare(b.folder));
}

export function longestFilesIn(root: string): Longest[] {
	return longest(
		sourcesIn(root).map((path) => ({
			name: relative(repository, path),
			lines: codeLines(parse(path)).size,
		})),
	);
}

export function longestFunctionsIn(root: string): Longest[] {
	return longest(
		sourcesIn(root).flatMap((path) => {
			const source = parse(path);
			const code = codeLines(source);
			const found: Longest[] = [];
			const visit = (node: ts.Node): void => {
				if (ts.isFunctionLike(node) && 'body' in node && node.body) {
					const line = (at: number) => source.getLineAndCharacterOfPosition(at).line;
					const [first, last] = [line(node.getStart(source)), line(node.getEnd())];
					const lines = [...code].filter((one) => one >= first && one <= last).length;
					found.push({ name: `${relative(repository, path)}:${first + 1}`, lines });
				}
				ts.forEachChild(node, visit);
			};
			visit(source);
			return found;
		}),
	);
}

const longest = (all: Longest[]): Longest[] => all.sort((a, b) => b.lines - a.lines).slice(0, 5);
