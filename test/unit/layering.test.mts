import { readFileSync, readdirSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

import { ROOT } from '../support/manifest.mts';

interface Source {
	/** Below the repository, e.g. nodes/LicensingData/api/pages.ts. */
	path: string;
	/** The room: a folder below the node's, or 'door' for what stands in front of them. */
	room: string;
	/** Modules by name, files by their path below the repository, without an ending. */
	imports: string[];
	/** Those of them that are left when it runs: types are gone by then. */
	loads: string[];
	/** Names that the code uses, comments and texts left out. */
	names: Set<string>;
}

function read(path: string): Source {
	const file = ts.createSourceFile(
		path,
		readFileSync(join(ROOT, path), 'utf8'),
		ts.ScriptTarget.ES2022,
	);
	const imports: string[] = [];
	const loads: string[] = [];
	const names = new Set<string>();
	const take = (specifier: ts.Node | undefined, isType = false) => {
		if (!specifier || !ts.isStringLiteralLike(specifier)) return;
		const { text } = specifier;
		const name = text.startsWith('.') ? posix.join(posix.dirname(path), text) : text;
		imports.push(name);
		if (!isType) loads.push(name);
	};
	const visit = (node: ts.Node): void => {
		if (ts.isImportDeclaration(node)) take(node.moduleSpecifier, node.importClause?.isTypeOnly);
		if (ts.isExportDeclaration(node)) take(node.moduleSpecifier, node.isTypeOnly);
		if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
			take(node.argument.literal, true);
		}
		if (ts.isCallExpression(node)) {
			const { kind } = node.expression;
			const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
			if (kind === ts.SyntaxKind.ImportKeyword || isRequire) take(node.arguments[0]);
		}
		if (ts.isIdentifier(node)) names.add(node.text);
		ts.forEachChild(node, visit);
	};
	visit(file);
	return { path, room: roomOf(path), imports, loads, names };
}

function roomOf(path: string): string {
	const [, room] = /^nodes\/LicensingData\/([^/]+)\//.exec(path) ?? [];
	return room ?? 'door';
}

const sources = ['credentials', 'nodes'].flatMap((folder) =>
	readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
		.map((entry) => read(relative(ROOT, join(entry.parentPath, entry.name)))),
);

const HTTP_HELPERS = [
	'fetch',
	'httpRequest',
	'httpRequestWithAuthentication',
	'requestWithAuthentication',
	'requestWithAuthenticationPaginated',
];

const PACKAGES = ['n8n-workflow', 'node:crypto'];

/** What each room may use of the others. Two files of api/ are open to the leaves: its types and its failures. */
const MAY_USE: Record<string, string[]> = {
	door: ['actions', 'polling', 'webhook', 'fields', 'output', 'api'],
	actions: ['reading', 'api', 'fields', 'output'],
	reading: ['api', 'fields'],
	polling: ['feed', 'api', 'fields', 'output'],
	webhook: ['api', 'fields', 'output'],
	feed: [],
	fields: ['api/types', 'api/failure'],
	output: ['api/types', 'api/failure', 'fields'],
	api: [],
};

const inRoom = (room: string) => sources.filter((source) => source.room === room);
const filesOf = ({ imports }: Source) => imports.filter((name) => !PACKAGES.includes(name));

describe('The layout', () => {
	it('has no room that nobody has described', () => {
		const unknown = sources.filter(({ room }) => !(room in MAY_USE)).map(({ path }) => path);
		expect(unknown).toEqual([]);
	});

	it.each(Object.entries(MAY_USE))('%s uses only what lies below it', (room, open) => {
		const strangers = inRoom(room).flatMap((source) =>
			filesOf(source)
				.filter((name) => {
					const inside = name.replace(/^nodes\/LicensingData\//, '');
					return ![room, ...open].some((way) => inside === way || inside.startsWith(`${way}/`));
				})
				.filter((name) => room !== 'door' || roomOf(name) !== 'door')
				.map((name) => `${source.path} -> ${name}`),
		);
		expect(strangers).toEqual([]);
	});

	it('ends where the package ends', () => {
		const outside = sources.flatMap((source) =>
			filesOf(source)
				.filter((name) => !/^(nodes|credentials)\//.test(name))
				.map((name) => `${source.path} -> ${name}`),
		);
		expect(outside).toEqual([]);
	});

	it('keeps n8n out of the feed', () => {
		expect(inRoom('feed').flatMap(({ imports }) => imports)).not.toContain('n8n-workflow');
	});

	it('lets api/ alone speak HTTP', () => {
		const speakers = sources
			.filter(({ names }) => HTTP_HELPERS.some((helper) => names.has(helper)))
			.map(({ room }) => room);
		expect(new Set(speakers)).toEqual(new Set(['api']));
	});

	it('goes round in no circle', () => {
		const next = new Map(sources.map(({ path, loads }) => [path.replace(/\.ts$/, ''), loads]));
		const circles: string[] = [];
		const walk = (at: string, way: string[]): void => {
			if (way.includes(at)) circles.push([...way.slice(way.indexOf(at)), at].join(' -> '));
			else for (const to of next.get(at) ?? next.get(`${at}/index`) ?? []) walk(to, [...way, at]);
		};
		for (const from of next.keys()) walk(from, []);
		expect(circles).toEqual([]);
	});
});
