import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Credential, N8nClient } from '../../playground/client.mts';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { type HostName, installHost } from '../../playground/host.mts';
import { installPackage, startN8n } from '../../playground/n8n.mts';
import { createSandbox, type SandboxOptions } from '../../sandbox/index.mts';

/** Who owns every n8n that a test starts. */
export const owner = {
	email: 'tester@playground.example',
	password: 'Playground1',
	firstName: 'Test',
	lastName: 'Tester',
};

/** An n8n that somebody else has started, with the package installed. Without it, each file starts its own. */
export const outside = process.env.E2E_N8N_ADDRESS;

export interface Stage {
	/** Holds this n8n's database, packages and log. */
	folder: string;
	client: N8nClient;
	/** Stops n8n as an operator would; `meanwhile` runs while it is down. */
	restart(meanwhile?: () => Promise<void>): Promise<void>;
	/** The same, but n8n is killed and saves nothing. */
	crash(meanwhile?: () => Promise<void>): Promise<void>;
	close(): Promise<void>;
}

/** A new n8n with the packed package installed and its owner signed in. */
export async function openStage(
	name: string,
	environment = {},
	hostName?: HostName,
): Promise<Stage> {
	const folder = join(testFolder, name);
	if (outside !== undefined) {
		const client = await N8nClient.signIn(outside, owner);
		// It keeps running; only the workflows of the tests stop.
		const close = async () => {
			for (const { id } of await client.workflows()) await client.deactivate(id);
		};
		return { folder, client, close } as Stage;
	}
	await rm(folder, { recursive: true, force: true });
	await installPackage(folder, inject('tarball'));
	return await startStage(folder, environment, hostName);
}

/** An n8n with what is installed in its folder. */
export async function startStage(
	folder: string,
	environment = {},
	hostName: HostName = 'host',
): Promise<Stage> {
	const host = await installHost(hostName);
	let n8n = await startN8n({ host, folder, environment });
	const again = (end: 'stop' | 'kill') => async (meanwhile?: () => Promise<void>) => {
		await n8n[end]();
		await meanwhile?.();
		n8n = await startN8n({ host, folder, environment });
		stage.client = await N8nClient.signIn(n8n.address, owner);
	};
	const stage: Stage = {
		...{ folder, restart: again('stop'), crash: again('kill') },
		client: await N8nClient.signIn(n8n.address, owner),
		close: async () => await n8n.stop(),
	};
	return stage;
}

export async function connectTo(
	stage: Pick<Stage, 'client'>,
	service: { baseUrl: string; apiKey: string },
): Promise<Credential> {
	return await stage.client.saveCredential('Licensing Data', 'licensingDataApi', { ...service });
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** An n8n with a service that it reads, and a page of leads that its workflows post to. */
export async function openScene(name: string, options: SandboxOptions, hostName?: HostName) {
	const file = join(testFolder, `${name}.jsonl`);
	await rm(file, { force: true });
	const sandbox = await createSandbox(options);
	const crm = await startCrm({ file });
	const stage = await openStage(name, {}, hostName);
	return {
		...{ sandbox, crm, stage },
		credential: await connectTo(stage, sandbox.credentials),
		async close(): Promise<void> {
			for (const one of [stage, crm, sandbox]) await one.close();
		},
	};
}

/** One schedule polls once a minute at most; several of them poll more often. */
export const everyTenSeconds = {
	item: [0, 10, 20, 30, 40, 50].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	})),
};

/** A loaded machine runs late. */
export const patiently = { timeout: 180_000, interval: 500 };
