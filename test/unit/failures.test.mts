import { ExecuteContext } from 'n8n-core';

import { redactorFor } from '../../nodes/LicensingData/service/redactor.ts';
import { asHtml, asLine } from '../../nodes/LicensingData/service/nodeError.ts';
import { retryAfter, waitBefore } from '../../nodes/LicensingData/service/backoff.ts';
import { answerPages, API_KEY, CREDENTIALS, service, useAnswers } from '../support/answers.mts';
import { runLicense, testCredential } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

it.each([
	['7', 7_000],
	['Fri, 03 Jul 2026 12:00:09 GMT', 9_000],
	[undefined, undefined],
	['soon', undefined],
])("Retry-After may be seconds or a date: '%s' is %s milliseconds", (header, milliseconds) => {
	expect(retryAfter(header, Date.parse('2026-07-03T12:00:00Z'))).toBe(milliseconds);
});

it('The wait before a retry doubles, up to half a minute', () => {
	expect([0, 2, 6].map((attempt) => waitBefore(attempt, undefined, 0))).toEqual([250, 1e3, 15e3]);
	expect([0, 2, 6].map((attempt) => waitBefore(attempt, undefined, 1))).toEqual([500, 2e3, 30e3]);
	const asked = [1_234, 65_000, 65_001].map((milliseconds) => waitBefore(0, milliseconds, 0.9));
	expect(asked).toEqual([1_234, 65_000, undefined]);
});

/** What a run writes into n8n's log, until the test ends. */
function keepLog(): string[] {
	const log: string[] = [];
	const note = (line: string) => void log.push(line);
	const value = { info: note, warn: note, debug: note, error: note };
	Object.defineProperty(ExecuteContext.prototype, 'logger', { configurable: true, value });
	onTestFinished(() => void Reflect.deleteProperty(ExecuteContext.prototype, 'logger'));
	return log;
}

describe('A request', () => {
	let waits: number[];
	beforeEach(() => {
		vi.spyOn(Math, 'random').mockReturnValue(0);
		waits = skipWaits();
	});

	const getMany = (options = {}) => runLicense({ operation: 'getAll', options });

	it.each([
		...[408, 429, 500, 503].map((status) => [status, 2]),
		...[400, 401, 403, 404, 422].map((status) => [status, 1]),
	])('that is answered with HTTP %i is made %i times', async (status, times) => {
		const asked = answerPages(...[[status, {}] as [number, object], page([])].slice(0, times));
		expect((await getMany()).error?.httpCode).toBe(times === 1 ? String(status) : undefined);
		expect(asked).toHaveLength(times);
	});

	it.each([
		[{}, [250, 500, 1_000]],
		[{ retries: '={{ "0" }}' }, []],
		[{ retries: 5 }, [250, 500, 1_000, 2_000, 4_000]],
	])('is repeated as often as %o says, with waits that double', async (options, expected) => {
		const asked = answerPages(...Array<[number, object]>(expected.length + 1).fill([503, {}]));
		expect((await getMany(options)).error?.httpCode).toBe('503');
		expect(asked).toHaveLength(expected.length + 1);
		expect(waits).toEqual(expected);
	});

	it('is not repeated where the service asks for a longer wait', async () => {
		answerPages([503, {}, { 'retry-after': '7200' }]);
		const said = 'again in 2 hours, as the service asks. If it keeps';
		expect((await getMany({ retries: 3 })).error?.description).toContain(said);
		expect(waits).toEqual([]);
	});

	const BLOCKED = 'n8n does not allow requests to the address of the service';
	const LATE = 'The service did not answer within 30 seconds';
	const BROKE = 'The connection to the service broke';
	const NOT_HTTPS = "The server at the service's address does not use https";
	const CERTIFICATE = "The service's certificate was not accepted";

	it.each([
		['ENOTFOUND', 1, "The service's address does not exist", "Check 'Base URL'"],
		['ECONNREFUSED', 2, 'Nothing answers at the address of the service', 'service is running'],
		['ECONNRESET', 2, BROKE, '(ECONNRESET)'],
		['', 2, BROKE, 'machine that n8n runs on.'],
		['EPROTO', 1, NOT_HTTPS, 'may need http:// instead of https:// (EPROTO)'],
		['CERT_HAS_EXPIRED', 1, CERTIFICATE, '(CERT_HAS_EXPIRED)'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 1, CERTIFICATE, 'the proxy'],
		['SsrfBlocked', 1, BLOCKED, 'add its host to N8N_SSRF_ALLOWED_HOSTNAMES'],
		['ETIMEDOUT', 2, LATE, "increase 'Timeout' under 'Options'"],
	])("that meets '%s' is made %i times, and says so", async (code, times, message, advice) => {
		// n8n's own refusals are known by their names.
		const known = code.startsWith('Ssrf') ? { name: code } : code && { code };
		const fault = Object.assign(new Error(`with ${API_KEY} inside`), known);
		service().get('/licenses').query(true).times(times).replyWithError(fault);
		const { error, stored } = await getMany({ retries: 1 });
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode: null });
		expect(error?.description).toContain(advice);
		expect(`${error?.message} ${error?.description}`).not.toMatch(/error|problem|failure|mistake/i);
		expect(stored).not.toContain(API_KEY);
	});

	it('that waits for a rate limit says so in console and log', async () => {
		const log = keepLog();
		const refusal = { error: { type: 'rate_limited', message: 'Slow down' } };
		answerPages([429, refusal, { 'retry-after': '3' }], page(licenses(1)));
		const ran = await getMany();
		expect(ran.items).toHaveLength(1);
		const said = expect.stringMatching(/limit is reached, and the service asks to wait 3 seconds/);
		expect([ran.console, ran.hints, log]).toEqual([[said], [said], [said]]);
		expect(log[0]).toMatch(/^Workflow "Leads", node "Licensing Data": /);
	});
});

