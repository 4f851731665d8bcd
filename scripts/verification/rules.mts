import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

import type { Candidate } from './candidate.mts';
import { scan, SHIPPED, SOURCES } from './scanner.mts';
import { descriptionsOf, shownRules } from './shown.mts';

/**
 * One of n8n's rules for verified nodes that its scanner, which comes last, does not check. It returns what
 * speaks against it.
 */
export interface Rule {
	name: string;
	check(candidate: Candidate): string[] | Promise<string[]>;
}

/** In bytes: about 95 KB of code and 25 KB of places and ZIP codes. Much more means that too much was included. */
const LARGEST_ARCHIVE = 150_000;

/** What may be in the archive. */
const SHIPS = [
	/^(package\.json|README\.md|LICENSE\.md)$/,
	/^dist\/(credentials|nodes)\/(?!.*\.(test|d)\.).+\.js$/,
	/^dist\/nodes\/.+\.node\.json$/,
	/^dist\/icons\/\w+(\.dark)?\.svg$/,
];

interface Workflow {
	on?: { push?: { tags?: string[] } };
	jobs?: Record<string, { permissions?: Record<string, string>; steps?: Array<{ run?: string }> }>;
}

const need = (isTrue: boolean, complaint: string): string[] => (isTrue ? [] : [complaint]);

const read = (folder: string, path: string): string =>
	existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : '';

const textOf = ({ archive }: Candidate, path: string): string => read(archive, path);

/** The compiled nodes and credentials that the manifest names. */
const entries = ({ manifest: { n8n } }: Candidate): string[] => [...n8n.nodes, ...n8n.credentials];

const codexOf = (node: string): string => node.replace(/\.js$/, '.json');

