import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { useService } from '../support/loopback.mts';
import { parametersFor } from '../support/operations.mts';
import { licenses, page } from '../support/records.mts';
import { sleepOnClock } from '../support/waits.mts';
import { ODD_SERVICES, OTHER_PAGES, type Sent, UNDERSTOOD } from './odd-services.mts';

let requests = 0;
/** What is answered, by the cursor in the request. */
let answers: (cursor: string | null) => Sent;
const service = useService((request, response) => {
	requests++;
	const { searchParams } = new URL(request.url ?? '', 'http://service.example.com');
	const { status = 200, headers, body = {} } = answers(searchParams.get('cursor'));
	response
		.writeHead(status, { 'content-type': 'application/json', ...headers })
		.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
});

// A service that asks to wait is waited for, up to an hour.
beforeEach(() => sleepOnClock({ time: Date.parse('2026-09-24T12:00:00Z') }));
afterEach(() => vi.restoreAllMocks());

const run = async (operation: Operation) =>
	await runLicense(parametersFor(operation, { options: { retries: 0, timeout: 60_000 } }), {
		credentials: service.credentials,
	});

describe.each(Object.entries(ODD_SERVICES))('%s', (_, services) => {
	it.each(services)('$what: its user reads why', async ({ by = 'getAll', ...sent }) => {
		answers = () => sent;
		const { items, error, stored } = await run(by);
		expect(items).toEqual([]);
		expect(error?.message).toBe(sent.message);
		expect(error?.description).toContain(sent.details);
		for (const words of ['as the service asks', 'Request ID'])
			expect(error?.description?.includes(words)).toBe(sent.details.includes(words));
		expect(error?.httpCode).toBe(sent.status === undefined ? null : String(sent.status));
		const own = `${error?.message} ${error?.description?.replace(/^The service says: ".*?" /, '')}`;
		expect(own).not.toMatch(/error|problem|failure|mistake|undefined|\[object/i);
		expect(stored).not.toContain(API_KEY);
	});
});

describe('A service that is odd', () => {
	it.each(UNDERSTOOD)('is understood nevertheless, with a page %s', async (_, sent) => {
		answers = () => sent;
		requests = 0;
		const ran = await run('getAll');
		expect(ran.error).toBeUndefined();
		expect(ids(ran)).toEqual(['lic_1', 'lic_2', 'lic_3']);
		expect(requests).toBe(1);
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it.each(OTHER_PAGES)('is read to its end: %s', async (_, first, second, count) => {
		answers = (cursor) => ({ body: cursor === 'second' ? second : first });
		const ran = await run('getAll');
		expect(ran.error).toBeUndefined();
		expect(new Set(ids(ran)).size).toBe(count);
	});

	it('may give a cursor as long as an address can be', async () => {
		const cursor = 'x'.repeat(8_000);
		answers = (asked) => ({
			body: asked === cursor ? page(licenses(1, 2)) : page(licenses(1), cursor),
		});
		expect((await run('getAll')).items).toHaveLength(2);
	});
});
