import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/waitAllowance.ts';
import { NO_WAITING, Throttle, throttleFor } from '../../nodes/LicensingData/service/throttle.ts';
import { randomSequence } from '../../sandbox/register/random.mts';
import { CREDENTIALS, useAnswers } from '../support/answers.mts';
import { ListService, runOn } from '../support/list-service.mts';
import { openList, pollerOf, testCredential } from '../support/nodes.mts';
import { register } from '../support/records.mts';

// Nothing is expected to be sent.
useAnswers();

const MINUTE = 60_000;
const REFUSED = new Failure('Too many (HTTP 429)', '', { status: 429, retryAfter: MINUTE });

let throttle: Throttle;
beforeEach(() => {
	vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: 1_800_000_000_000 });
	throttle = new Throttle();
});
afterEach(() => void vi.useRealTimers());

const pause = async (milliseconds: number, outcome?: unknown) =>
	await new Promise((resolve) => setTimeout(() => resolve(outcome), milliseconds));

/** Requests of an execution, which asks again after a refusal, as a node does. */
class Execution {
	private readonly stopping = new AbortController();
	private readonly caller;
	sent = 0;
	readonly ended: string[] = [];

	/** Each answer is given by how many requests were sent so far. */
	constructor(
		private readonly throttle: Throttle,
		private readonly answer: (sent: number) => Promise<unknown>,
		max?: number,
	) {
		this.caller = new WaitAllowance(() => {}, this.stopping.signal).open(max);
	}

	ask(count: number): this {
		const { throttle, caller, ended } = this;
		const attempt = async () => await this.answer(++this.sent);
		const request = async () => {
			while ((await throttle.run(caller, attempt)) instanceof Failure);
			return 'answered';
		};
		const nameOf = ({ name }: Error) => name;
		for (let at = 0; at < count; at++)
			void request()
				.catch(nameOf)
				.then((how) => ended.push(how));
		return this;
	}

	/** By its user, or by itself. */
	async stop(byItself = false): Promise<void> {
		if (byItself) this.caller.hasEnded = true;
		else this.stopping.abort();
		await vi.advanceTimersByTimeAsync(0);
	}
}

it('Without a number, requests start with two, and grow to eight while answers are quick', async () => {
	/** How many were in flight when each began. */
	async function send(took: (sent: number) => number) {
		const underWay: number[] = [];
		let now = 0;
		const answer = async (sent: number) => {
			underWay.push(++now);
			await pause(took(sent));
			now--;
		};
		new Execution(new Throttle(), answer).ask(100);
		await vi.runAllTimersAsync();
		return underWay;
	}
	const underWay = await send(() => 20);
	expect(underWay.slice(0, 2)).toEqual([1, 2]);
	expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
	expect(Math.max(...underWay)).toBe(8);
	const slow = await send((sent) => (sent <= 2 ? 50 : 500));
	expect(Math.max(...slow)).toBeLessThanOrEqual(4);
});

it('Two workflows share a limit of 60 a minute, and few requests are refused', async () => {
	let [start, used, answered, refused] = [Date.now(), 0, 0, 0];
	const answer = async () => {
		await pause(200);
		if (Date.now() - start >= MINUTE) [start, used] = [Date.now(), 0];
		if (++used <= 60) return void answered++;
		refused++;
		return new Failure('', '', { status: 429, retryAfter: start + MINUTE - Date.now() });
	};
	for (let workflow = 0; workflow < 2; workflow++) new Execution(throttle, answer).ask(500);
	await vi.runAllTimersAsync();
	expect(answered).toBe(1000);
	expect(refused).toBeLessThanOrEqual(50);
});

const answered = async () => await pause(20, {});
const refuseFirst = async (sent: number) =>
	sent === 1 ? await pause(10, REFUSED) : await answered();

it('While a wait lasts, nothing is sent; then one request tries', async () => {
	const execution = new Execution(throttle, refuseFirst, 8).ask(16);
	for (const [wait, sent] of [
		[30, 8],
		[MINUTE - 21, 8],
		[1, 9],
	] as const) {
		await vi.advanceTimersByTimeAsync(wait);
		expect(execution.sent).toBe(sent);
	}
	await vi.runAllTimersAsync();
	expect([execution.sent, execution.ended.length, throttle.waitLeft]).toEqual([17, 16, 0]);
});

