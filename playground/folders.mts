import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Everything that is installed or written lives in this one folder. Its leading dot matters:
 * `n8n-node build` copies every other picture below the repository's root into dist.
 */
export const workspace = join(repository, '.playground');

/** The installed n8n. */
export const hostFolder = join(workspace, 'host');

/** One folder for each end-to-end test file. */
export const testFolder = join(workspace, 'e2e');

export const logFile = (name: string) => join(workspace, 'logs', `${name}.log`);

/** Makes a folder into which no other user of this machine can look: leads, keys and logs lie in it. */
export async function makeFolder(path: string): Promise<void> {
	await mkdir(path, { recursive: true });
	// Also if it was made before, or by a wider mask.
	await chmod(path, 0o700);
}
