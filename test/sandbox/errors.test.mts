import { describe, expect, it } from 'vitest';

import { opened } from './client.mts';

describe('7. Errors', () => {
	it('answers 404 not_found where there is no such license, or nothing at all', async () => {
		const { client } = await opened();
		const paths = ['/licenses/lic_unknown', '/licenses/SRX-2026-999999', '/nowhere'];
		for (const path of paths) {
			const { status, body } = await client.fault(path);
			expect([path, status]).toEqual([path, 404]);
			expect(body.error.type).toBe('not_found');
		}
	});
});