describe('With one key', () => {
	it('a second execution does not wait for all that a first has to ask', async () => {
		const first = new Execution(throttle, refuseFirst).ask(100);
		// After a refusal, it is one at a time.
		await vi.advanceTimersByTimeAsync(MINUTE + 30);
		const second = new Execution(throttle, answered).ask(3);
		await vi.advanceTimersByTimeAsync(200);
		expect(second.ended).toHaveLength(3);
		expect(first.ended.length).toBeLessThan(50);
	});

	it('a first execution does not wait for all that a second has to ask', async () => {
		const first = new Execution(throttle, refuseFirst).ask(3);
		const second = new Execution(throttle, answered).ask(100);
		await vi.advanceTimersByTimeAsync(MINUTE + 200);
		expect(first.ended).toHaveLength(3);
		expect(second.ended.length).toBeLessThan(50);
	});

	it.each([
		['is stopped', false, 'AbortError'],
		['has ended', true, 'Failure'],
	])('an execution that %s in the queue sends nothing more', async (_, byItself, name) => {
		const first = new Execution(throttle, answered).ask(2);
		const second = new Execution(throttle, answered).ask(3);
		await second.stop(byItself);
		expect(second.ended).toEqual(byItself ? [] : Array(3).fill(name));
		second.ask(1);
		await vi.runAllTimersAsync();
		expect([first.ended.length, second.sent, second.ended]).toEqual([2, 0, Array(4).fill(name)]);
	});

	it('whatever is thrown, its place is free again', async () => {
		const fail = async () => await Promise.reject(new Error('broken'));
		for (let times = 0; times < 20; times++)
			await expect(throttle.run(NO_WAITING, fail)).rejects.toThrow('broken');
		await throttle.run(NO_WAITING, async () => REFUSED);
		for (let times = 0; times < 20; times++)
			await expect(throttle.run(NO_WAITING, fail)).rejects.toThrow('HTTP 429');
		await vi.advanceTimersByTimeAsync(MINUTE);
		const execution = new Execution(throttle, answered).ask(3);
		for (const sent of [1, 2, 3]) {
			await vi.advanceTimersByTimeAsync(15);
			expect(execution.sent).toBe(sent);
		}
	});

	it('an outage after a refusal is not waited for as a rate limit', async () => {
		await throttle.run(NO_WAITING, async () => REFUSED);
		await vi.advanceTimersByTimeAsync(MINUTE);
		const down = new Failure('Down (HTTP 503)', '', { status: 503, retryAfter: MINUTE });
		for (let times = 0; times < 2; times++)
			expect(await throttle.run(NO_WAITING, async () => down)).toBe(down);
		// A poll asks nothing until then.
		expect(throttle.waitLeft).toBe(MINUTE);
	});
});

const poll = async (budget: number) => await pollerOf(CREDENTIALS, {}, { budget }).poll();

const said = async (asked: Promise<unknown>): Promise<string> =>
	await asked.then(JSON.stringify, ({ message }: Error) => message);

describe('While an execution waits for a rate limit', () => {
	it.each<[who: string, ask: () => Promise<unknown>, later?: string]>([
		// It has said that it asks nothing until then.
		['A poll', async () => await poll(30_000), '[]'],
		['The list to choose from', async () => await openList()],
		["The credential's Test", async () => await testCredential(CREDENTIALS)],
	])('%s is told at once, before or after the refusal', async (_, ask, later = 'HTTP 429') => {
		const execution = new Execution(throttleFor(CREDENTIALS), refuseFirst).ask(1);
		// It keeps the other place.
		const other = new Execution(throttleFor(CREDENTIALS), async () => await pause(50, {})).ask(1);
		const before = said(ask());
		for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
		await vi.advanceTimersByTimeAsync(20);
		expect(await before).toContain('HTTP 429');
		expect(await said(ask())).toContain(later);
		expect([execution.sent, execution.ended]).toEqual([1, []]);
		await execution.stop();
		await vi.runAllTimersAsync();
		expect([execution.ended, other.ended]).toEqual([['AbortError'], ['answered']]);
	});
});

