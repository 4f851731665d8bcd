import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { ROOT } from '../support/manifest.mts';
import { nodes } from '../support/node-classes.mts';

const documents = ['.', 'docs', 'docs/decisions', 'sandbox', '.github'].flatMap((folder) =>
	readdirSync(join(ROOT, folder))
		.filter((file) => file.endsWith('.md'))
		.map((file) => join(folder, file)),
);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The anchor that GitHub makes from a heading. */
const anchor = (heading: string): string =>
	heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');

const anchorsOf = (document: string): string[] =>
	[...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchor(heading));

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
				return fragment !== undefined && !anchorsOf(read(place)).includes(fragment);
			});
		expect(broken).toEqual([]);
	});

	it('names no command that does not exist', () => {
		const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
		const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
			([, script, short]) => script ?? short,
		);
		expect(named.filter((script) => !Object.hasOwn(scripts, String(script)))).toEqual([]);
	});
});

describe('docs/trigger.md', () => {
	const page = read('docs/trigger.md');
	const namesIn = (text: string) =>
		[...text.matchAll(/`([A-Za-z]\w*(?:\.\w+)?)`/g)].flatMap(([, name = '']) => name.split('.'));

	it('names code for each of its promises', () => {
		const [, ...promises] = page.split('\n## ')[2]?.split('\n### ') ?? [];
		const numbers = promises.map((promise) => Number(/^(\d+)\. /.exec(promise)?.[1]));
		expect(numbers).toEqual([...Array(12).keys()].map((n) => n + 1));
		for (const promise of promises) expect(namesIn(promise), promise).not.toEqual([]);
	});

	it('names no code that is not there', () => {
		const folder = 'nodes/LicensingData';
		const code = ['trigger', 'licenses', 'places']
			.flatMap((name) =>
				readdirSync(join(ROOT, folder, name)).map((file) => join(folder, name, file)),
			)
			.filter((file) => file.endsWith('.ts'))
			.map(read)
			.join('\n');
		const missing = namesIn(page).filter(
			(name) => !new RegExp(`\\b${name}\\b[ (<=:?;,]`).test(code),
		);
		expect(missing).toEqual([]);
	});
});

describe('docs/reference.md', () => {
	const lines = read('docs/reference.md').split('\n');
	const optionsOf = (fields: INodeProperties[]): INodeProperties[] =>
		fields
			.filter(({ name }) => name === 'options')
			.flatMap(({ options = [] }) => options as INodeProperties[]);
	const numeric = nodes
		.flatMap(([, { description }]) => optionsOf(description.properties))
		.filter(({ type }) => type === 'number');

	it.each(numeric.map((option) => [option.displayName, option] as const))(
		'says the limits of %s, and its default where it is no mere suggestion',
		(name, { default: usual, typeOptions }) => {
			const [line = ''] = lines.filter((one) => /^(?:\||- \*\*)/.test(one) && one.includes(name));
			const numbers = [...line.matchAll(/\d[\d,]*/g)].map(([number]) =>
				Number(number.replaceAll(',', '')),
			);
			expect(numbers).toContain(typeOptions?.maxValue);
			if (name !== 'Parallel Requests') expect(numbers).toContain(usual);
		},
	);
});

it('opens README.md from the credential at a heading that is there', () => {
	const source = read('credentials/LicensingDataApi.credentials.ts');
	const [, heading] = /tab=readme-ov-file#([\w-]+)/.exec(source) ?? [];
	expect(anchorsOf(read('README.md'))).toContain(heading);
});

it('README.md names every package of which npm warns that it wants another Node.js', async () => {
	const { stderr } = await execa('npm', ['ci', '--dry-run'], { cwd: ROOT });
	const packages = [...stderr.matchAll(/EBADENGINE\s+package: '(@?[^@']+)@/g)];
	const unnamed = packages
		.map(([, name = '']) => name)
		.filter((name) => {
			return !read('README.md').includes(`npm warns about \`${name}\``);
		});
	expect(unnamed).toEqual([]);
});

it('has beside each picture the texts that it shows', () => {
	const files = readdirSync(join(ROOT, 'docs', 'pictures'));
	const named = (ending: string) =>
		files.filter((file) => file.endsWith(ending)).map((file) => file.slice(0, -ending.length));
	expect(named('.png')).not.toEqual([]);
	expect(named('.txt')).toEqual(named('.png'));
});

it('says in CONTRIBUTING.md what each dependency is for, and of none that is not there', () => {
	const { devDependencies } = JSON.parse(read('package.json')) as {
		devDependencies: Record<string, string>;
	};
	const [, table = ''] = read('CONTRIBUTING.md').split('\n| In `package.json`');
	const [rows = ''] = table.split('\n\n');
	const named = [...rows.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, names = '']) =>
		[...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
	);
	expect(named.toSorted()).toEqual(Object.keys(devDependencies).toSorted());
});
