import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withAddresses } from '../../../playground/host.mts';
import { step } from '../../../playground/steps.mts';
import { welcome } from '../../../playground/welcome.mts';
import { createSandbox } from '../../../sandbox/index.mts';
import { ROOT } from '../../support/manifest.mts';

afterEach(() => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
});

it('says at least every ten seconds how far it is', async () => {
	const lines: string[] = [];
	vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
	vi.useFakeTimers();
	let packages = 0;
	const work = step(
		'Unpacking',
		async () => await new Promise((done) => setTimeout(done, 45_000)),
		() => `${packages} packages`,
	);
	for (const second of [10, 20, 30, 40]) {
		packages = second * 3;
		await vi.advanceTimersByTimeAsync(10_000);
		expect(lines.at(-1)).toContain(`0:${second}, ${packages} packages`);
	}
	await vi.advanceTimersByTimeAsync(5_000);
	await work;
	expect(lines.at(-1)).toContain('done in 0:45');
});

describe('The lock file that npm installs n8n from', () => {
	const lock = JSON.stringify({
		packages: {
			'': { name: 'n8n-host' },
			'node_modules/n8n': { version: '2.0.1', integrity: 'sha512-a' },
			'node_modules/n8n/node_modules/@scope/part': { version: '1.0.0', integrity: 'sha512-b' },
			'node_modules/other-name': { name: 'part', version: '3.0.0', integrity: 'sha512-c' },
			'node_modules/part/node_modules/bundled': { version: '4.0.0', inBundle: true },
		},
	});

	/** An npm that answers with an address, and writes down what it was asked. */
	async function npmAnswering(address: string): Promise<() => Promise<string>> {
		const folder = await mkdtemp(join(tmpdir(), 'npm-'));
		onTestFinished(async () => await rm(folder, { recursive: true }));
		const script = `#!/bin/sh\necho "$@" >> "${folder}/asked"\necho "${address}"\n`;
		await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
		vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
		return async () => await readFile(join(folder, 'asked'), 'utf8');
	}

	it('gets the address of each package, for one question and not thousands', async () => {
		const asked = await npmAnswering('https://registry.example/npm/n8n/-/n8n-2.0.1.tgz');
		const { packages } = JSON.parse(await withAddresses(lock)) as {
			packages: Record<string, { resolved?: string; integrity?: string }>;
		};
		expect(Object.values(packages).map(({ resolved }) => resolved)).toEqual([
			undefined,
			'https://registry.example/npm/n8n/-/n8n-2.0.1.tgz',
			'https://registry.example/npm/@scope/part/-/part-1.0.0.tgz',
			'https://registry.example/npm/part/-/part-3.0.0.tgz',
			undefined,
		]);
		expect(packages['node_modules/n8n']?.integrity).toBe('sha512-a');
		expect(await asked()).toBe('view n8n@2.0.1 dist.tarball\n');
	});

	it.each(['https://registry.example/download/77', ''])(
		'is left as it is where the registry names files in another way: "%s"',
		async (address) => {
			await npmAnswering(address);
			expect(await withAddresses(lock)).toBe(lock);
		},
	);
});

it('names at the end the button for more leads, as the page calls it, and the token of the control', async () => {
	const sandbox = await createSandbox({ records: 10 });
	onTestFinished(sandbox.close);
	const text = welcome({
		...{ n8n: 'http://127.0.0.1:1', page: 'http://127.0.0.1:2', leadsAddress: '' },
		...{ table: '1', leads: '2', own: '3', email: '', password: '', sandbox, day: 60 },
	});
	const page = await readFile(join(ROOT, 'playground', 'crm', 'page.html'), 'utf8');
	const [, button] = /<button[^>]*>([^<]+)<\/button>/.exec(page) ?? [];
	expect(text).toContain(`press "${button}"`);
	const [, url = '', header = '', token = ''] =
		/(http\S+)\s+with the header '(\S+): (\w+)'/.exec(text) ?? [];
	const answer = await fetch(`${url}/requests`, { headers: { [header]: token } });
	expect(answer.status).toBe(200);
});
