import { beforeEach, describe, expect, it, vi } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/waitAllowance.ts';
import { NO_WAITING, Throttle, throttleFor } from '../../nodes/LicensingData/service/throttle.ts';
import { CREDENTIALS, useAnswers } from '../support/answers.mts';
import { openList, pollerOf, testCredential } from '../support/nodes.mts';

// Nothing is expected to be sent.
useAnswers();

const REFUSED = new Failure('Too many (HTTP 429)', '', { status: 429, retryAfter: 60_000 });

const settle = async () => {
	for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
};

/** Requests of an execution, whose answers the test gives; as a node does, it asks again after a 429. */
class Execution {
	/** Gives each request that is under way its answer. */
	private readonly underWay: Array<(answer: unknown) => void> = [];
	private readonly stopping = new AbortController();
	private readonly caller = new WaitAllowance(() => {}, this.stopping.signal).open();
	sent = 0;
	readonly ended: string[] = [];

	constructor(private readonly throttle: Throttle) {}

	ask(count: number): this {
		const end = (how: string) => void this.ended.push(how);
		for (let at = 0; at < count; at++)
			this.request().then(
				() => end('answered'),
				({ name }: Error) => end(name),
			);
		return this;
	}

	private async request(): Promise<void> {
		const answer = async () => {
			this.sent++;
			return await new Promise<unknown>((resolve) => this.underWay.push(resolve));
		};
		while ((await this.throttle.run(this.caller, answer)) instanceof Failure);
	}

	/** All at the same moment. */
	async answer(answer: unknown = {}): Promise<void> {
		for (const resolve of this.underWay.splice(0)) resolve(answer);
		await settle();
	}

	async stop(): Promise<void> {
		this.stopping.abort();
		await settle();
	}
}

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
		const execution = new Execution(throttleFor(CREDENTIALS)).ask(1);
		// It keeps the other place.
		const other = new Execution(throttleFor(CREDENTIALS)).ask(1);
		const before = said(ask());
		await settle();
		await execution.answer(REFUSED);
		expect(await before).toContain('HTTP 429');
		expect(await said(ask())).toContain(later);
		expect([execution.sent, execution.ended]).toEqual([1, []]);
		await execution.stop();
		await other.answer();
		expect([execution.ended, other.ended]).toEqual([['AbortError'], ['answered']]);
	});
});

it('A poll ends in its time, and says why, where others never get an answer', async () => {
	const execution = new Execution(throttleFor(CREDENTIALS)).ask(2);
	expect(await said(poll(300))).toContain('Other requests with this API key took all the time');
	await execution.answer();
	expect(execution.ended).toEqual(['answered', 'answered']);
});

describe('With one key', () => {
	let throttle: Throttle;
	beforeEach(() => void (throttle = new Throttle()));

	it('a second execution does not wait for all that a first has to ask', async () => {
		const first = new Execution(throttle).ask(1);
		await settle();
		// After a refusal, it is one at a time.
		await first.answer(REFUSED.withFacts({ retryAfter: 1 }));
		first.ask(99);
		await vi.waitFor(() => expect(first.sent).toBe(2));
		const second = new Execution(throttle).ask(3);
		for (let answers = 0; second.ended.length < 3; answers++) {
			expect(answers).toBeLessThan(5);
			await first.answer();
			await second.answer();
		}
		expect(first.ended.length).toBeLessThan(50);
	});

	it('an execution that is stopped in the queue leaves it, and sends nothing more', async () => {
		const first = new Execution(throttle).ask(2);
		const second = new Execution(throttle).ask(3);
		await second.stop();
		expect(second.ended).toEqual(Array(3).fill('AbortError'));
		await first.answer();
		second.ask(1);
		await settle();
		expect([second.sent, second.ended.length]).toEqual([0, 4]);
	});

	it('whatever is thrown, its place is free again', async () => {
		const fail = async () => await Promise.reject(new Error('broken'));
		for (let times = 0; times < 20; times++)
			await expect(throttle.run(NO_WAITING, fail)).rejects.toThrow('broken');
		await throttle.run(NO_WAITING, async () => REFUSED);
		for (let times = 0; times < 20; times++)
			await expect(throttle.run(NO_WAITING, fail)).rejects.toThrow('HTTP 429');
		vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
		const execution = new Execution(throttle).ask(3);
		await settle();
		expect(execution.sent).toBe(1);
		await execution.answer();
		await execution.answer();
		expect(execution.sent).toBe(3);
		vi.restoreAllMocks();
	});

	it('an outage after a refusal is not waited for as a rate limit', async () => {
		const clock = vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
		await throttle.run(NO_WAITING, async () => REFUSED);
		clock.mockReturnValue(1_060_000);
		const down = new Failure('Down (HTTP 503)', '', { status: 503, retryAfter: 60_000 });
		for (let times = 0; times < 2; times++)
			expect(await throttle.run(NO_WAITING, async () => down)).toBe(down);
		// A poll asks nothing until then.
		expect(throttle.waitLeft).toBe(60_000);
		vi.restoreAllMocks();
	});
});
