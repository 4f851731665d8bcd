import { describe, expect, it } from 'vitest';

import { simulatedClock, type Trouble } from '../../sandbox/index.mts';
import { opened } from './client.mts';

describe('Trouble on command', () => {
	it('meets as many requests, after as many others, at the path it is aimed at', async () => {
		const { sandbox, client } = await opened({}, false);
		const aim = { times: 2, after: 1, path: '/licenses/search' };
		sandbox.trouble.next({ kind: 'error', status: 503 }, aim);
		expect((await client.list()).status).toBe(200);
		const statuses: number[] = [];
		for (let request = 0; request < 4; request++)
			statuses.push((await client.ask('/licenses/search?q=a')).status);
		expect(statuses).toEqual([200, 503, 503, 200]);
	});

	it('meets the requests that a test describes', async () => {
		const { sandbox, client } = await opened({}, false);
		sandbox.trouble.next({ kind: 'error' }, { where: ({ query }) => query.county === 'leon' });
		expect((await client.list({ county: 'lee' })).status).toBe(200);
		expect((await client.list({ county: 'leon' })).status).toBe(500);
	});

	it.each([
		['seconds', { retryAfter: 7 }, '7'],
		['nothing', {}, null],
	])('answers 429 with Retry-After as %s', async (_what, wait, header) => {
		const { sandbox, client } = await opened({}, false);
		sandbox.trouble.next({ kind: 'rateLimit', ...wait });
		const { status, headers, body } = await client.fault('/licenses');
		expect(status).toBe(429);
		expect(body.error.type).toBe('rate_limited');
		expect(headers.get('retry-after')).toBe(header);
	});

	it.each<[Trouble, number, RegExp]>([
		[{ kind: 'htmlPage' }, 502, /<h1>Bad Gateway<\/h1>/],
		[{ kind: 'wrongShape' }, 200, /^\{"licenses":\[\],"next":null\}$/],
	])('answers with %j', async (trouble, status, text) => {
		const { sandbox, client } = await opened({}, false);
		sandbox.trouble.next(trouble);
		expect(await client.list()).toMatchObject({ status, text: expect.stringMatching(text) });
	});

	it.each<[Trouble['kind'], RegExp]>([
		['truncatedBody', /JSON/],
		['droppedConnection', /fetch failed/],
	])('gives half an answer or none, and the whole one next: %s', async (kind, message) => {
		const { sandbox, client } = await opened({}, false);
		sandbox.trouble.next({ kind } as Trouble);
		await expect(client.list()).rejects.toThrow(message);
		expect((await client.list()).status).toBe(200);
	});

	it('holds an answer up for as long as asked', async () => {
		const clock = simulatedClock('2026-09-24T12:00:00Z');
		const { sandbox, client } = await opened({ clock }, false);
		sandbox.trouble.next({ kind: 'delay', milliseconds: 60_000 });
		let isAnswered = false;
		const answer = client.list().finally(() => (isAnswered = true));
		await expect.poll(() => sandbox.trouble.pending).toBe(0);
		await clock.advance(59_999);
		expect(isAnswered).toBe(false);
		await clock.advance(1);
		expect((await answer).status).toBe(200);
	});
});