export const rules: Rule[] = [
	{
		name: 'The n8n block names an API version, strict mode, and files that are there',
		check: (candidate) => {
			const { n8nNodesApiVersion, strict, nodes, credentials } = candidate.manifest.n8n;
			return [
				...need(n8nNodesApiVersion === 1, 'n8nNodesApiVersion is not 1'),
				...need(strict === true, 'strict is not true'),
				...need(nodes.length > 0 && credentials.length > 0, 'it names no node or no credential'),
				...entries(candidate)
					.filter((path) => !candidate.files.includes(path))
					.map((path) => `${path} is missing`),
				...candidate.files
					.filter((path) => /\.(node|credentials)\.js$/.test(path))
					.filter((path) => !entries(candidate).includes(path))
					.map((path) => `${path} is not in the list`),
			];
		},
	},
	{
		name: 'It is for one service: all nodes use its credentials',
		check: (candidate) => {
			const { nodes, credentials } = candidate.manifest.n8n;
			const names = credentials.map((path) => /name = '\w+'/.exec(textOf(candidate, path))?.[0]);
			const uses = names.map((name) => name?.replace(' =', ':') ?? 'nothing at all');
			return nodes
				.filter((path) => !uses.some((use) => textOf(candidate, path).includes(use)))
				.map((path) => `${path} uses none of them`);
		},
	},
	...shownRules.map(
		({ name, source, complaints }): Rule => ({
			name: `${name} (${source})`,
			check: (candidate) =>
				descriptionsOf(candidate).flatMap((description) =>
					complaints(description).map((complaint) => `${description.displayName}: ${complaint}`),
				),
		}),
	),
	{
		name: 'A GitHub workflow publishes it with provenance, and nobody does so by hand',
		check: ({ source, manifest: { repository, scripts, publishConfig } }) => {
			const text = read(source, '.github/workflows/publish.yml');
			const { on, jobs = {} } = (parse(text) ?? {}) as Workflow;
			const publishing = Object.values(jobs).filter(({ steps }) =>
				steps?.some(({ run }) => run?.startsWith('npm publish --provenance ')),
			);
			return [
				...need(Boolean(on?.push?.tags?.length), 'publish.yml is missing, or waits for no tag'),
				...need(publishing.length === 1, 'not exactly one job runs npm publish --provenance'),
				...need(
					publishing.every(({ permissions }) => permissions?.['id-token'] === 'write'),
					'that job lacks the permission id-token: write',
				),
				...need(
					/^git\+https:\/\/github\.com\/[\w.-]+\/[\w.-]+\.git$/.test(
						(repository as { url?: string } | undefined)?.url ?? '',
					),
					'repository is not on GitHub',
				),
				...need(scripts.release === 'n8n-node release', 'the script "release" is another'),
				...need(
					scripts.prepublishOnly === 'n8n-node prerelease',
					'the script "prepublishOnly" is another',
				),
				...need(
					(publishConfig as { provenance?: boolean } | undefined)?.provenance === true,
					'publishConfig does not ask for provenance',
				),
			];
		},
	},
	{
		name: 'The license is MIT',
		check: (candidate) =>
			need(/\bMIT License\b/.test(textOf(candidate, 'LICENSE.md')), 'LICENSE.md says otherwise'),
	},
	{
		name: 'The README has installation, authentication, usage and example workflows',
		check: (candidate) => {
			const text = textOf(candidate, 'README.md');
			const headings = ['Install', 'Credentials', 'Your first workflow', 'Compatibility'];
			return [
				...headings
					.filter((heading) => !new RegExp(`^## ${heading}$`, 'm').test(text))
					.map((heading) => `there is no section "${heading}"`),
				...need(/\]\(workflows\/[\w-]+\.json\)/.test(text), 'no workflow is linked'),
			];
		},
	},
	{
		name: 'The archive holds what runs and what explains it, and nothing else',
		check: ({ files, size }) => [
			...files
				.filter((path) => !SHIPS.some((pattern) => pattern.test(path)))
				.map((path) => `${path} is in it`),
			...need(size < LARGEST_ARCHIVE, `it has ${size} bytes, of at most ${LARGEST_ARCHIVE}`),
		],
	},
	{
		name: 'Every node and the credential have an SVG icon for light and for dark mode',
		check: (candidate) =>
			entries(candidate).flatMap((path) => {
				const named = [...textOf(candidate, path).matchAll(/'file:([^']+\.svg)'/g)];
				const icons = named.map(([, icon = '']) => join(dirname(path), icon));
				return [
					...need(
						icons.length === 2 && icons.filter((icon) => icon.endsWith('.dark.svg')).length === 1,
						`${path} does not name two`,
					),
					...icons
						.filter((icon) => !isSquare(textOf(candidate, icon)))
						.map((icon) => `${icon} is missing, or no square SVG`),
				];
			}),
	},
	{
		name: 'Every node has a codex file with categories and links to its documentation',
		check: (candidate) =>
			candidate.manifest.n8n.nodes.flatMap((path) => {
				const text = textOf(candidate, codexOf(path));
				if (text === '') return [`${codexOf(path)} is missing`];
				const { node, categories, resources } = JSON.parse(text) as {
					node?: string;
					categories?: string[];
					resources?: Record<string, Array<{ url?: string }>>;
				};
				const links = ['primaryDocumentation', 'credentialDocumentation'].map(
					(kind) => resources?.[kind]?.[0]?.url ?? '',
				);
				return [
					...need(
						node?.startsWith(`${candidate.manifest.name}.`) === true,
						`${codexOf(path)} is for another node`,
					),
					...need(Boolean(categories?.length), `${codexOf(path)} has no category`),
					...need(
						links.every((url) => /^https:\/\//.test(url)),
						`${codexOf(path)} lacks a link`,
					),
				];
			}),
	},
	{
		name: 'All of it is in English letters',
		check: (candidate) =>
			candidate.files
				.filter((path) => /\.(js|json|md)$/.test(path))
				.filter((path) => /(?!\p{Script=Latin})\p{L}/u.test(textOf(candidate, path)))
				.map((path) => `${path} has letters of another script`),
	},
	{
		name: "The sources pass n8n's scanner, with no rule turned off",
		check: async ({ source }) => (await scan(source, SOURCES)).complaints,
	},
	{
		name: "What ships passes n8n's scanner",
		check: async ({ archive }) => (await scan(archive, SHIPPED)).complaints,
	},
];

function isSquare(svg: string): boolean {
	const [, width, height] = /<svg[^>]* viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
	return width !== undefined && width === height;
}
