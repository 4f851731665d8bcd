import { describe, expect, it } from 'vitest';

import { readBytes } from '../../nodes/LicensingData/transport/body.ts';

describe('a body that a host hands over without a stream', () => {
	it.each([
		['as text', '{"data":[]}', '{"data":[]}'],
		['already parsed', { data: [] }, '{"data":[]}'],
		['not at all', undefined, ''],
	])('is read where it comes %s', async (_, body, text) => {
		expect(Buffer.from((await readBytes(body, {})) ?? '').toString()).toBe(text);
	});
});