it('A poll ends in its time, and says why, where others never get an answer', async () => {
	const execution = new Execution(throttleFor(CREDENTIALS), answered).ask(2);
	expect(await said(poll(300))).toContain('Other requests with this API key took all the time');
	await vi.runAllTimersAsync();
	expect(execution.ended).toEqual(['answered', 'answered']);
});

/** Reads all of a list, on a clock that moves only while everything waits for it. */
async function readOnClock(service: ListService, parallelRequests?: number) {
	let isDone = false;
	const parameters = { operation: 'getAll', returnAll: true, options: { parallelRequests } };
	const reading = runOn(service, parameters).finally(() => (isDone = true));
	reading.catch(() => {});
	while (!isDone) {
		for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
		if (!isDone && vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync();
	}
	return await reading;
}

/** So many requests a minute, counted in each server by itself, with numbers that jump. Chance picks the server. */
function limited(count: number, { limit = 60, servers = 1, retryAfter = '60' }) {
	const roll = randomSequence(limit + servers);
	const used = new Map<string, number>();
	const counts = { refused: 0 };
	const service: ListService = new ListService(register(count), {
		async before({ query }) {
			const minute = `${Math.floor(roll() * servers)} ${Math.floor(Date.now() / MINUTE)}`;
			const now = (used.get(minute) ?? 0) + 1;
			used.set(minute, now);
			const headers = {
				'x-ratelimit-limit': String(limit),
				'x-ratelimit-remaining': String(Math.max(0, limit - now)),
				'x-ratelimit-reset': String(Math.ceil(Date.now() / MINUTE) * 60),
			};
			if (now > limit) counts.refused++;
			await pause(50);
			if (now <= limit) return { headers, body: service.page(query) };
			return { status: 429, headers: { ...headers, 'retry-after': retryAfter }, body: {} };
		},
	});
	return { service, counts };
}

it('A list behind a limit in each of two servers comes whole; few are refused', async () => {
	const start = Date.now();
	const { service, counts } = limited(20_000, { servers: 2 });
	const { items, hints } = await readOnClock(service);
	expect(new Set(items.map(({ id }) => id)).size).toBe(20_000);
	const [sent, { refused }] = [service.requests.length, counts];
	expect((sent - refused) / 400).toBeLessThanOrEqual(1.05);
	expect(refused / sent).toBeLessThanOrEqual(1 / 10);
	expect(hints).toHaveLength(1);
	expect(service.requests.some(({ query }) => query.license_type)).toBe(false);
	// Three waits at least. One that is asked for begins at the refusal, and not with the minute.
	expect((Date.now() - start) / MINUTE).toBeLessThanOrEqual(2 * 3 + 2);
});

it('The first wait says how long the list will take, once', async () => {
	const { hints } = await readOnClock(limited(15_000, {}).service, 1);
	const said =
		/asks to wait 60 seconds\. About 240 more requests are needed, which takes about \d min/;
	expect(hints).toEqual([expect.stringMatching(said)]);
});

it('A list that takes more than an hour stops with what to do about it', async () => {
	const { service } = limited(15_000, { limit: 1 });
	const start = Date.now();
	await expect(readOnClock(service, 1)).rejects.toMatchObject({
		message: 'The rate limit of the plan is too low for this',
		description: expect.stringMatching(/up to an hour in all.*more requests.*Ask for less/),
	});
	expect(Date.now() - start).toBeLessThanOrEqual(61 * MINUTE);
	expect(service.requests.length).toBeLessThan(150);
});

it('A service that refuses everything and asks for no wait is asked ever less often', async () => {
	const { service } = limited(100, { limit: 0, retryAfter: '0' });
	const description = expect.stringContaining('does not say how long to wait');
	await expect(readOnClock(service, 1)).rejects.toMatchObject({ description });
	expect(service.requests.length).toBeLessThan(75);
});
