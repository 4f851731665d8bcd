import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repository } from '../../playground/folders.mts';
import { logOf } from '../../playground/n8n.mts';
import { openStage, type Stage } from './stage.mts';

let stage: Stage;

beforeAll(async () => {
	stage = await openStage('package');
});
afterAll(async () => await stage?.close());

const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[]; credentials: string[] };
};

it('offers every node of the manifest under the published name, and the License node to AI agents', async () => {
	const names = (await stage.client.nodeTypes())
		.map(({ name }) => name)
		.filter((name) => name.startsWith('n8n-nodes-licensing-data.'));

	const nodes = manifest.n8n.nodes.map((path) => {
		const className = path.split('/').at(-1)?.replace('.node.js', '') ?? '';
		return `n8n-nodes-licensing-data.${className[0]?.toLowerCase()}${className.slice(1)}`;
	});
	expect(names.sort()).toEqual([...nodes, 'n8n-nodes-licensing-data.licensingDataTool'].sort());
});

it('offers the credential, to its own nodes and to the HTTP Request node', async () => {
	const types = await stage.client.credentialTypes();
	expect(types.find(({ name }) => name === 'licensingDataApi')).toMatchObject({
		displayName: 'Licensing Data API',
		supportedNodes: expect.arrayContaining(['n8n-nodes-licensing-data.licensingData']),
	});
});

it('serves the icons of the nodes in light and dark', async () => {
	const nodes = (await stage.client.nodeTypes()).filter(({ name }) =>
		name.includes('licensing-data.'),
	);
	for (const { iconUrl } of nodes as unknown as Array<{
		iconUrl: { light: string; dark: string };
	}>) {
		for (const path of [iconUrl.light, iconUrl.dark]) {
			const response = await fetch(`${stage.client.address}/${path}`);
			expect(await response.text(), path).toContain('<svg');
		}
	}
	expect(nodes.length).toBeGreaterThan(1);
});

it('leaves no complaint in the log of n8n', async () => {
	const log = await readFile(logOf(stage.folder), 'utf8');
	expect(log).toContain('Editor is now accessible');
	expect(log).not.toMatch(/licensing|Error loading|Failed to load/i);
});
