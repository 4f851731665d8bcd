import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Everything that is installed or written lives in this one folder. Its leading dot matters:
 * `n8n-node build` copies every picture below the repository's root into dist, but skips dot folders.
 */
export const workspace = join(repository, '.playground');

/** The installed n8n. */
export const hostFolder = join(workspace, 'host');

/** The packed package, one folder for each state of its sources. */
export const packageFolder = join(workspace, 'package');

/** What `npm start` keeps between runs: n8n's database, the leads, the logs. */
export const dataFolder = join(workspace, 'data');

/** The same for `npm start -- --queue`, which uses another kind of database. */
export const queueFolder = join(workspace, 'queue');

/** One folder for each end-to-end test file. */
export const testFolder = join(workspace, 'e2e');