it.each([429, 503])(
	'An execution that is stopped while it waits after HTTP %i ends at once',
	async (status) => {
		let stop = () => {};
		service()
			.get('/licenses')
			.query(true)
			.reply(() => {
				setTimeout(() => stop(), 100);
				return [status, {}, { 'Retry-After': '60' }];
			});
		await runLicense({ operation: 'getAll' }, { cancel: (cancel) => (stop = cancel) });
	},
	// Less than the minute that it would wait.
	30_000,
);

it('A mistake of ours is said as ours, its stack logged without the key', async () => {
	const log = keepLog();
	const { deleteProperty } = Reflect;
	vi.spyOn(Reflect, 'deleteProperty').mockImplementation((from, name) => {
		if (name === '__proto__') throw new TypeError(`Cannot do this with ${API_KEY}`);
		return deleteProperty(from, name);
	});
	answerPages(page([]), page([]));
	const { error, stored } = await runLicense({ operation: 'getAll' });
	const tested = await testCredential(CREDENTIALS);
	vi.restoreAllMocks();
	const ours = 'This node made a mistake: TypeError: Cannot do this with [hidden API key]';
	expect(error).toMatchObject({ name: 'NodeApiError', message: ours });
	expect(error?.description).toContain('Neither your workflow nor the service is to blame. Report');
	expect(tested.message).toContain(ours);
	expect(log).toEqual([expect.stringMatching(/^Workflow "Leads".*TypeError: .* at .*answer\.ts/s)]);
	expect(stored + log.join() + tested.message).not.toContain(API_KEY);
});

const as = (text: string) => text;

it('What is shown holds no markup and no entity, and has at most 1,000 characters', () => {
	expect(asHtml('<a href="x">&#108;s</a>', as)).toBe('&lt;a href="x"&gt;&amp;#108;s&lt;/a&gt;');
	const shown = asHtml('&<& '.repeat(5000), as);
	expect(shown).toMatch(/^((&lt;|&amp;)+ )+(&lt;|&amp;)+…$/);
	expect(shown.length).toBeLessThanOrEqual(1000);
	expect(asLine('<b>Bar & Grill</b> &lt;', as)).toBe(' b Bar & Grill /b  & lt;');
	expect(asLine('xx '.repeat(300_000), as)).toHaveLength(999);
});

it('Half a key is never shown, wherever the text is cut', () => {
	const { redact } = redactorFor('ls_live_0123456789abcdef');
	for (let before = 900; before < 1000; before++)
		for (const show of [asHtml, asLine]) {
			const shown = show(`${'x'.repeat(before)} ls_live_0123456789abcdef and more`, redact);
			expect(shown).not.toMatch(/0123|ls_live/);
		}
});
