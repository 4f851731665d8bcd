import { describe, expect, it } from 'vitest';

import { API_KEY, service, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';

useAnswers();

/** What the service answers is in `test/hostile/odd-services.test.mts`; here nothing is answered. */
describe('A connection', () => {
	const LATE = 'The service did not answer within 30 seconds';
	const BROKE = 'The connection to the service broke';
	const NOT_HTTPS = "The server at the service's address does not use https";
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
