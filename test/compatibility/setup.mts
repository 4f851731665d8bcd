import type { TestProject } from 'vitest/node';
import { installHost } from '../../playground/host.mts';
import { packPackage } from '../../playground/package.mts';
import type {} from '../e2e/setup.mts';

/** What takes minutes happens once, visibly, before the first test's clock starts. */
export default async function setup(project: TestProject): Promise<void> {
	await installHost('host-oldest');
	await installHost('host');
	project.provide('tarball', await packPackage());
}
