import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ROOT, manifest } from '../support/manifest.mts';
import { SHIPPED, SOURCES, scan } from '../support/scan.mts';

interface Packed {
	filename: string;
	size: number;
	files: Array<{ path: string; size: number }>;
}

let folder: string;
let packed: Packed;

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), 'licensing-data-package-'));
	const told = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
		cwd: ROOT,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	packed = (JSON.parse(told) as Packed[])[0] as Packed;
	execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('The package', () => {
	it('holds what runs, its icons, and what explains it, and nothing else', () => {
		const strangers = packed.files
			.map(({ path }) => path)
			.filter((path) => !/^(package\.json|README\.md|LICENSE\.md)$/.test(path))
			.filter((path) => !/^dist\/(credentials|nodes)\/.+\.js$/.test(path))
			.filter((path) => !/^dist\/nodes\/.+\.json$/.test(path))
			.filter((path) => !/^dist\/icons\/\w+(\.dark)?\.svg$/.test(path));
		expect(strangers).toEqual([]);
		expect(packed.files.filter(({ path }) => /\.(test|map|d)\b|tsbuildinfo/.test(path))).toEqual(
			[],
		);
	});

	it('is small enough to install in a moment', () => {
		// About 70 KB of code and 15 KB of ZIP codes; much more than this means that too much was included.
		expect(packed.size).toBeLessThan(100_000);
		expect(packed.files.filter(({ size }) => size === 0)).toEqual([]);
	});

	it('holds every file that it promises to n8n', () => {
		const paths = packed.files.map(({ path }) => path);
		const { nodes, credentials } = manifest.n8n;
		const codex = nodes.map((path) => path.replace(/\.js$/, '.json'));
		expect(paths).toEqual(expect.arrayContaining([...nodes, ...codex, ...credentials]));
	});

	it('points to its own files only', () => {
		const scripts = packed.files.filter(({ path }) => path.endsWith('.js'));
		const modules = scripts.flatMap(({ path }) =>
			[
				...readFileSync(join(folder, 'package', path), 'utf8').matchAll(/require\("([^"]+)"\)/g),
			].map(([, name]) => name ?? ''),
		);
		const foreign = new Set(modules.filter((name) => !name.startsWith('.')));
		expect([...foreign].sort()).toEqual(['n8n-workflow', 'node:crypto']);
	});

	it('brings no dependency and runs nothing when it is installed', () => {
		expect(manifest).not.toHaveProperty('dependencies');
		expect(manifest).not.toHaveProperty('bundledDependencies');
		expect(manifest).not.toHaveProperty('overrides');
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const installs = /^(pre|post)?(install|prepare|publish|pack)|^prepublishOnly$/;
		expect(Object.keys(manifest.scripts as object).filter((name) => installs.test(name))).toEqual(
			[],
		);
	});
});

describe("n8n's scanner", () => {
	it('has nothing to say about the sources', async () => {
		const { files, complaints } = await scan(ROOT, SOURCES);
		expect(complaints).toEqual([]);
		expect(files).toBeGreaterThan(20);
	});

	it('has nothing to say about what ships', async () => {
		const { files, complaints } = await scan(join(folder, 'package'), SHIPPED);
		expect(complaints).toEqual([]);
		expect(files).toBeGreaterThan(20);
	});

	it('notices what n8n does not allow', async () => {
		const bad = join(folder, 'bad');
		mkdirSync(join(bad, 'nodes'), { recursive: true });
		const source =
			"/* eslint-disable */\nimport { readFileSync } from 'node:fs';\nconsole.log(readFileSync);\nthrow new Error();\n";
		writeFileSync(join(bad, 'nodes', 'Bad.node.ts'), source);
		const { complaints } = await scan(bad, SOURCES.slice(1));
		const rules = ['no-restricted-imports', 'no-console', 'node-execute-block-wrong-error-thrown'];
		for (const rule of rules) expect(complaints.join('\n')).toContain(rule);
	});
});
