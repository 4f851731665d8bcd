import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Workers are stopped rather than ended, so what they leave in the temporary folder is removed with the run. */
export function setup(): () => void {
	const folder = mkdtempSync(join(tmpdir(), 'licensing-data-'));
	process.env.TMPDIR = folder;
	return () => rmSync(folder, { recursive: true, force: true });
}
