import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { simulatedClock, type Aim, type Trouble } from '../../sandbox/index.mts';
import { troubleKinds } from '../../sandbox/server/trouble-schema.mts';
import { started, type ErrorBody } from './client.mts';

const start = '2026-09-24T12:00:00Z';

describe('Trouble on command', () => {
	it('meets the next request alone', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'error' });
		expect(sandbox.trouble.pending).toBe(1);
		expect((await client.list()).status).toBe(500);
		expect((await client.list()).status).toBe(200);
		expect(sandbox.trouble.pending).toBe(0);
	});

	it('meets as many requests, after as many others, at the path it is aimed at', async () => {
		const { sandbox, client } = await started();
		const aim = { times: 2, after: 1, path: '/licenses/search' };
		sandbox.trouble.next({ kind: 'error', status: 503 }, aim);
		expect((await client.list()).status).toBe(200);
		const statuses: number[] = [];
		for (let request = 0; request < 4; request++)
			statuses.push((await client.ask('/licenses/search')).status);
		expect(statuses).toEqual([200, 503, 503, 200]);
	});

	it('meets the requests that a test describes', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'error' }, { where: ({ query }) => query.county === 'leon' });
		expect((await client.list({ county: 'lee' })).status).toBe(200);
		expect((await client.list({ county: 'leon' })).status).toBe(500);
	});

	it.each<[string, unknown, unknown, string]>([
		['no time at all', { kind: 'error' }, { times: 0 }, "'times' must be >= 1"],
		['after less than none', { kind: 'error' }, { after: -1 }, "'after' must be >= 0"],
		['a path of another version', { kind: 'error' }, { path: '/v1/licenses' }, 'path without /v1'],
		['a misspelt aim', { kind: 'error' }, { time: 2 }, "The aim takes no 'time'"],
		['where in words', { kind: 'error' }, { where: 'here' }, "'where' is a function"],
		['a misspelt length', { kind: 'delay', ms: 5 }, {}, "required property 'milliseconds'"],
		['what its kind does not take', { kind: 'hang', milliseconds: 5 }, {}, "no 'milliseconds'"],
		['a status that HTTP lacks', { kind: 'error', status: 99 }, {}, "'status' must be >= 400"],
		['an unknown kind', { kind: 'earthquake' }, {}, 'The kinds are delay, rateLimit, error'],
	])('refuses %s, in the same process and over HTTP', async (_what, trouble, aim, message) => {
		const { sandbox, client } = await started();
		expect(() => sandbox.trouble.next(trouble as Trouble, aim as Aim)).toThrow(message);
		const { url, token } = sandbox.control;
		const response = await fetch(`${url}/trouble`, {
			method: 'POST',
			headers: { 'X-Sandbox-Token': token, 'Content-Type': 'application/json' },
			body: JSON.stringify({ trouble, aim }),
		});
		expect(response.status).toBe(400);
		const { error } = (await response.json()) as ErrorBody;
		expect(error.message).toContain(message);
		expect(sandbox.trouble.pending).toBe(0);
		expect((await client.list()).status).toBe(200);
	});

	it('meets every request where asked', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'error' }, { times: Infinity });
		for (let request = 0; request < 5; request++) expect((await client.list()).status).toBe(500);
		expect(sandbox.trouble.pending).toBe(Infinity);
	});

	it('is listed kind by kind in the readme', () => {
		const readme = readFileSync(new URL('../../sandbox/README.md', import.meta.url), 'utf8');
		const [, named = ''] = /Troubles: ([^;]+);/.exec(readme) ?? [];
		expect(named).toBe(troubleKinds.map((kind) => `\`${kind}\``).join(', '));
	});

	it('is forgotten when cleared', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'error' }, { times: 9 }).clear();
		expect((await client.list()).status).toBe(200);
	});

	it.each([
		['seconds', { retryAfter: 7 }, '7'],
		['a date', { retryAfter: { dateInSeconds: 90 } }, 'Thu, 24 Sep 2026 12:01:30 GMT'],
		['nothing', {}, null],
	])('answers 429 with Retry-After as %s', async (_what, wait, header) => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'rateLimit', ...wait });
		const { status, headers, body } = await client.fault('/licenses');
		expect(status).toBe(429);
		expect(body.error.type).toBe('rate_limited');
		expect(headers.get('retry-after')).toBe(header);
	});

	it('answers with an error page in HTML', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'htmlPage' });
		const { status, headers, text } = await client.list();
		expect(status).toBe(502);
		expect(headers.get('content-type')).toContain('text/html');
		expect(text).toContain('<h1>Bad Gateway</h1>');
	});

	it('answers with an error body that lacks its type', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'untypedError', status: 503 });
		const { status, body } = await client.fault('/licenses');
		expect(status).toBe(503);
		expect(body).toEqual({ error: { message: expect.any(String) } });
	});

	it('answers 200 in a shape that nobody described', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'wrongShape' }).next({ kind: 'wrongShape', body: 'not JSON' });
		expect((await client.list()).body).toEqual({ licenses: [], next: null });
		await expect(client.list()).rejects.toThrow(SyntaxError);
	});

	it('breaks off the JSON of a complete answer', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'truncatedBody' });
		await expect(client.list()).rejects.toThrow(SyntaxError);
	});

	it.each(['droppedConnection', 'droppedBody'] as const)(
		'closes the connection: %s',
		async (kind) => {
			const { sandbox, client } = await started();
			sandbox.trouble.next({ kind });
			await expect(client.list()).rejects.toThrow(/fetch failed|terminated/);
			expect((await client.list()).status).toBe(200);
		},
	);

	it('never answers, and still closes', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'hang' });
		const asker = new AbortController();
		const gaveUp = expect(client.ask('/licenses', { signal: asker.signal })).rejects.toThrow(
			/abort/i,
		);
		await expect.poll(() => sandbox.trouble.pending).toBe(0);
		asker.abort();
		await gaveUp;
		sandbox.trouble.next({ kind: 'hang' });
		const hanging = expect(client.list()).rejects.toThrow('fetch failed');
		await expect.poll(() => sandbox.trouble.pending).toBe(0);
		await sandbox.close();
		await hanging;
	});

	it('holds an answer up for as long as asked', async () => {
		const clock = simulatedClock(start);
		const { sandbox, client } = await started({ clock });
		sandbox.trouble.next({ kind: 'delay', milliseconds: 60_000 });
		let isAnswered = false;
		const answer = client.list().finally(() => (isAnswered = true));
		await expect.poll(() => sandbox.trouble.pending).toBe(0);
		await clock.advance(59_999);
		expect(isAnswered).toBe(false);
		await clock.advance(1);
		expect((await answer).status).toBe(200);
	});

	it('holds every answer up where asked', async () => {
		const slept: number[] = [];
		const clock = { ...simulatedClock(start), sleep: async (ms: number) => void slept.push(ms) };
		const { client } = await started({ clock, delay: 250 });
		await client.list();
		await client.get('none');
		expect(slept).toEqual([250, 250]);
	});

	it('expires the cursor of a page turn, and spares first pages', async () => {
		const { sandbox, client } = await started();
		sandbox.trouble.next({ kind: 'expiredCursor' });
		const { body } = await client.list();
		const cursor = body.pagination.cursor!;
		const { status, body: fault } = await client.fault('/licenses', { query: { cursor } });
		expect(status).toBe(400);
		expect(fault.error.type).toBe('invalid_cursor');
		expect((await client.list({ cursor })).status).toBe(200);
	});

	it('moves the feed between two page reads', async () => {
		const { sandbox, client } = await started({ cursors: 'position' });
		const turns: number[] = [];
		const stop = sandbox.trouble.betweenPages((pagesRead) => {
			turns.push(pagesRead);
			sandbox.live.churn({ insert: 3, update: 2, remove: 1 });
		});
		const first = await client.list({ limit: 50 });
		expect(turns).toEqual([]);
		const second = await client.list({ limit: 50, cursor: first.body.pagination.cursor! });
		expect(second.body.pagination.total).toBe(302);
		stop();
		await client.list({ limit: 50, cursor: second.body.pagination.cursor! });
		expect(turns).toEqual([1]);
	});

	it('notes in the request log what was answered', async () => {
		const { sandbox, client } = await started();
		const troubles: Trouble[] = [{ kind: 'error', status: 503 }, { kind: 'droppedConnection' }];
		for (const trouble of troubles) sandbox.trouble.next(trouble);
		await client.list({ limit: 3 });
		await client.list().catch(() => undefined);
		await client.list();
		const { entries } = sandbox.requests;
		expect(entries[0]).toMatchObject({ method: 'GET', path: '/licenses', query: { limit: '3' } });
		expect(entries.map(({ status }) => status)).toEqual([503, undefined, 200]);
		sandbox.requests.reset();
		expect(sandbox.requests.count).toBe(0);
	});
});
