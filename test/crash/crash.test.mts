import { durableScheduler } from '../support/queue/queue.mts';
import { faults, queueFaults } from './faults.mts';
import { Trial } from './trial.mts';

const withoutCursors = { N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false' };
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
		const results = await trial.judge();
		const sum = (what: 'events' | 'lost' | 'repeated') =>
			results.reduce((total, result) => total + result[what], 0);
		const total = { events: sum('events'), lost: sum('lost'), repeated: sum('repeated') };
		console.log(mode, { faults: rounds, ...total });
		console.table(results);
		expect(total.lost).toBe(0);
		if (settings === durableScheduler) expect(total.repeated).toBe(0);
	});
});
