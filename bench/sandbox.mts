/**
 * How the sandbox holds up with a million records: how long it takes to start, what it keeps in
 * memory, and how long a page of 50 takes. `npx tsx bench/sandbox.mts [records]`.
 *
 * Inside the server it measures processor time, so that a busy machine does not blur the numbers.
 */
import type { ListFilter, PageStart } from '../sandbox/dataset/dataset.mts';
import { createSandbox, simulatedClock, type Sandbox } from '../sandbox/index.mts';

const records = Number(process.argv[2] ?? 1_000_000);
const LIMIT = 50;
const DAY = 86_400_000;

const filters: Record<string, ListFilter> = {
	'no filter': {},
	'one county': { county: 'miami-dade' },
	'smallest county': { county: 'lafayette' },
	'one type': { licenseType: 'SRX' },
	'one event': { eventType: 'cancellation' },
	'one status': { status: 'suspended' },
	'all four': {
		county: 'leon',
		licenseType: 'BEV',
		eventType: 'status_change',
		status: 'inactive',
	},
	'no match': { county: 'atlantis' },
	'rare word': { q: 'rosalind' },
	'common word': { q: 'grill' },
	'broad letter': { q: 'e' },
	'two words': { q: 'oyster miami' },
	'word and county': { q: 'tavern', county: 'hillsborough' },
	'letter and three filters': { q: 's', county: 'lee', licenseType: 'COP', eventType: 'renewal' },
};

function measured<Result>(work: () => Result): { milliseconds: number; result: Result } {
	const start = process.cpuUsage();
	const result = work();
	const { user, system } = process.cpuUsage(start);
	return { milliseconds: (user + system) / 1000, result };
}

function summary(times: number[]): string {
	const sorted = [...times].sort((a, b) => a - b);
	const at = (share: number) =>
		(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2).padStart(6);
	return `median ${at(0.5)}   95% ${at(0.95)}   worst of ${sorted.length} ${at(1)}`;
}

/** Pages from the top to the bottom of a filter's list, by both kinds of cursor. */
function* startsIn({ live: { dataset } }: Sandbox, total: number): Generator<PageStart> {
	for (let share = 0; share < 1; share += 0.05) {
		yield { skip: Math.floor(total * share) };
		const slot = dataset.at(Math.floor(dataset.size * share));
		if (slot !== undefined) yield { time: dataset.timeOf(slot), slot };
	}
}

/** What the first request with a filter costs, and what its further pages do. */
function timesOf(sandbox: Sandbox, filter: ListFilter): { first: number; pages: number[] } {
	const { dataset } = sandbox.live;
	const page = (start: PageStart) =>
		measured(() => {
			const found = dataset.page(filter, start, LIMIT);
			JSON.stringify(found.slots.map((slot) => dataset.license(slot)));
			return found;
		});
	const first = page({ skip: 0 });
	const pages = [...startsIn(sandbox, first.result.total)].map((start) => page(start).milliseconds);
	return { first: first.milliseconds, pages };
}

async function overHttp(sandbox: Sandbox, path: string): Promise<number[]> {
	const headers = { Authorization: `Bearer ${sandbox.keys.live}` };
	const times: number[] = [];
	for (let request = 0; request < 200; request++) {
		const start = performance.now();
		await (await fetch(`${sandbox.baseUrl}${path}`, { headers })).text();
		times.push(performance.now() - start);
	}
	return times;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

const started = { at: performance.now(), cpu: process.cpuUsage() };
const clock = simulatedClock('2026-09-24T12:00:00Z');
const sandbox = await createSandbox({ records, rate: 10, clock });
say(`${records.toLocaleString('en-US')} records; all times in milliseconds`);
const { user, system } = process.cpuUsage(started.cpu);
say(
	`start ${(performance.now() - started.at).toFixed(0)}, of which processor ${((user + system) / 1000).toFixed(0)}`,
);

say(`\nA page of ${LIMIT} inside the server, found and written out`);
for (const [name, filter] of Object.entries(filters)) {
	const { first, pages } = timesOf(sandbox, filter);
	say(`  ${name.padEnd(26)} first asked ${first.toFixed(2).padStart(6)}   then ${summary(pages)}`);
}

say('\nA change of the feed, with these searches remembered');
const changes: Array<[name: string, times: number, change: () => void]> = [
	['a new filing', 200, () => sandbox.live.insert()],
	['an event of a known record', 200, () => sandbox.live.churn({ update: 1 })],
	['a day at 10 filings a minute', 3, () => sandbox.live.advance(DAY)],
];
for (const [name, times, change] of changes)
	say(
		`  ${name.padEnd(30)} ${summary(Array.from({ length: times }, () => measured(change).milliseconds))}`,
	);

say(`\nA request over HTTP, one after the other, by the clock on the wall`);
const { licenseNumber } = sandbox.live.insert();
for (const path of [
	`/licenses?limit=${LIMIT}`,
	`/licenses?limit=${LIMIT}&county=leon&q=grill`,
	`/licenses/${licenseNumber}`,
])
	say(`  ${path.padEnd(40)} ${summary(await overHttp(sandbox, path))}`);

say(`\nmemory ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
await sandbox.close();
