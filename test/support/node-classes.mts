import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';

export const ROOT = resolve(import.meta.dirname, '../..');

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
	[field: string]: unknown;
}

export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** The file that a compiled one of the manifest is made from. */
export const sourceOf = (compiled: string): string =>
	compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts');

async function instances<Type>(compiled: string[]): Promise<Array<[name: string, instance: Type]>> {
	return await Promise.all(
		compiled.map(async (path): Promise<[string, Type]> => {
			const [name = ''] = basename(path).split('.');
			const module = (await import(join(ROOT, sourceOf(path)))) as Record<string, new () => Type>;
			const Class = module[name];
			if (!Class) throw new Error(`${sourceOf(path)} does not export ${name}`);
			return [name, new Class()];
		}),
	);
}

/** Everything that the manifest offers to n8n, made from its source. */
export const nodes = await instances<INodeType>(manifest.n8n.nodes);
export const credentials = await instances<ICredentialType>(manifest.n8n.credentials);
