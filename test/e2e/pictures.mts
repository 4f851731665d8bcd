/**
 * Copies the pictures of the last end-to-end run into docs/, where the README shows them: `npx tsx
 * test/e2e/pictures.mts`, after a screen has changed for good.
 */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../playground/folders.mts';

const shown = ['credential', 'crm', 'lead-workflow', 'nodes-panel', 'trigger'];

const folder = join(repository, 'docs');
await mkdir(folder, { recursive: true });
for (const name of shown) {
	await copyFile(join(repository, 'artifacts', `${name}.png`), join(folder, `${name}.png`));
}
console.log(`${shown.length} pictures are in docs/`);
