import type { RequestListener } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';

import { API_KEY } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { listen, type Loopback } from '../support/loopback.mts';
import { licenses, page } from '../support/records.mts';

let service: Loopback | undefined;
afterEach(async () => {
	vi.restoreAllMocks();
	await service?.close();
});

async function getMany(handle: RequestListener, options: { timeout: number; retries?: number }) {
	service = await listen(handle);
	return await runLicense(
		{ operation: 'getAll', options: { retries: 0, ...options } },
		{ credentials: service.credentials },
	);
}

describe('A timeout', () => {
	it('ends the wait for a service that never answers', async () => {
		const ran = await getMany(() => {}, { timeout: 100 });
		expect(ran.error).toMatchObject({
			name: 'NodeApiError',
			message: 'The service did not answer within 100 milliseconds',
			description:
				"Try again later. To make a Licensing Data node wait longer, increase 'Timeout' under 'Options'.",
			httpCode: null,
		});
		expect(ran.stored).not.toContain(API_KEY);
	});

	it('is followed by another try', async () => {
		const first = new AbortController();
		vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(first.signal);
		let requests = 0;
		const ran = await getMany(
			(_, response) => {
				if (++requests === 1) first.abort();
				else response.end(JSON.stringify(page(licenses(1))));
			},
			{ timeout: 60_000, retries: 1 },
		);
		expect(ran.items).toHaveLength(1);
		expect(requests).toBe(2);
	});
});
