import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';

import { parse } from 'yaml';

interface Locked {
	resolved?: string;
	integrity?: string;
	inBundle?: boolean;
}

interface Job {
	permissions?: unknown;
	steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

const WORKFLOWS = '.github/workflows';
const jobs: Job[] = [];
for (const file of await readdir(WORKFLOWS)) {
	const workflow = parse(await readFile(join(WORKFLOWS, file), 'utf8')) as {
		permissions: unknown;
		jobs: Record<string, Job>;
	};
	const { permissions } = workflow;
	for (const job of Object.values(workflow.jobs)) jobs.push({ permissions, ...job });
}
const steps = jobs.flatMap((job) => job.steps);

/** Commands that install whatever version there is today. */
const UNLOCKED =
	/\bnpx\b|\bnpm (install|i|add|x|init|create|exec(?! --no ))\b|\b(curl|wget|pip3?|yarn|pnpm)\b/;

describe('The supply chain', () => {
	it.for([
		'package-lock.json',
		'.github/scan/package-lock.json',
		'playground/host/package-lock.json',
		'playground/host-oldest/package-lock.json',
	])(
		'takes nothing from an address of its own, and nothing but what its checksum says: %s',
		async (file) => {
			const lock = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Locked> };
			const { '': _own, ...locked } = lock.packages;
			// Without its own address, a package comes from whatever registry npm is set to.
			const loose = Object.entries(locked).filter(
				([, { resolved, integrity = '', inBundle }]) =>
					resolved !== undefined || !(inBundle || integrity.startsWith('sha512-')),
			);
			expect(loose).toEqual([]);
		},
	);

	it('builds and publishes with no GitHub Action that could change under its name', () => {
		const actions = steps.flatMap(({ uses }) => uses ?? []);
		expect(actions.filter((name) => !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
	});

	it('leaves no step of a workflow the credential that fetched the sources', () => {
		const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(4);
		for (const checkout of checkouts) expect(checkout.with?.['persist-credentials']).toBe(false);
	});

	it('runs nothing in a workflow that its lock file does not name', async () => {
		const scripts = [...steps.flatMap(({ run }) => run ?? []), await readFile('.ci/run', 'utf8')];
		const commands = scripts.flatMap((script) => script.split('\n')).filter(Boolean);
		expect(commands.filter((command) => UNLOCKED.test(command))).toEqual([]);
	});

	it('gives the identity that npm trusts to one job, which only publishes the file that another has tested', () => {
		const trusted = jobs.filter(
			({ permissions }) => (permissions as Record<string, string>)?.['id-token'] === 'write',
		);
		expect(trusted.map((job) => job.steps.flatMap(({ run }) => run ?? []))).toEqual([
			['npm publish --provenance --access public ./n8n-nodes-licensing-data-*.tgz'],
		]);
	});

	it.each([
		['Package n8n-nodes-licensing-data@1.2.3 has passed all security checks', 0],
		['Package n8n-nodes-licensing-data@1.2.3 has failed security checks', 1],
		['', 1],
	])('ends the scan of the published package by what it says: "%s"', async (says, exitCode) => {
		const [scan, ...others] = steps.filter(({ run }) => run?.includes('scan-community-package'));
		expect(others).toEqual([]);
		const folder = await mkdtemp(join(tmpdir(), 'scan-'));
		// The scanner itself exits with 0 whatever it finds.
		await writeFile(join(folder, 'npm'), `#!/bin/sh\necho "${says}"\n`, { mode: 0o755 });
		const result = await execa('bash', ['-e', '-c', scan!.run!], {
			cwd: folder,
			env: { PATH: `${folder}:${process.env.PATH}`, GITHUB_REF_NAME: '1.2.3' },
			reject: false,
		});
		expect(result.exitCode).toBe(exitCode);
	});

	it('runs no script of any package that is installed', async () => {
		for (const file of ['.npmrc', '.github/scan/.npmrc'])
			expect(await readFile(file, 'utf8')).toMatch(/^ignore-scripts=true$/m);
	});
});
