import { basename, join } from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';

import { ROOT, manifest, sourceOf } from './manifest.mts';

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

/** Everything that the manifest offers n8n, created from source. */
export const nodes = await instances<INodeType>(manifest.n8n.nodes);
export const credentials = await instances<ICredentialType>(manifest.n8n.credentials);
