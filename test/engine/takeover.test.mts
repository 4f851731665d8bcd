import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { compiledAnew } from '../support/compiled.mts';
import { pollerOf } from '../support/nodes.mts';
import { Database, type Poller, Run, type Saving } from '../support/poller.mts';
import type { RunningPoll } from '../support/running-poll.mts';

/** As docs/operating.md promises. */
const GRACE = 5 * 60_000;

/** More than a page, so that a poll reads twice; it stops before and after each request, and before n8n saves. */
const BACKLOG = 60;
const moments = [0, 1, 2, 3, 4, 5, 6];
/** How far another poll gets meanwhile. Whatever lies between two of these changes nothing that is saved. */
const heads = [0, 3, 6];
/** Whether each moment is met with each of them, and not with one alone. */
const isFull = process.env.REGISTER === 'full';
/** With the in-memory scheduler, there is one more: the memory is saved, but the execution is not. */
const BETWEEN_WRITES = 6;
const momentsInMemory = [...moments, 7];

let sandbox: Sandbox;
beforeEach(async () => {
	const options = { records: 200, today: '2026-09-24', rateLimits: 'off' } as const;
	// Two rows of one number and one filing date are one filing.
	sandbox = await createSandbox({ ...options, rates: { numberTwice: 0 } });
	// What n8n is still saving counts as saved after a while, and here that while never ends.
	vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
	vi.useRealTimers();
	await sandbox.close();
});

/** Two processes, which share no variables. */
const processes = [compiledAnew('LicensingDataTrigger'), compiledAnew('LicensingDataTrigger')];

// Of a type that has been listed: many of another at once would be a source that was added.
const file = (count: number) => sandbox.register.fileMany(count, { licenseType: 'COP' });

type Pair = Awaited<ReturnType<typeof pair>>;

/** Two n8n processes, one of which has polled before, and a backlog for whichever comes first. */
async function pair(saving: Saving) {
	/** How many events there had been before. */
	const since = sandbox.register.listings.length;
	const database = new Database();
	const [first, second] = processes.map((more) =>
		pollerOf(sandbox.credentials, {}, { ...more, saving, database }),
	) as [Poller, Poller];
	await first.poll();
	// The in-memory scheduler saves nothing of a silent poll.
	file(1);
	await first.poll();
	file(BACKLOG);
	/** How many times each filing was emitted. */
	const times = (): number[] => {
		const filed = sandbox.register.listings.slice(since);
		return filed.map(({ license }) => database.emitted.filter((id) => id === license.id).length);
	};
	return { first, second, times };
}

function expectOnce({ times }: Pair): void {
	expect(times().length).toBeGreaterThan(BACKLOG);
	expect(new Set(times())).toEqual(new Set([1]));
}

/** Both go on for long enough to find whatever is left. */
async function pollOn({ first, second }: Pair): Promise<void> {
	for (const poller of [second, first, second, first]) {
		file(1);
		await poller.poll();
	}
	await second.poll();
}

/** A poll stands still at a moment while another gets as far as each of its own; then both go on. */
async function interleave(
	moment: number,
	startOther: (both: Pair, run: Run) => RunningPoll,
): Promise<void> {
	for (const head of isFull ? heads : [heads[moment % heads.length]!]) {
		const both = await pair('durable');
		const run = new Run();
		const one = both.first.start(run);
		await one.go(moment);
		const other = startOther(both, run);
		await other.go(head);
		await one.finish();
		await other.finish();
		await pollOn(both);
		expectOnce(both);
	}
}

it.each<[Saving, number[]]>([
	['durable', moments],
	['memory', momentsInMemory],
])('stops at every moment of a poll (%s)', async (saving, all) => {
	const poll = (await pair(saving)).first.start();
	for (const moment of all) {
		expect(poll.isDone).toBe(moment === all.at(-1));
		await poll.step();
	}
});

describe.each(moments)('with durable cursors, every event comes once at moment %i', (moment) => {
	it('where an instance dies and another takes over', async () => {
		const both = await pair('durable');
		const run = new Run();
		await both.first.start(run).go(moment);
		await both.second.start(run).finish();
		await pollOn(both);
		expectOnce(both);
	});

	it('where an instance stalls, another takes over, and the first goes on at any time', async () => {
		const takeOver = ({ second }: Pair, run: Run) => {
			const taking = second.start(run);
			file(1);
			return taking;
		};
		await interleave(moment, takeOver);
	});

	it('where an instance starts the next poll meanwhile, as it does to catch up', async () => {
		await interleave(moment, ({ first }) => first.start());
	});
});

describe('with the in-memory scheduler', () => {
	/** The first one ends at some moment, and a new process starts from what is saved, after a pause. */
	async function timesAfter(moment: number, pause: number): Promise<number[]> {
		const both = await pair('memory');
		await both.first.start().go(moment);
		vi.setSystemTime(Date.now() + pause);
		both.second.restart();
		await both.second.poll();
		file(1);
		await both.second.poll();
		return both.times();
	}

	it.each(momentsInMemory)(
		'a process that ends at moment %i loses nothing, and repeats what was saved last',
		async (moment) => {
			const [first, ...others] = await timesAfter(moment, GRACE - 1);
			expect(first).toBe(moment < BETWEEN_WRITES ? 2 : 1);
			const backlog = Array(BACKLOG).fill(moment > BETWEEN_WRITES ? 2 : 1);
			expect(others).toEqual([...backlog, 1]);
		},
	);

	it.each(momentsInMemory)(
		'what came last is lost between the two writes alone, after that period (%i)',
		async (moment) => {
			const times = moment === BETWEEN_WRITES ? 0 : 1;
			const backlog = Array(BACKLOG).fill(times);
			expect(await timesAfter(moment, GRACE)).toEqual([1, ...backlog, 1]);
		},
	);
});
