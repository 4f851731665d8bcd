import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { randomSequence } from '../../sandbox/register/random.mts';
import { ListService, readWithGetMany } from '../support/list-service.mts';
import { license } from '../support/records.mts';

const MINUTE = 60_000;
/** What an answer takes on the clock of these tests. */
const LATENCY = 50;

beforeEach(() => {
	vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 1_800_000_000_000 });
});
afterEach(() => void vi.useRealTimers());

/** On a clock that moves only while everything waits for it. */
async function onClock<T>(reading: Promise<T>): Promise<T> {
	let isDone = false;
	const done = () => (isDone = true);
	reading.then(done, done);
	while (!isDone) {
		for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
		if (!isDone && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
	}
	return await reading;
}

const register = (count: number) =>
	Array.from({ length: count }, (_, at) => ({
		...license({ id: `lic_${at}`, licenseType: LICENSE_TYPES[at % LICENSE_TYPES.length]?.value }),
		eventTimestamp: '2026-07-01T00:00:00Z',
	}));

interface Provider {
	/** Requests a minute, in each server. */
	limit: number;
	servers: number;
	/** What is sent with each answer instead of the true numbers. */
	headers?: Record<string, string>;
	retryAfter?: string;
}

/** Counts by the minute, in each server by itself, and says so with numbers that jump. Chance picks the server. */
function limited(count: number, { limit, servers, headers, retryAfter = '60' }: Provider) {
	const roll = randomSequence(limit + servers);
	const used = new Map<string, number>();
	let [sent, refused] = [0, 0];
	const service: ListService = new ListService(register(count), {
		cursors: 'position',
		before({ query }) {
			sent++;
			const minute = `${Math.floor(roll() * servers)} ${Math.floor(Date.now() / MINUTE)}`;
			const now = (used.get(minute) ?? 0) + 1;
			used.set(minute, now);
			const left = Math.max(0, limit - now);
			const said = headers ?? {
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(left),
				'x-ratelimit-reset': String(Math.ceil(Date.now() / MINUTE) * 60),
			};
			if (now <= limit) return { statusCode: 200, headers: said, body: service.page(query) };
			refused++;
			const body = { error: { type: 'rate_limited', message: 'Rate limit exceeded' } };
			return { statusCode: 429, headers: { ...said, 'retry-after': retryAfter }, body };
		},
		takes: () => LATENCY,
	});
	return { service, counts: () => ({ sent, refused }) };
}

it.each([
	[60, 2, 20_000, 1 / 10],
	[600, 2, 108_000, 1 / 50],
])(
	'A list behind a rate limit of %i a minute in each of %i servers comes whole, and few requests are refused',
	async (limit, servers, count, share) => {
		const start = Date.now();
		const { service, counts } = limited(count, { limit, servers });
		const { licenses, hints } = await onClock(readWithGetMany(service, {}, undefined));
		expect(new Set(licenses.map(({ id }) => id)).size).toBe(count);
		const { sent, refused } = counts();
		const least = Math.ceil(count / 50);
		expect((sent - refused) / least).toBeLessThanOrEqual(1.05);
		expect(refused / sent).toBeLessThanOrEqual(share);
		expect(hints).toHaveLength(1);
		const fewest = Math.max(0, Math.ceil(least / (limit * servers)) - 1);
		// On the clock of this test. A wait that is asked for begins at the refusal, and not with the minute.
		expect((Date.now() - start) / MINUTE).toBeLessThanOrEqual(2 * fewest + 2);
	},
);

it('What headers forecast neither ends nor slows a list', async () => {
	const start = Date.now();
	const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' };
	const { service, counts } = limited(3000, { limit: 1e9, servers: 1, headers });
	const { licenses } = await onClock(readWithGetMany(service, {}, undefined));
	expect(licenses).toHaveLength(3000);
	expect(counts()).toEqual({ sent: 60, refused: 0 });
	expect(Date.now() - start).toBe(60 * LATENCY);
});

it('The first wait says how long the list will take, once', async () => {
	const { service } = limited(15_000, { limit: 60, servers: 1 });
	const { hints } = await onClock(readWithGetMany(service, {}, 1));
	expect(hints).toEqual([
		expect.stringMatching(
			/^The plan's rate limit is reached, and the service asks to wait 60 seconds\. About 240 more requests are needed, which takes about \d minutes at this rate\./,
		),
	]);
});

it.each([
	[
		'A wait that the service did not ask for is not said to be its wish',
		'',
		500,
		expect.not.stringContaining('asks to wait'),
	],
	[
		'A list that takes more than an hour stops with what to do about it',
		'60',
		150,
		expect.stringContaining('Ask for less'),
	],
])('%s', async (_, retryAfter, most, told) => {
	const { service, counts } = limited(15_000, { limit: 1, servers: 1, retryAfter });
	const start = Date.now();
	const error = await onClock(readWithGetMany(service, {}, 1)).catch((thrown: unknown) => thrown);
	expect(error).toMatchObject({
		message: 'The rate limit of the plan is too low for this',
		facts: { status: 429 },
		description: expect.stringMatching(/up to an hour in all.*more requests/),
	});
	expect(error).toMatchObject({ description: told });
	expect(Date.now() - start).toBeLessThanOrEqual(61 * MINUTE);
	expect(counts().sent).toBeLessThan(most);
});

it('A service that refuses everything and asks for no wait is asked ever less often', async () => {
	const { service, counts } = limited(100, { limit: 0, servers: 1, retryAfter: '0' });
	await expect(onClock(readWithGetMany(service, {}, 1))).rejects.toMatchObject({
		facts: { status: 429 },
	});
	expect(counts().sent).toBeLessThan(75);
});
