import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { API_KEY } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { useService } from '../support/loopback.mts';
import { parametersFor } from '../support/operations.mts';
import { license, licenses, page } from '../support/records.mts';
import { sleepOnClock } from '../support/waits.mts';
import { ODD_SERVICES, type OddService, OTHER_PAGES, UNDERSTOOD } from './odd-services.mts';

type Sent = Pick<Partial<OddService>, 'status' | 'headers' | 'body'>;

/** What is answered, by the cursor in the request. */
let answers: (cursor: string | null) => Sent;
const service = useService((request, response) => {
	const { searchParams } = new URL(request.url ?? '', 'http://service.example.com');
	const { status = 200, headers, body } = answers(searchParams.get('cursor'));
	response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
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
		const asksToWait = error?.description?.includes('as the service asks');
		expect(asksToWait).toBe(sent.details.includes('as the service asks'));
		const namesRequest = error?.description?.includes('find this request');
		expect(namesRequest).toBe(sent.details.includes('find this request'));
		expect(error?.httpCode).toBe(sent.status === undefined ? null : String(sent.status));
		const own = `${error?.message} ${error?.description?.replace(/^The service says: ".*?" /, '')}`;
		expect(own).not.toMatch(/error|problem|failure|mistake|undefined|\[object/i);
		expect(stored).not.toContain(API_KEY);
	});
});

describe('A service that is odd', () => {
	it.each(UNDERSTOOD)('is understood nevertheless: %s', async (_, by, sent) => {
		answers = () => sent;
		const { items, error } = await run(by);
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toEqual([license()]);
	});

	it.each(OTHER_PAGES)('is read to its end: %s', async (_, first, second, count) => {
		answers = (cursor) => ({ body: JSON.stringify(cursor === 'second' ? second : first) });
		const { items, error } = await run('getAll');
		expect(error).toBeUndefined();
		expect(new Set(items.map(({ json }) => json.id)).size).toBe(count);
	});

	it('may give a cursor as long as an address can be', async () => {
		const cursor = 'x'.repeat(8_000);
		answers = (asked) => ({
			body: JSON.stringify(asked === cursor ? page(licenses(1, 2)) : page(licenses(1), cursor)),
		});
		expect((await run('getAll')).items).toHaveLength(2);
	});
});
