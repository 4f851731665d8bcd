import { parseArgs } from 'node:util';

import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { positive, whole } from '../../playground/numbers.mts';
import type { Saving } from '../support/poller.mts';
import { pollerOf } from '../support/trigger-node.mts';
import { SimulatedTime } from './simulated-time.mts';
import { troubleMaker } from './trouble-maker.mts';

const usage = `Usage: npm run soak -- [options]

Runs the trigger in n8n-core against the living sandbox with troubles on, in simulated time.

  --hours <n>        how long (24; a year has 8760)
  --every <n>        minutes from one poll to the next (15)
  --rate <n>         filings a minute (0.1)
  --saving <kind>    memory or durable: how n8n keeps the trigger's memory (memory)
  --cursors <kind>   position or key (position)
  --seed <n>         another seed, another course of things (1)
  --help             this text`;

const { values } = parseArgs({
	options: {
		hours: { type: 'string', default: '24' },
		every: { type: 'string', default: '15' },
		rate: { type: 'string', default: '0.1' },
		saving: { type: 'string', default: 'memory' },
		cursors: { type: 'string', default: 'position' },
		seed: { type: 'string', default: '1' },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
const hours = positive('--hours', values.hours);
const every = positive('--every', values.every);
const seed = whole('--seed', values.seed);
const saving = oneOf<Saving>('--saving', values.saving, ['memory', 'durable']);
const cursors = oneOf('--cursors', values.cursors, ['position', 'key'] as const);

function oneOf<Value extends string>(name: string, given: string, known: readonly Value[]): Value {
	const found = known.find((value) => value === given);
	if (found !== undefined) return found;
	throw new Error(`${name} takes one of ${known.join(', ')}, not "${given}"`);
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SETTLING_POLLS = 30;

const time = new SimulatedTime(Date.parse('2026-07-01T00:00:00Z'));
const wall = () => performance.now() / 1000;
const started = wall();

const sandbox: Sandbox = await createSandbox({
	records: 2000,
	seed,
	rate: positive('--rate', values.rate),
	cursors,
	delay: 100,
	clock: time,
});
const credentials = { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live };
const poller = pollerOf(credentials, { eventTypes: [], output: 'raw' }, { saving });

interface Named {
	id?: unknown;
	eventType?: unknown;
	eventTimestamp?: unknown;
}
const keyOf = ({ id, eventType, eventTimestamp }: Named) => `${id} ${eventType} ${eventTimestamp}`;

const emitted = new Map<string, number>();
const figures = { polls: 0, failed: 0, requests: 0, outOfOrder: 0, state: 0, memory: 0 };

async function poll(): Promise<void> {
	figures.polls++;
	sandbox.requests.reset();
	try {
		let before = '';
		for (const item of await poller.poll()) {
			const key = keyOf(item);
			emitted.set(key, (emitted.get(key) ?? 0) + 1);
			if (String(item.eventTimestamp) < before) figures.outOfOrder++;
			before = String(item.eventTimestamp);
		}
	} catch {
		// n8n reports it, and polls again.
		figures.failed++;
	}
	figures.requests += sandbox.requests.count;
	figures.state = Math.max(figures.state, Buffer.byteLength(JSON.stringify(poller.saved)));
	figures.memory = Math.max(figures.memory, process.memoryUsage().rss);
}

await poller.activate();
const activated = time.now();
const end = activated + hours * HOUR;
const trouble = troubleMaker(sandbox, poller, seed);

while (time.now() < end) {
	time.pass(every * MINUTE + trouble.downtime());
	trouble.next();
	await poll();
}
trouble.stop();
for (let polls = 0; polls < SETTLING_POLLS; polls++) {
	time.pass(MINUTE);
	await poll();
}

/** What an update or a removal took away may have come, and what is still there must have. */
const owed = sandbox.live.events.filter(
	({ visibleAt, hiddenAt }) => Date.parse(visibleAt) > activated && hiddenAt === null,
);
const last = time.now();
const lost = owed.filter(
	(event) => !emitted.has(keyOf(event)) && Date.parse(event.visibleAt) < last - 10 * MINUTE,
);
const known = new Set(sandbox.live.events.map(keyOf));
const repeated = [...emitted.values()].filter((count) => count > 1).length;
const unknown = [...emitted.keys()].filter((key) => !known.has(key)).length;
await sandbox.close();

const counts: Record<string, number> = {
	'simulated hours': hours,
	polls: figures.polls,
	'polls that failed': figures.failed,
	restarts: trouble.restarts,
	requests: figures.requests,
	'events that appeared': sandbox.live.events.length,
	'events emitted': emitted.size,
	lost: lost.length,
	repeated,
	'emitted, though they were there before': unknown,
	'out of order': figures.outOfOrder,
	'largest state, bytes': figures.state,
	'largest memory with the sandbox, MB': Math.round(figures.memory / 2 ** 20),
	'time, s': Math.round(wall() - started),
};
for (const [name, count] of Object.entries(counts))
	console.log(`${name.padEnd(40)}${count.toLocaleString('en-US')}`);
for (const event of lost.slice(0, 5)) console.error('lost', event);
process.exit(lost.length + repeated + unknown + figures.outOfOrder === 0 ? 0 : 1);
