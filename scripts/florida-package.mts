/**
 * Writes all that `npm run florida` needs into one folder, which runs without this repository:
 *
 *     npm run florida:package -- <folder>
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = join(ROOT, 'florida');
/** What is not compiled. */
const BESIDE = ['package.json', 'package-lock.json', 'Dockerfile', 'compose.yaml'];

export async function packFlorida(folder: string): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
	await execa('node', [tsc, '-p', SOURCE, '--outDir', folder], { stdio: 'inherit' });
	for (const name of BESIDE) cpSync(join(SOURCE, name), join(folder, name));
	cpSync(join(SOURCE, 'service'), join(folder, 'service'), { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	await packFlorida(process.argv[2] ?? 'florida-package');
