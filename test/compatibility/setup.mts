import type { TestProject } from 'vitest/node';
import { HOSTS, installHost } from '../../playground/host.mts';
import { packPackage } from '../../playground/package.mts';
import type {} from '../e2e/setup.mts';

/** What takes minutes happens once, visibly, before the first test's clock starts. */
export default async function setup(project: TestProject): Promise<void> {
	for (const name of HOSTS) await installHost(name);
	project.provide('tarball', await packPackage());
}
