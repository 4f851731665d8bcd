/**
 * How long the sandbox takes to start, to answer a page of 50 over HTTP, and to take in news, in processor
 * time, so that a busy machine does not blur the result: `npx tsx bench/sandbox.mts [records]`.
 */
import { createSandbox } from '../sandbox/index.mts';

const records = Number(process.argv[2] ?? 100_000);
const ROUNDS = 100;

const queries = {
	'no filter': '',
	'one county': 'county=miami-dade',
	'one type and event': 'license_type=SRX&event_type=cancellation',
	'all four filters': 'county=leon&license_type=BEV&event_type=status_change&status=inactive',
	'common word': 'q=grill',
	'rare word': 'q=rosalind',
	'two words': 'q=oyster+miami',
};

function millisecondsSince(start: NodeJS.CpuUsage): number {
	const { user, system } = process.cpuUsage(start);
	return (user + system) / 1000;
}

async function timesOf(work: () => unknown): Promise<string> {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const start = process.cpuUsage();
		await work();
		times.push(millisecondsSince(start));
	}
	times.sort((a, b) => a - b);
	const at = (share: number) => (times[Math.floor((ROUNDS - 1) * share)] ?? 0).toFixed(2);
	return `median ${at(0.5)}   95% ${at(0.95)}   longest ${at(1)}`;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

const started = process.cpuUsage();
const sandbox = await createSandbox({ records });
say(`${records.toLocaleString('en-US')} records; all times in milliseconds`);
say(`start ${millisecondsSince(started).toFixed(0)}`);

const headers = { Authorization: `Bearer ${sandbox.keys.live}` };
for (const [name, query] of Object.entries(queries)) {
	const times = await timesOf(async () => {
		// A change clears what the sandbox keeps about a query, so that each request starts anew.
		sandbox.live.insert();
		await (await fetch(`${sandbox.baseUrl}/licenses?limit=50&${query}`, { headers })).text();
	});
	say(`${name.padEnd(20)} ${times}`);
}
say(`${'a new filing'.padEnd(20)} ${await timesOf(() => sandbox.live.insert())}`);
say(`${'an event'.padEnd(20)} ${await timesOf(() => sandbox.live.churn({ update: 1 }))}`);
say(`memory ${Math.round(process.memoryUsage().rss / 2 ** 20)} MB`);
await sandbox.close();
