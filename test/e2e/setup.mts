import type { TestProject } from 'vitest/node';
import { findBrowser } from './editor.mts';
import { HOSTS, type HostName, installHost } from '../../playground/host.mts';
import { packPackage } from '../../playground/package.mts';
import { outside } from './stage.mts';

declare module 'vitest' {
	export interface ProvidedContext {
		/** The packed package: one for the whole run, whatever is edited in the meantime. */
		tarball: string;
	}
}

/** Older versions of n8n take minutes to install: `npm run test:compatibility`. */
export const hosts: readonly HostName[] = process.env.VERSIONS === 'all' ? HOSTS : ['host'];

/** What takes minutes happens once, visibly, before the first test's clock starts. */
export default async function setup(project: TestProject): Promise<void> {
	if (outside === undefined) {
		for (const name of hosts) await installHost(name);
		await findBrowser();
	}
	project.provide('tarball', await packPackage());
}
