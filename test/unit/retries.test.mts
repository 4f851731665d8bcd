import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { DEFAULT_SETTINGS } from '../../nodes/LicensingData/service/client.ts';
import { retryAfter, waitBefore } from '../../nodes/LicensingData/service/retries.ts';
import { answerPages, service, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { licenses, page } from '../support/records.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

describe('Retry-After', () => {
	const now = Date.parse('2026-07-03T12:00:00Z');

	it.each([
		['seconds', '7', 7_000],
		['no wait', '0', 0],
		['a date', 'Fri, 03 Jul 2026 12:00:09 GMT', 9_000],
		['a date that has passed', 'Fri, 03 Jul 2026 11:00:00 GMT', 0],
		['nothing where it is absent', undefined, undefined],
		['nothing where it makes no sense', 'soon', undefined],
	])('is read as %s', (_, header, milliseconds) => {
		expect(retryAfter(header, now)).toBe(milliseconds);
	});
});

describe('The wait before a retry', () => {
	it.each([
		[0, 250, 500],
		[2, 1_000, 2_000],
		[6, 15_000, 30_000],
	])('after %i others lies between %i and %i milliseconds', (attempt, shortest, longest) => {
		expect(waitBefore(attempt, undefined, 0)).toBe(shortest);
		expect(waitBefore(attempt, undefined, 1)).toBe(longest);
	});

	it('is what the service asked for, and none where that is more than a minute and some seconds', () => {
		expect(waitBefore(5, 1_234, 0.9)).toBe(1_234);
		expect(waitBefore(0, 65_000, 0)).toBe(65_000);
		expect(waitBefore(0, 65_001, 0)).toBeUndefined();
	});
});

describe('A request', () => {
	let waits: number[];
	beforeEach(() => {
		vi.spyOn(Math, 'random').mockReturnValue(0);
		waits = skipWaits();
	});
	afterEach(() => {
		vi.useRealTimers();
		vi.restoreAllMocks();
	});

	const getMany = (options = {}) => runLicense({ operation: 'getAll', options });
	const fails = (code: string) =>
		service()
			.get('/licenses')
			.query(true)
			.replyWithError(Object.assign(new Error('broken'), { code }));

	it.each([408, 429, 500, 503])('is repeated after HTTP %i', async (status) => {
		const asked = answerPages([status, {}], page(licenses(1)));
		expect((await getMany()).items).toHaveLength(1);
		expect(asked).toHaveLength(2);
	});

	it.each([400, 401, 403, 404, 422])('is not repeated after HTTP %i', async (status) => {
		const asked = answerPages([status, {}]);
		expect((await getMany()).error?.httpCode).toBe(String(status));
		expect(asked).toHaveLength(1);
	});

	it.each([
		[{}, [250, 500, 1_000]],
		[{ retries: 0 }, []],
		[{ retries: 5 }, [250, 500, 1_000, 2_000, 4_000]],
	])('is repeated as often as %o says, with waits that double', async (options, expected) => {
		const asked = answerPages(...Array<[number, object]>(expected.length + 1).fill([503, {}]));
		expect((await getMany(options)).error?.httpCode).toBe('503');
		expect(asked).toHaveLength(expected.length + 1);
		expect(waits).toEqual(expected);
	});

	it.each([
		['for a rate limit, more than an hour', 429, '3601'],
		['where a service is down, more than a minute', 503, '66'],
	])('gives up at once where it would wait %s', async (_, status, seconds) => {
		const asked = answerPages([status, {}, { 'Retry-After': seconds }]);
		expect((await getMany()).error?.httpCode).toBe(String(status));
		expect(asked).toHaveLength(1);
	});

	it.each(['ECONNRESET', 'ECONNREFUSED'])('is repeated after %s', async (code) => {
		fails(code);
		answerPages(page(licenses(1)));
		expect((await getMany()).items).toHaveLength(1);
	});

	it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED'])('is not repeated after %s', async (code) => {
		fails(code);
		expect((await getMany()).error?.message).toMatch(/does not exist|was not accepted/);
	});

	it('counts its retries anew for every page', async () => {
		answerPages([500, {}], page(licenses(1), 'b'), [500, {}], page(licenses(1, 2)));
		const ran = await runLicense({ operation: 'getAll', returnAll: true, options: { retries: 1 } });
		expect(ran.items).toHaveLength(2);
	});

	it.each([
		[{ retries: 11 }, "'Retries' is not a whole number from 0 to 10"],
		[{ retries: '={{ "often" }}' }, "'Retries' is not a whole number from 0 to 10"],
		[{ timeout: 600_001 }, "'Timeout' is not a whole number from 1 to 600000"],
	])('is not made with the options %o', async (options, message) => {
		expect((await getMany(options)).error).toMatchObject({ name: 'NodeOperationError', message });
	});

	it('is made with options that an expression gives as text', async () => {
		answerPages(page([]));
		const options = { retries: '={{ "0" }}', timeout: '={{ "30000" }}' };
		expect((await getMany(options)).error).toBeUndefined();
	});
});

describe('A stopped execution', () => {
	afterEach(() => void vi.restoreAllMocks());

	it.each<[string, number]>([
		['while it is answered', 429],
		['while it waits for the next try', 429],
		['while it waits for the next try', 503],
	])('ends at once %s after HTTP %i', async (moment, status) => {
		let stop = () => {};
		let requests = 0;
		let hasWaited = false;
		const { setTimeout } = globalThis;
		vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, wait = 0) => {
			// The part of the minute that has already passed is not waited for again.
			if (wait <= DEFAULT_SETTINGS.timeout) return setTimeout(run, wait);
			setImmediate(stop);
			return setTimeout(() => {
				hasWaited = true;
				run();
			}, wait);
		}) as typeof setTimeout);
		service()
			.get('/licenses')
			.query(true)
			.twice()
			.optionally()
			.reply(() => {
				requests++;
				if (moment === 'while it is answered') stop();
				return [status, {}, { 'Retry-After': '60' }];
			});
		await runLicense({ operation: 'getAll' }, { cancel: (cancel) => (stop = cancel) });
		expect(requests).toBe(1);
		expect(hasWaited).toBe(false);
	});
});
