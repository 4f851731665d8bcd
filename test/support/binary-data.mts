import './host.mts';

import { mkdtemp, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

// The copy that n8n-core itself loads: another one would know none of its services.
const core = createRequire(import.meta.url).resolve('n8n-core');
const { Container } = createRequire(core)('@n8n/di') as typeof import('@n8n/di');
const { HttpRequestConfig } = createRequire(core)('@n8n/config') as typeof import('@n8n/config');

/** How many milliseconds n8n waits for the next bytes of a stream that it collects; five minutes, if not told. */
export const waitForStreams = (milliseconds: number): void =>
	void Object.assign(Container.get(HttpRequestConfig), { responseBodyReadTimeout: milliseconds });

/** Where n8n-core keeps files from now on: in a new folder, or in the items themselves. */
export async function keepFiles(where: 'on disk' | 'in memory') {
	const folder = await mkdtemp(join(tmpdir(), 'binary-data-'));
	Object.assign(Container.get(BinaryDataConfig), {
		mode: where === 'on disk' ? 'filesystem' : 'default',
		localStoragePath: folder,
	});
	const service = Container.get(BinaryDataService);
	await service.init();
	const prepareBinaryData = async (file: Buffer, fileName?: string, mimeType = '') => {
		const location = { type: 'execution', workflowId: '1', executionId: '1' } as const;
		return await service.store(location, file, { fileName, mimeType, data: '' });
	};
	return {
		/** What a node uses to return a file. */
		helpers: { prepareBinaryData } as IExecuteFunctions['helpers'],
		/** The file of an item, as a later node would get it. */
		read: async (item: INodeExecutionData | undefined) =>
			await service.getAsBuffer(item?.binary?.data as IBinaryData),
		/** Everything in the store. */
		async files() {
			const entries = await readdir(folder, { recursive: true, withFileTypes: true });
			return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
		},
	};
}
