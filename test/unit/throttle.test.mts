import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import { Throttle } from '../../nodes/LicensingData/service/throttle.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/retries.ts';

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

const callerOf = (most?: number) => new WaitAllowance(() => {}).open(most);

const pause = async (milliseconds: number) =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends this many requests that take this long each, and records how many were in flight when each began. */
async function send(count: number, most?: number, took = (_at: number) => 20) {
	const throttle = new Throttle();
	const caller = callerOf(most);
	const underWay: number[] = [];
	let now = 0;
	const all = Promise.all(
		Array.from({ length: count }, async (_, at) =>
			throttle.run(caller, async () => {
				underWay.push(++now);
				await pause(took(at));
				now--;
			}),
		),
	);
	await vi.runAllTimersAsync();
	await all;
	return underWay;
}

it('Without a number, requests under way start with two, and grow to eight while answers come quickly', async () => {
	const underWay = await send(100);
	expect(underWay.slice(0, 2)).toEqual([1, 2]);
	expect(Math.max(...underWay.slice(0, 4))).toBeLessThan(5);
	expect(Math.max(...underWay)).toBe(8);
	const slow = await send(100, undefined, (at) => (at < 2 ? 50 : 500));
	expect(Math.max(...slow)).toBeLessThanOrEqual(4);
});

it.each([1, 3, 10])('With a number, that many requests are under way: %i', async (most) => {
	expect(Math.max(...(await send(50, most)))).toBe(most);
});

it('Of the requests that wait for their turn, none is sent once the reading has ended', async () => {
	const throttle = new Throttle();
	const caller = callerOf(1);
	const sent: string[] = [];
	const all = ['first', 'second', 'third'].map((name) =>
		throttle.run(caller, async () => {
			sent.push(name);
			await pause(20);
		}),
	);
	const settled = Promise.allSettled(all);
	caller.hasEnded = true;
	await vi.runAllTimersAsync();
	expect((await settled).slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
	expect(sent).not.toContain('second');
});

/** A plan that allows so many requests a minute, counted from its first request on. */
function planOf(limit: number) {
	let [start, used] = [Date.now(), 0];
	const counts = { sent: 0, refused: 0 };
	return {
		counts,
		async answer() {
			await pause(200);
			if (Date.now() - start >= 60_000) [start, used] = [Date.now(), 0];
			counts.sent++;
			if (++used <= limit) return;
			counts.refused++;
			const retryAfter = start + 60_000 - Date.now();
			return new Failure('Too many', '', { status: 429, retryAfter });
		},
	};
}

it.each([60, 120, 600, 3000])(
	'Two workflows that use one key share its limit of %i a minute: what one meets, the other waits for, and few are refused',
	async (limit) => {
		const plan = planOf(limit);
		const throttle = new Throttle();
		const workflow = async (requests: number) => {
			const caller = callerOf();
			let left = requests;
			const one = async () => {
				while (left-- > 0) while ((await throttle.run(caller, plan.answer)) instanceof Failure);
			};
			await Promise.all(Array.from({ length: 8 }, one));
		};
		const both = Promise.all([workflow(500), workflow(500)]);
		await vi.runAllTimersAsync();
		await both;
		expect(plan.counts.sent - plan.counts.refused).toBe(1000);
		expect(plan.counts.refused).toBeLessThanOrEqual(50);
	},
);

it('While a wait lasts, nothing is sent; then one request finds out whether it is over, and late answers change nothing', async () => {
	const throttle = new Throttle();
	const caller = callerOf(8);
	const refused = new Failure('', '', { status: 429, retryAfter: 60_000 });
	let sent = 0;
	const ask = async () =>
		await throttle.run(caller, async () => {
			const number = ++sent;
			await pause(number === 1 ? 10 : 20);
			return number === 1 ? refused : number;
		});
	const first = Array.from({ length: 8 }, ask);
	await vi.advanceTimersByTimeAsync(15);
	const others = Array.from({ length: 8 }, ask);
	expect(throttle.waitLeft).toBe(60_000 - 5);
	await vi.advanceTimersByTimeAsync(59_990);
	expect(sent).toBe(8);
	await vi.advanceTimersByTimeAsync(10);
	expect(sent).toBe(9);
	await vi.runAllTimersAsync();
	await Promise.all([...first, ...others]);
	expect(sent).toBe(16);
	expect(throttle.waitLeft).toBe(0);
});
