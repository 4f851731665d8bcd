import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The file that a compiled file in the manifest is made from. */
export const sourceOf = (compiled: string): string =>
	compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts');
