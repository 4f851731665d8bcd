import { describe, expect, it } from 'vitest';

import { answerPages, API_KEY, BASE_URL, service, useAnswers } from '../support/answers.mts';
import { pollerOf, runLicense } from '../support/nodes.mts';

useAnswers();

/** What the service answers is in `test/hostile/odd-services.mts`; here nothing is answered. */
describe('A connection', () => {
	const LATE = 'The service did not answer within 30 seconds';
	const BROKE = 'The connection to the service broke';
	const NOT_HTTPS = "What answers at the service's address does not speak https";
	const CERTIFICATE = "The service's certificate was not accepted";

	it.each([
		['ENOTFOUND', "The service's address does not exist", "Check 'Base URL'"],
		['ECONNREFUSED', 'Nothing answers at the address of the service', 'service is running'],
		['ECONNRESET', BROKE, '(ECONNRESET)'],
		['EAI_AGAIN', BROKE, '(EAI_AGAIN)'],
		['', BROKE, 'machine that n8n runs on.'],
		['EPROTO', NOT_HTTPS, 'may need http:// instead of https:// (EPROTO)'],
		[
			'ERR_SSL_WRONG_VERSION_NUMBER',
			NOT_HTTPS,
			"'Base URL' in the Licensing Data credential: its host and port",
		],
		['CERT_HAS_EXPIRED', CERTIFICATE, '(CERT_HAS_EXPIRED)'],
		['SELF_SIGNED_CERT_IN_CHAIN', CERTIFICATE, '(SELF_SIGNED_CERT_IN_CHAIN)'],
		['ERR_TLS_CERT_ALTNAME_INVALID', CERTIFICATE, 'the proxy'],
		['ETIMEDOUT', LATE, "increase 'Timeout' under 'Options'"],
		['ECONNABORTED', LATE, "increase 'Timeout' under 'Options'"],
	])("that meets '%s' says so in words", async (code, message, advice) => {
		const fault = Object.assign(new Error(`with ${API_KEY} inside`), code && { code });
		service().get('/licenses').query(true).replyWithError(fault);
		const { error, stored } = await runLicense({ operation: 'getAll', options: { retries: 0 } });
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode: null });
		expect(error?.description).toContain(advice);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/error|problem|failure|mistake/i);
		expect(stored).not.toContain(API_KEY);
	});
});

describe("n8n's back-off is told the cause", () => {
	const options = { retries: 0 };

	it.each<[status: number, headers: Record<string, string>, failure: object | undefined]>([
		[401, {}, { cause: 'credential-invalid' }],
		[402, {}, undefined],
		[403, {}, undefined],
		[404, {}, undefined],
		[408, {}, { cause: 'temporarily-unavailable' }],
		[422, {}, undefined],
		[429, { 'retry-after': '7200' }, { cause: 'rate-limited', retryAfterMs: 7_200_000 }],
		[500, {}, { cause: 'temporarily-unavailable' }],
		[503, { 'retry-after': '90' }, { cause: 'temporarily-unavailable', retryAfterMs: 90_000 }],
	])(
		'where an answer with status %i and headers %o proves it',
		async (status, headers, failure) => {
			answerPages([status, {}, headers]);
			const { error } = await runLicense({ operation: 'getAll', options });
			expect(error?.name).toBe('NodeApiError');
			expect((error as { failure?: object }).failure).toEqual(failure);
		},
	);

	it('where a connection breaks', async () => {
		const fault = Object.assign(new Error(), { code: 'ECONNRESET' });
		service().get('/licenses').query(true).replyWithError(fault);
		const { error } = await runLicense({ operation: 'getAll', options });
		expect(error).toMatchObject({ failure: { cause: 'temporarily-unavailable' } });
	});

	it('but not where an answer cannot be read', async () => {
		answerPages('<html>');
		const { error } = await runLicense({ operation: 'getAll', options });
		expect(error).toHaveProperty('message', 'The service sent an answer this node cannot read');
		expect((error as { failure?: object }).failure).toBeUndefined();
	});

	it.each([
		['value', { filters: { counties: ['Atlantis'] } }, API_KEY],
		['key', {}, 'ls_test_with spaces'],
	])('where a %s is refused before anything is sent', async (_, parameters, apiKey) => {
		const credentials = { baseUrl: BASE_URL, apiKey };
		const { error } = await runLicense({ operation: 'getAll', ...parameters }, { credentials });
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			failure: { cause: 'configuration-invalid' },
		});
		await expect(pollerOf(credentials, parameters).activate()).rejects.toMatchObject({
			failure: { cause: 'configuration-invalid' },
		});
	});
});
