import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { N8nClient } from '../../playground/client.mts';
import { run } from '../../playground/steps.mts';
import { logOf, type N8n, n8nEnvironment, startN8n } from '../../playground/n8n.mts';
import type { Host } from '../../playground/host.mts';
import type { Stage } from '../e2e/stage.mts';
import { owner } from '../support/owner.mts';
import { PACKAGE } from './registry.mts';

interface InstalledPackage {
	installedVersion: string;
	failedLoading?: boolean;
	updateAvailable?: string;
}

/** A user's n8n, without the package to begin with. */
export class House {
	client!: N8nClient;
	private n8n: N8n | undefined;

	private constructor(
		private readonly host: Host,
		readonly folder: string,
		private readonly environment: Record<string, string>,
	) {}

	static async open(host: Host, folder: string, environment: Record<string, string>) {
		await rm(folder, { recursive: true, force: true });
		const house = new House(host, folder, environment);
		await house.start();
		return house;
	}

	get stage(): Stage {
		return this as unknown as Stage;
	}

	async start(): Promise<void> {
		const { host, folder, environment } = this;
		this.n8n = await startN8n({ host, folder, environment });
		this.client = await N8nClient.signIn(this.n8n.address, owner);
	}

	async stop(): Promise<void> {
		await this.n8n?.stop();
	}

	async restart(): Promise<void> {
		await this.stop();
		await this.start();
	}

	async log(): Promise<string> {
		return await readFile(logOf(this.folder), 'utf8');
	}

	/** While n8n is down: one of its command line's. */
	async command(...args: string[]): Promise<void> {
		await run(this.host.node, [this.host.n8n, ...args], {
			cwd: this.folder,
			log: join(this.folder, `${args[0]?.replace(':', '-')}.log`),
			env: { ...n8nEnvironment(this.folder, 0, 0), ...this.environment },
		});
	}

	/** What the buttons of Settings > Community nodes send. */
	async install(version: string): Promise<InstalledPackage> {
		const body = { name: PACKAGE, version };
		return await this.client.request('POST', '/rest/community-packages', body);
	}

	async update(version: string): Promise<InstalledPackage> {
		const body = { name: PACKAGE, version };
		return await this.client.request('PATCH', '/rest/community-packages', body);
	}

	async uninstall(): Promise<void> {
		await this.client.request('DELETE', `/rest/community-packages?name=${PACKAGE}`);
	}

	/** As the settings page lists them. */
	async packages(): Promise<InstalledPackage[]> {
		return await this.client.request('GET', '/rest/community-packages');
	}
}
