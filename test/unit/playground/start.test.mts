import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Credential, N8nClient, Workflow } from '../../../playground/client.mts';
import { withAddresses } from '../../../playground/host.mts';
import { choosePorts, readOptions } from '../../../playground/options.mts';
import { secretsOf } from '../../../playground/secrets.mts';
import { step, takeLock, withLock } from '../../../playground/steps.mts';
import { welcome } from '../../../playground/welcome.mts';
import {
	leadWorkflowFile,
	runLeadWorkflow,
	tableWorkflowFile,
} from '../../../playground/workflows.mts';
import { createSandbox } from '../../../sandbox/index.mts';
import { ROOT } from '../../support/manifest.mts';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'start-'));
});
afterEach(async () => {
	vi.useRealTimers();
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
	await rm(folder, { recursive: true });
});

describe('The options of npm start', () => {
	it('have defaults', () => {
		expect(readOptions([])).toMatchObject({ fresh: false, day: 60, port: undefined });
	});

	it('name the option that has an unusable value', () => {
		expect(() => readOptions(['--day', 'fast'])).toThrow('--day takes a number above 0');
		expect(() => readOptions(['--port', '-1'])).toThrow('--port');
		expect(() => readOptions(['--speed', '3'])).toThrow('--speed');
	});
});

describe('The ports', () => {
	it('are three neighbors', async () => {
		const { editor, crm, sandbox } = await choosePorts();
		expect([crm, sandbox]).toEqual([editor + 1, editor + 2]);
	});

	it.each([65_534, 70_000, 5678.5])(
		'are refused with words when there is no such port: %s',
		async (port) => {
			await expect(choosePorts(port)).rejects.toThrow('--port takes a whole number up to 65533');
		},
	);

	it('are refused with words when one that was asked for is in use', async () => {
		const busy = createServer().listen(0, '127.0.0.1');
		onTestFinished(() => void busy.close());
		await once(busy, 'listening');
		const { port } = busy.address() as { port: number };
		await expect(choosePorts(port - 2)).rejects.toThrow('in use; choose another --port');
	});
});

describe('The secrets', () => {
	it('are kept for the next start, and readable by their owner alone', async () => {
		const secrets = await secretsOf(folder);
		expect(await secretsOf(folder)).toEqual(secrets);
		const { mode } = await stat(join(folder, 'secrets.json'));
		expect(mode & 0o777).toBe(0o600);
	});

	it('differ from each other and from playground to playground', async () => {
		const all = [await secretsOf(join(folder, '1')), await secretsOf(join(folder, '2'))];
		const values = all.flatMap((secrets) => Object.values(secrets) as string[]);
		expect(new Set(values).size).toBe(6);
		for (const value of values) expect(value.length).toBeGreaterThanOrEqual(24);
	});
});

describe('The lock', () => {
	let path: string;
	beforeEach(() => {
		path = join(folder, 'deep', 'the.lock');
	});

	it('is taken by one holder at a time', async () => {
		const taken = await Promise.all(Array.from({ length: 20 }, async () => await takeLock(path)));
		const [release, ...others] = taken.filter((one) => one !== undefined);
		expect(others).toEqual([]);
		await release!();
		await (await takeLock(path))!();
	});

	it('is taken over from a process that was killed', async () => {
		await mkdir(path, { recursive: true });
		const aMinuteAgo = new Date(Date.now() - 60_000);
		await utimes(path, aMinuteAgo, aMinuteAgo);
		await (await takeLock(path))!();
	});

	it('lets the next one in after work that failed', async () => {
		const failing = withLock(path, () => Promise.reject(new Error('no disk left')));
		await expect(failing).rejects.toThrow('no disk left');
		expect(await withLock(path, () => Promise.resolve('done'))).toBe('done');
	});

	it('is not waited for without end', async () => {
		const release = await takeLock(path);
		const waiting = withLock(path, () => Promise.resolve('done'), 0);
		await expect(waiting).rejects.toThrow(path);
		await release!();
	});
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
	async function answerAsNpm(address: string): Promise<void> {
		const script = `#!/bin/sh\necho "$@" >> "${folder}/asked"\necho "${address}"\n`;
		await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
		vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH}`);
	}

	it('gets the address of each package, for one question and not thousands', async () => {
		await answerAsNpm('https://registry.example/npm/n8n/-/n8n-2.0.1.tgz');
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
		expect(await readFile(join(folder, 'asked'), 'utf8')).toBe('view n8n@2.0.1 dist.tarball\n');
	});

	it.each(['https://registry.example/download/77', ''])(
		'is left as it is where the registry names files in another way: "%s"',
		async (address) => {
			await answerAsNpm(address);
			expect(await withAddresses(lock)).toBe(lock);
		},
	);
});

it.each([leadWorkflowFile, tableWorkflowFile])(
	'lets a trigger look each minute, and has notes that say so and ask for nothing that is done: %s',
	async (file) => {
		const created: Workflow[] = [];
		const client = {
			workflows: () => Promise.resolve([]),
			createWorkflow(workflow: Workflow) {
				created.push(workflow);
				return Promise.resolve({ ...workflow, id: '1' });
			},
			activate: () => Promise.resolve(),
		} as unknown as N8nClient;
		const credential = { id: '1', name: 'Sandbox', type: 'licensingDataApi' } as Credential;
		await runLeadWorkflow(client, credential, 'http://127.0.0.1:1/leads', undefined, file);

		const parameters = created[0]?.nodes.map((node) => node.parameters) ?? [];
		const pollTimes = parameters.flatMap((one) => one.pollTimes ?? []);
		expect(pollTimes).toEqual([{ item: [{ mode: 'everyMinute' }] }]);
		const notes = parameters.map(({ content }) => String(content)).join();
		expect(notes).toContain('Looks once a minute');
		expect(notes).not.toContain('an hour');
		expect(notes).toContain('Already set up');
		expect(notes).not.toMatch(/To set up|choose your|Publish|Start From/);
	},
);

it("names at the end the workflows as n8n does, the page's button for more leads, and the control's token", async () => {
	const sandbox = await createSandbox({ records: 10 });
	onTestFinished(sandbox.close);
	const text = welcome({
		...{ n8n: 'http://127.0.0.1:1', page: 'http://127.0.0.1:2', leadsAddress: '' },
		...{ table: { id: '1', name: 'A Table' }, leads: { id: '2', name: 'To CRM' } },
		...{ own: { id: '3', name: 'Mine' }, email: '', password: '', sandbox, day: 60 },
	});
	const named = [...text.matchAll(/(\S+(?: \S+)*) +http:\S+\/workflow\/(\d)\n/g)];
	expect(named.map(([, name, id]) => `${id} ${name?.replace('Workflows  ', '')}`).sort()).toEqual([
		'1 A Table',
		'2 To CRM',
		'3 Mine',
	]);
	expect(text).toContain('open "Mine"');
	const page = await readFile(join(ROOT, 'playground', 'crm', 'page.html'), 'utf8');
	const [, button] = /<button[^>]*>([^<]+)<\/button>/.exec(page) ?? [];
	expect(text).toContain(`press "${button}"`);
	const [, url = '', header = '', token = ''] =
		/(http\S+)\s+with the header '(\S+): (\w+)'/.exec(text) ?? [];
	const answer = await fetch(`${url}/requests`, { headers: { [header]: token } });
	expect(answer.status).toBe(200);
});
