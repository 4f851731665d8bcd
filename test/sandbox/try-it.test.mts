import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import type { LicensePage } from '../../sandbox/index.mts';
import { started } from './client.mts';

const readme = readFileSync(new URL('../../sandbox/README.md', import.meta.url), 'utf8');
const lines = [...readme.matchAll(/^curl (-H "\$key" )?"\$base(.+?)" +# (.+)$/gm)];

it('brings what the readme says of every line to try', async () => {
	const { sandbox, client } = await started();
	const key = sandbox.keys.test;
	const { body: newest } = await client.list({ limit: 3 }, key);
	expect(lines).toHaveLength(8);
	for (const [, withKey, written = '', promise] of lines) {
		const path = written
			.replace('<pagination.cursor>', newest.pagination.cursor!)
			.replace('<licenseNumber>', newest.data[0]!.licenseNumber);
		const response = await fetch(sandbox.baseUrl + path, {
			headers: withKey ? { Authorization: `Bearer ${key}` } : {},
		});
		const status = Number(promise) || 200;
		expect([written, response.status]).toEqual([written, status]);
		const { data } = (await response.json()) as LicensePage;
		if (status === 200) expect([written, data]).not.toEqual([written, []]);
	}
});
