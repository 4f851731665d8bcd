import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';

import { answerFault, openApi } from '../../sandbox/contract.mts';
import type { LicensePage } from '../../sandbox/index.mts';
import { started } from './client.mts';

const documentedAnswers = Object.values(openApi.paths)
	.flatMap((methods) => Object.values(methods))
	.flatMap(({ operationId, responses }) =>
		Object.keys(responses).map((status) => `${operationId} ${status}`),
	);

describe('openapi.yaml', () => {
	it('is valid OpenAPI 3.1 by a public validator', async () => {
		const validator = new Validator();
		const { valid, errors } = await validator.validate(structuredClone(openApi));
		expect(errors).toBeUndefined();
		expect(valid).toBe(true);
		expect(validator.version).toBe('3.1');
	});

	it('describes every answer of a tour through the service, and the tour sees every answer', async () => {
		const { sandbox, client } = await started({ webhooks: true, checkAnswers: false });
		const off = await started({ checkAnswers: false });
		const limited = await started({
			webhooks: true,
			checkAnswers: false,
			rateLimits: { test: 1, live: 1 },
		});
		await limited.client.list();
		const seen = new Set<string>();
		const faults: string[] = [];
		const visit = async (
			operationId: string,
			path: string,
			options: Parameters<typeof client.ask>[1] = {},
			visited = client,
		) => {
			const { status, body } = await visited.ask(path, options);
			seen.add(`${operationId} ${status}`);
			const fault = answerFault(operationId, status, body);
			if (fault !== undefined) faults.push(fault);
			return body;
		};
		const post = { method: 'POST', headers: { 'Content-Type': 'application/json' } };
		const nobody = { key: 'ls_live_nobody_example' };
		const registration = { ...post, body: '{"url":"http://127.0.0.1:9/"}' };

		for (const { id } of sandbox.live.records().slice(0, 20)) sandbox.live.update(id);
		for (const key of [sandbox.keys.test, sandbox.keys.live]) {
			let cursor: string | null = '';
			while (cursor !== null) {
				const query = { limit: 50, ...(cursor === '' ? {} : { cursor }) };
				const page = await visit('listLicenses', '/licenses', { key, query });
				cursor = (page as LicensePage).pagination.cursor;
			}
		}
		await visit('listLicenses', '/licenses?limit=99');
		await visit('listLicenses', '/licenses?cursor=none');
		await visit('searchLicenses', '/licenses/search?q=grill&county=orange&limit=5');
		await visit('searchLicenses', '/licenses/search?status=active');
		const { id, licenseNumber } = sandbox.live.records()[3]!;
		await visit('getLicense', `/licenses/${id}`);
		await visit('getLicense', `/licenses/${licenseNumber}`);
		await visit('getLicense', `/licenses/${id}?fields=id`);
		await visit('getLicense', '/licenses/none');
		const { data } = (await visit('createWebhook', '/webhooks', registration)) as {
			data: { id: string };
		};
		await visit('createWebhook', '/webhooks', { ...post, body: '{}' });
		await visit('createWebhook', '/webhooks', registration, off.client);
		await visit('deleteWebhook', `/webhooks/${data.id}`, { method: 'DELETE' });
		await visit('deleteWebhook', `/webhooks/${data.id}`, { method: 'DELETE' });
		for (const [operationId, path, options] of [
			['listLicenses', '/licenses', {}],
			['searchLicenses', '/licenses/search', {}],
			['getLicense', '/licenses/none', {}],
			['createWebhook', '/webhooks', registration],
			['deleteWebhook', '/webhooks/none', { method: 'DELETE' }],
		] as const) {
			await visit(operationId, path, { ...options, ...nobody });
			await visit(operationId, path, options, limited.client);
		}

		expect(faults).toEqual([]);
		expect([...seen].sort()).toEqual([...documentedAnswers].sort());
	});

	it('says so when an answer departs from it', async () => {
		const { sandbox, client } = await started();
		sandbox.live.insert({ businessName: null });
		const { status, body } = await client.fault('/licenses');
		expect(status).toBe(500);
		expect(body.error.message).toContain('/data/0/businessName must be string');
	});
});
