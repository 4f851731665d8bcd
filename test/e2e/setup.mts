import type { TestProject } from 'vitest/node';
import { findBrowser } from '../../playground/browser.mts';
import { installHost } from '../../playground/host.mts';
import { packPackage } from '../../playground/package.mts';

declare module 'vitest' {
	export interface ProvidedContext {
		/** The packed package: one for the whole run, whatever is edited in the meantime. */
		tarball: string;
	}
}

/** What takes minutes happens once, visibly, before the first test's clock starts. */
export default async function setup(project: TestProject): Promise<void> {
	await installHost();
	await findBrowser();
	project.provide('tarball', await packPackage());
}
