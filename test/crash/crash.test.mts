import { durableScheduler } from '../support/queue/queue.mts';
import { faults, queueFaults } from './faults.mts';
import { Trial } from './trial.mts';

const withoutCursors = { ...durableScheduler, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false' };
const memory = {
	...withoutCursors,
	N8N_SCHEDULER_ENABLED: 'false',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'false',
};

describe.each([
	{ mode: 'In-memory scheduler, SQLite', settings: memory },
	{ mode: 'Durable scheduler without cursors, SQLite', settings: withoutCursors },
	{ mode: 'Durable scheduler and cursors, SQLite', settings: durableScheduler },
	{ mode: 'Queue mode with durable cursors, PostgreSQL', settings: durableScheduler, workers: 2 },
])('$mode', ({ mode, settings, workers = 0 }) => {
	let trial: Trial;
	beforeAll(async () => {
		trial = await Trial.start(mode.replace(/\W+/g, '-'), settings, workers);
		await trial.warmUp();
	});
	afterAll(async () => await trial?.close());

	it('loses nothing, and repeats nothing where the database keeps the cursors', async () => {
		const all = workers > 0 ? queueFaults : faults;
		const rounds = process.env.NIGHTLY ? 30 : all.length;
		for (let round = 0; round < rounds; round++) await trial.round(all[round % all.length]!);
		const { events, lost, repeated } = await trial.judge();
		console.log(mode, { faults: rounds, events, lost: lost.length, repeated: repeated.length });
		expect(lost).toEqual([]);
		if (settings === durableScheduler) expect(repeated).toEqual([]);
	});
});
