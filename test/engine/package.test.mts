import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import {
	type Candidate,
	type Manifest,
	pack,
	unpacked,
} from '../../scripts/verification/candidate.mts';
import { rules } from '../../scripts/verification/rules.mts';
import { listen } from '../support/loopback.mts';
import { ROOT, manifest } from '../support/manifest.mts';

let folder: string;
let candidate: Candidate;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'licensing-data-package-'));
	candidate = pack(ROOT, folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("n8n's rules for verified nodes", () => {
	it.each(rules)('are met: $name', async ({ check }) => {
		expect(await check(candidate)).toEqual([]);
	});

	/** What breaks a rule: a change of the manifest or of one file, in the archive or in the sources. */
	type Break = { manifest: (of: Manifest) => void } | { file: string; text: string; in?: 'source' };
	const node = manifest.n8n.nodes[0] ?? '';
	const breaks: Array<[rule: RegExp, broken: Break]> = [
		[/^The n8n block/, { manifest: (of) => (of.n8n.strict = false) }],
		[/^It is for one service/, { file: node, text: '' }],
		[/provenance/, { in: 'source', file: '.github/workflows/publish.yml', text: 'on: push' }],
		[/MIT/, { file: 'LICENSE.md', text: 'All rights reserved' }],
		[/^The README/, { file: 'README.md', text: '# n8n-nodes-licensing-data' }],
		[/nothing else/, { file: 'dist/nodes/LicensingData/x.test.js', text: '' }],
		[/icon/, { file: 'dist/icons/licensingData.dark.svg', text: '<svg viewBox="0 0 60 40"/>' }],
		[/codex/, { file: node.replace(/js$/, 'json'), text: '{}' }],
		[/English/, { file: node, text: '// Лицензия' }],
		[
			/^The sources pass/,
			{ in: 'source', file: 'nodes/Bad.node.ts', text: 'console.log(eval("1"))' },
		],
		[/^What ships passes/, { file: 'dist/bad.js', text: '/* eslint-disable */\nrequire("axios")' }],
	];

	it.each(breaks)('are checked: %s (break %#)', async (name, broken) => {
		const place = mkdtempSync(join(folder, 'broken-'));
		const [source, archive] = [join(place, 'source'), join(place, 'archive')];
		cpSync(candidate.archive, archive, { recursive: true });
		for (const path of ['.github/workflows', 'package.json'])
			cpSync(join(ROOT, path), join(source, path), { recursive: true });
		mkdirSync(join(source, 'nodes'));
		if ('file' in broken) {
			writeFileSync(join(broken.in === 'source' ? source : archive, broken.file), broken.text);
		} else {
			const changed = structuredClone(candidate.manifest);
			broken.manifest(changed);
			writeFileSync(join(archive, 'package.json'), JSON.stringify(changed));
		}
		const rule = rules.find((one) => name.test(one.name));
		expect(await rule?.check(unpacked(source, archive, candidate.size))).not.toEqual([]);
	});

	it('are each broken above', () => {
		const unbroken = rules.filter((rule) => !breaks.some(([name]) => name.test(rule.name)));
		expect(unbroken).toEqual([]);
	});
});

it.each([['as this folder is set up'], ['with scripts', '--ignore-scripts=false']])(
	'npm publishes nothing by hand, %s',
	async (_, ...more) => {
		const asked: string[] = [];
		const { baseUrl, close } = await listen(({ method }, response) => {
			asked.push(String(method));
			response.writeHead(method === 'PUT' ? 201 : 404).end('{}');
		});
		onTestFinished(close);
		const { host } = new URL(baseUrl);
		const registry = [`--registry=http://${host}/`, `--//${host}/:_authToken=none`];
		const own = Object.entries(process.env).filter(([name]) => !/^(npm_|GITHUB|CI)/i.test(name));
		const { all, failed } = await execa('npm', ['publish', ...registry, ...more], {
			...{ cwd: ROOT, env: Object.fromEntries(own), extendEnv: false, all: true, reject: false },
		});
		expect(failed).toBe(true);
		expect(all).toMatch(/provenance|npm run release/);
		expect(asked).not.toContain('PUT');
	},
);
