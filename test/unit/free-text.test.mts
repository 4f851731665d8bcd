import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createSandbox, type StreamSandbox } from '../../sandbox/index.mts';
import { SHAPES } from '../../sandbox/shapes.mts';
import { runLicense } from '../support/nodes.mts';

type Reading = keyof (typeof SHAPES)['freeText']['choices'];
const READINGS = Object.keys(SHAPES.freeText.choices) as Reading[];

async function open(freeText: Reading): Promise<StreamSandbox> {
	const sandbox = await createSandbox({ kind: 'stream', records: 2000, freeText });
	onTestFinished(() => sandbox.close());
	return sandbox;
}

const run = async (
	{ credentials }: StreamSandbox,
	parameters: IDataObject,
	items?: IDataObject[],
) => await runLicense(parameters, { credentials, ...(items && { items }) });

describe.each(READINGS)('Where a service reads text in this way: %s', (reading) => {
	it('Match finds businesses by their names, also where a letter is missing', async () => {
		const sandbox = await open(reading);
		const known = sandbox.live.records().filter(({ address }) => address?.street && address.zip);
		const businesses = known.slice(0, 20).map(({ id, businessName = '', address }, at) => ({
			...{ id, street: address?.street, city: address?.city, zip: address?.zip },
			name: at % 2 ? businessName?.replace(/(?<=^\w{3})\w/, '') : businessName,
		}));
		const asked = {
			operation: 'match',
			businessName: '={{ $json.name }}',
			street: '={{ $json.street }}',
			city: '={{ $json.city }}',
			zip: '={{ $json.zip }}',
		};
		const { items } = await run(sandbox, asked, businesses as IDataObject[]);
		expect(items.map(({ json }) => json.id)).toEqual(businesses.map(({ id }) => id));
		expect(sandbox.requests.count).toBeLessThanOrEqual(3 * businesses.length);
	});

	it.each(['purple pelican', 'pelican', 'tavern pelican'])(
		"Search for '%s' finds the business, or says to try one word",
		async (query) => {
			const sandbox = await open(reading);
			const { id } = sandbox.live.insert({ businessName: 'The Purple Pelican Tavern' });
			const { items, hints } = await run(sandbox, { operation: 'search', query });
			const isFound = items.some(({ json }) => json.id === id);
			const isTold = hints.some((hint) => hint.includes('Try one word of the name alone'));
			expect([isFound, isTold]).toContain(true);
			expect(isFound || query === 'tavern pelican').toBe(true);
		},
	);
});
