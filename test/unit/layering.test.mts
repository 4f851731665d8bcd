import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';

import { readText, ROOT } from '../support/manifest.mts';

const FOLDER = 'nodes/LicensingData/';
const INSIDE = `^${FOLDER}`;

const [, diagram = ''] = /```mermaid\n([^`]+)```/.exec(readText('docs/architecture.md')) ?? [];

/** The modules by their names in the diagram: `triggerModule[trigger/<br>…`. */
const DRAWN = /^ *(\w+)\[([\w/]+)\/<br>/gm;
const FOLDERS = new Map(
	Array.from(diagram.matchAll(DRAWN), ([, ...drawn]) => drawn as [string, string]),
);

/** `a & b --> c & d` are four. */
const ARROWS = [...diagram.matchAll(/^ *([\w &]+) --> ([\w &]+)$/gm)].flatMap(
	([, from = '', to = '']) =>
		from.split(' & ').flatMap((one) => to.split(' & ').map((other) => [one, other] as const)),
);

const usedBy = (isFrom: (name: string) => boolean): string[] =>
	ARROWS.flatMap(([from, to]) => (isFrom(from) ? (FOLDERS.get(to) ?? []) : []));

/** What the node classes and the credential may use. */
const FRONT = usedBy((from) => from !== 'modules' && !FOLDERS.has(from));

const inside = (folders: string[]): string => `${INSIDE}(${folders.join('|')})/`;
const layers = [...FOLDERS.values()];

const rules: IForbiddenRuleType[] = [
	...[...FOLDERS].map(([name, folder]) => ({
		name: `${folder}/ uses only what lies below it`,
		from: { path: inside([folder]) },
		to: {
			path: '^(nodes|credentials)/',
			pathNot: inside([folder, ...usedBy((from) => from === name || from === 'modules')]),
		},
	})),
	{
		name: 'node classes and the credential leave the inner layers to the outer ones',
		from: { path: '^(nodes|credentials)/', pathNot: inside(layers) },
		to: { path: inside(['[^/]+']), pathNot: inside(FRONT) },
	},
	{
		name: 'the package needs nothing but itself, n8n-workflow and node:crypto',
		from: { path: '^(nodes|credentials)/' },
		to: { pathNot: '^(nodes|credentials)/|(^|/)node_modules/n8n-workflow/|^(node:)?crypto$' },
	},
	{
		name: 'match/, places/ and licenses/ know nothing of n8n',
		from: { path: inside(['match', 'places', 'licenses']) },
		to: { path: '(^|/)node_modules/' },
	},
	{
		name: 'server/ knows nothing of the registers behind it',
		from: { path: '^server/' },
		to: { path: '^(sandbox|florida|playground|test|nodes|credentials)/' },
	},
	{
		name: 'sandbox/ and florida/ need server/ alone',
		from: { path: '^(sandbox|florida)/' },
		to: { path: '^(?!$1/)(sandbox|florida|playground|test|nodes|credentials)/' },
	},
	{
		name: 'files that need each other, or their types, form no circle',
		from: {},
		to: { circular: true },
	},
];

const { output } = await cruise(['nodes', 'credentials', 'server', 'sandbox', 'florida'], {
	baseDir: ROOT,
	doNotFollow: { path: 'node_modules' },
	tsPreCompilationDeps: true,
	validate: true,
	ruleSet: { forbidden: rules.map((rule) => ({ ...rule, severity: 'error' })) },
});
const { modules, summary } = output as ICruiseResult;
const sources = modules.map(({ source }) => source).filter((path) => /^(nodes|cred)/.test(path));

/** What sends requests, under n8n's names and everybody's. */
const HTTP = /\b(fetch|httpRequest|(httpR|r)equestWithAuthentication(Paginated)?)\b/;
const EXPORTED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const COMMENTS = /\/\*[^]*?\*\/|(^|\s)\/\/.*$/gm;

it('The layout is drawn with every folder', () => {
	const known = new RegExp(`^credentials/|${inside(layers)}|${INSIDE}[^/]+$`);
	expect(sources.length).toBeGreaterThan(30);
	expect(sources.filter((path) => !known.test(path))).toEqual([]);
	expect(ARROWS.length).toBeGreaterThan(20);
});

it.each(rules.map(({ name }) => name!))('In the layout, %s', (name) => {
	const broken = summary.violations
		.filter(({ rule }) => rule.name === name)
		.map(({ from, to }) => `${from} -> ${to}`);
	expect(broken).toEqual([]);
});

it('In the layout, service/ alone sends requests', () => {
	const senders = sources.filter((path) => HTTP.test(readText(path).replace(COMMENTS, '')));
	expect(senders.length).toBeGreaterThan(0);
	expect(senders.filter((path) => !path.startsWith(`${FOLDER}service/`))).toEqual([]);
});

it('Each name that the package exports means one thing: two files never export one', () => {
	const exported = sources.flatMap((path) =>
		Array.from(readText(path).matchAll(EXPORTED), ([, name]) => name),
	);
	expect(exported.length).toBeGreaterThan(200);
	expect(exported.filter((name, at) => exported.indexOf(name) !== at)).toEqual([]);
});
