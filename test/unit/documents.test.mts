import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { parse } from 'yaml';

import { durableScheduler } from '../support/queue/queue.mts';
import { manifest, readText as read, ROOT } from '../support/manifest.mts';
import { nodes } from '../support/node-classes.mts';

const documents = ['.', 'docs', 'docs/decisions', 'sandbox', '.github'].flatMap((folder) =>
	readdirSync(join(ROOT, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => join(folder, file)),
);

/** The anchor that GitHub makes from a heading. */
const anchorOf = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/^#+ |[^\w\- ]/g, '')
		.replaceAll(' ', '-');
const anchorsOf = (path: string): string[] => (read(path).match(/^#+ .+$/gm) ?? []).map(anchorOf);

describe.each(documents)('%s', (path) => {
	const text = read(path);

	it('links to nothing in this repository that is not there', () => {
		const broken = [...text.matchAll(/(?:\]\(|src=")([^)\s"]+)/g)]
			.map(([, target = '']) => target)
			.filter((target) => !/^[a-z]+:/.test(target))
			.filter((target) => {
				const [file = '', fragment] = target.split('#');
				const place = file === '' ? path : join(dirname(path), file);
				if (!existsSync(join(ROOT, place))) return true;
				return fragment !== undefined && !anchorsOf(place).includes(fragment);
			});
		expect(broken).toEqual([]);
	});

	it('names no command that does not exist', () => {
		const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
			([, script, short]) => script ?? short,
		);
		expect(Object.keys(manifest.scripts as object)).toEqual(expect.arrayContaining(named));
	});
});

it('CONTRIBUTING.md says what each development dependency is for', () => {
	const [, section = ''] =
		/## What it is built with\n([^]*?)\n## /.exec(read('CONTRIBUTING.md')) ?? [];
	const named = [...section.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
	const all = Object.keys(manifest.devDependencies as object);
	expect(all.filter((name) => !name.startsWith('@types/') && !named.includes(name))).toEqual([]);
});

it('The nodes and the credential lead to headings that are there', () => {
	for (const [, { description }] of nodes) {
		const [, heading] = description.documentationUrl?.split('#') ?? [];
		expect(anchorsOf('docs/reference.md')).toContain(heading);
	}
	const source = read('credentials/LicensingDataApi.credentials.ts');
	const [, heading] = /tab=readme-ov-file#([\w-]+)/.exec(source) ?? [];
	expect(anchorsOf('README.md')).toContain(heading);
});

it('docs/reference.md has the defaults and bounds of the options that are numbers', () => {
	const text = read('docs/reference.md').replace(/ +/g, ' ');
	const properties = nodes.flatMap(([, { description }]) => description.properties);
	const options = properties.flatMap((one) => (one.name === 'options' && one.options) || []);
	for (const { displayName, type, default: usual, typeOptions } of options as INodeProperties[]) {
		if (type !== 'number') continue;
		const pattern = new RegExp(`${displayName}(?:\\*\\* \\(| \\|)([^)A-Z]+)`);
		const said = pattern.exec(text)?.[1]?.match(/[\d,]*\d/g);
		const numbers = [usual, typeOptions?.minValue, typeOptions?.maxValue].map(Number);
		const known = numbers.map((one) => one.toLocaleString('en-US'));
		expect(known).toEqual(expect.arrayContaining(said ?? [displayName]));
	}
});

it('docs/trigger.md names no code that is not there', () => {
	const code = ['trigger', 'licenses', 'places']
		.map((name) => join('nodes/LicensingData', name))
		.flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => read(join(folder, file))))
		.join('\n');
	const names = [...read('docs/trigger.md').matchAll(/`([A-Za-z]\w*(?:\.\w+)?)`/g)].flatMap(
		([, name = '']) => name.split('.'),
	);
	expect(names.length).toBeGreaterThan(12);
	expect(names.filter((name) => !new RegExp(`\\b${name}\\b[ (<=:?;,]`).test(code))).toEqual([]);
});

it('docs/docker-compose.yml runs the tested n8n with the settings of docs/operating.md', () => {
	const compose = parse(read('docs/docker-compose.yml'), { merge: true }) as {
		services: Record<string, { image: string; command?: string; environment?: object }>;
	};
	const processes = Object.values(compose.services).filter(({ image }) => image.includes('n8nio'));
	expect(processes.map(({ command }) => command)).toEqual([undefined, 'worker', 'webhook']);
	const host = JSON.parse(read('playground/host/package.json')) as {
		dependencies: { n8n: string };
	};
	for (const { image, environment } of processes) {
		expect(image).toMatch(new RegExp(`:${host.dependencies.n8n}$`));
		expect(environment).toEqual(processes[0]?.environment);
		expect(environment).toMatchObject({
			...durableScheduler,
			N8N_COMMUNITY_PACKAGES: `[{ "name": "${manifest.name as string}" }]`,
			N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
			N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		});
	}
});

/** Numbers as a reader sees them, but not those within a word, such as 4COP. */
const figuresIn = (text: string): string[] =>
	text.match(/(?<![\w.,-])\d+(?:[.,]\d+)*%?(?![\w-])/g) ?? [];

/** What a link leads to: a page, or a section of it with those below it. */
function linked(path: string, anchor = ''): string {
	const sections = read(path).split(/^(?=#+ )/m);
	const levelOf = (section = ''): number => /^#*/.exec(section)![0].length;
	const start = sections.findIndex((section) => anchorOf(section.replace(/\n[^]*/, '')) === anchor);
	if (start === -1) return anchor === '' ? read(path) : '';
	const end = sections.findIndex(
		(section, at) => at > start && levelOf(section) <= levelOf(sections[start]),
	);
	return sections.slice(start, end === -1 ? undefined : end).join('');
}

/** A paragraph, an entry of a list or a row of a table, without code. */
const blocks = read('README.md')
	.replace(/```[^]*?```|`[^`\n]+`/g, '')
	.split(/\n\s*\n|\n(?=- |\|)/);
const rows = blocks.flatMap((block) => {
	const links = [...block.matchAll(/\]\((?!\w+:)([^)#]+\.md)#?([^)]*)\)/g)];
	const measured = links.map(([, path = '', anchor]) => linked(path, anchor)).join('\n');
	const said = block.replace(/\]\([^)]*\)|<img [^>]*>|\*\*\d\. /g, ' ');
	return figuresIn(said).map((figure) => ({ figure, block, measured }));
});

it.each(rows)(
	'The figure $figure of README.md stands where its paragraph links to: $block',
	({ figure, measured }) => {
		expect(figuresIn(measured)).toContain(figure);
	},
);

it('README.md has at most a thousand words', () => {
	expect(rows.length).toBeGreaterThan(10);
	expect(read('README.md').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(1000);
});
