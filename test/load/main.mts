import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { writeSection } from '../../bench/results.mts';
import { table } from '../../bench/table.mts';
import { N8nClient } from '../../playground/client.mts';
import { workspace } from '../../playground/folders.mts';
import { installHost } from '../../playground/host.mts';
import { installPackage, startN8n } from '../../playground/n8n.mts';
import { positive } from '../../playground/options.mts';
import { packPackage } from '../../playground/package.mts';
import { step } from '../../playground/steps.mts';
import { durableScheduler } from '../support/queue/queue.mts';
import { createSandbox } from '../../sandbox/index.mts';
import { EmissionBook } from '../crash/executions.mts';
import { keyOf } from '../crash/feed.mts';
import { TRIGGER, using } from '../e2e/forwarding.mts';
import { owner } from '../support/owner.mts';
import { Metrics } from './metrics.mts';

const usage = `Usage: npm run test:load -- [options]

Publishes many triggers in one real n8n, and writes how it bore them into bench/RESULTS.md.

  --triggers <n>   how many workflows poll every minute (200)
  --minutes <n>    for how long (15)
  --durable        with n8n's durable scheduler instead of the classic one
  --help           this text`;

const { values } = parseArgs({
	options: {
		triggers: { type: 'string', default: '200' },
		minutes: { type: 'string', default: '15' },
		durable: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
const triggers = positive('--triggers', values.triggers);
const minutes = positive('--minutes', values.minutes);

const measure = {
	N8N_METRICS: 'true',
	N8N_METRICS_INCLUDE_POLL_TRIGGER_METRICS: 'true',
	EXECUTIONS_DATA_PRUNE: 'false',
	...(values.durable && durableScheduler),
};

/** Six hundred requests a minute for two hundred polls: fewer than all triggers would like to make at once. */
const sandbox = await createSandbox({
	records: 1000,
	listEvery: 60_000,
	// An amendment would give an event another moment, by which it is counted.
	rates: { liquorADay: 0.3, foodADay: 0.2, amended: 0 },
	rateLimits: 'plan600',
});
const folder = join(workspace, 'load');
await rm(folder, { recursive: true, force: true });
await installPackage(folder, await packPackage());
const n8n = await startN8n({ host: await installHost(), folder, environment: measure });
const client = await N8nClient.signIn(n8n.address, owner);

try {
	const credential = await client.saveCredential('Licensing Data', 'licensingDataApi', {
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.keys.live,
	});
	const workflows: string[] = [];
	await step(
		`Publishing ${triggers} workflows`,
		async () => {
			while (workflows.length < triggers) workflows.push(await publish(workflows.length));
		},
		() => String(workflows.length),
	);

	async function publish(number: number): Promise<string> {
		// Spread over the minute, as n8n does with "Every Minute".
		const everyMinute = { mode: 'custom', cronExpression: `${(number * 7) % 60} * * * * *` };
		const { id } = await client.createWorkflow({
			name: `Trigger ${number + 1}`,
			nodes: [
				{
					id: randomUUID(),
					name: TRIGGER,
					type: 'n8n-nodes-licensing-data.licensingDataTrigger',
					typeVersion: 1,
					position: [0, 0],
					parameters: { pollTimes: { item: [everyMinute] }, output: 'raw' },
					credentials: using(credential),
				},
			],
			connections: {},
		});
		await activate(id);
		return id;
	}

	/** Publishing reads a whole list. If the rate limit is reached meanwhile, it asks to publish again later. */
	async function activate(id: string): Promise<void> {
		for (;;) {
			try {
				return await client.activate(id);
			} catch (error) {
				if (!String(error).includes('HTTP 429')) throw error;
				await sleep(10_000);
			}
		}
	}

	// What is filed before all are published is not news to every trigger: counting starts with the last of
	// them.
	await sleep(60_000);
	const filedBefore = sandbox.register.listings.length;
	const before = await Metrics.read(n8n.address);
	sandbox.requests.reset();
	const memory: number[] = [];
	await step(
		`Polling for ${minutes} minutes`,
		async () => {
			for (let minute = 0; minute < minutes; minute++) {
				await sleep(60_000);
				const metrics = await Metrics.read(n8n.address).catch(() => undefined);
				if (metrics) memory.push(metrics.sum('n8n_process_resident_memory_bytes'));
			}
		},
		() => `${memory.length} done, ${megabytes(memory.at(-1) ?? 0)}`,
	);
	const filed = sandbox.register.listings
		.slice(filedBefore)
		.filter(({ isNew, license }) => isNew && license.eventType === 'new_filing')
		.map(({ license }) => keyOf(license));
	const after = await Metrics.read(n8n.address);
	const requests = sandbox.requests.count;
	const refused = sandbox.requests.entries.filter(({ status }) => status === 429).length;

	const book = new EmissionBook();
	const count = () => book.count(workflows, filed);
	await step('Counting', async () => {
		// What turns up late, below page one, comes with a full reading: a list of twenty pages has one in twenty minutes.
		for (let patience = 90; patience > 0; patience--) {
			// A busy n8n may say that its database is not ready. What is not counted now is counted next time.
			const counted = await book.update(client, workflows).then(count, () => undefined);
			if (counted?.lost === 0) return;
			await sleep(20_000);
		}
	});

	const duration = 'n8n_poll_trigger_duration_seconds';
	const grown = (name: string) => after.sum(name) - before.sum(name);
	const polls = grown(`${duration}_count`);
	const { lost, repeated } = count();
	const half = Math.ceil(memory.length / 2);
	const rows = [
		['Scheduler', values.durable ? 'durable, with durable cursors' : 'in-memory'],
		['Events × triggers', `${filed.length} × ${triggers}`],
		['Emitted', String(filed.length * triggers - lost)],
		['Lost', String(lost)],
		['Repeated', String(repeated)],
		['Requests in the time', String(requests)],
		['Of these refused (429) and retried', String(refused)],
		['Polls', String(polls)],
		['Mean duration of a poll', `${((grown(`${duration}_sum`) / polls) * 1000).toFixed(0)} ms`],
		['99 % of polls took at most', `${after.quantile(duration, 0.99)} s`],
		['Polls that failed', String(grown('n8n_poll_trigger_errors_total'))],
		['Polls over their budget', String(grown('n8n_poll_trigger_timeouts_total'))],
		['Memory of n8n, first half (median)', megabytes(median(memory.slice(0, half)))],
		['Memory of n8n, second half (median)', megabytes(median(memory.slice(half)))],
	];
	const text = `${triggers} published trigger workflows in one n8n, each polling every minute for ${minutes} minutes, with one key of a plan that allows 600 requests a minute, on a machine that also ran the service. Durations, failures and memory are n8n's own measurements (\`/metrics\`). Made by \`npm run test:load -- --triggers ${triggers} --minutes ${minutes}\`.

${table(['what', 'how much'], rows)}`;
	await writeSection(values.durable ? 'Load, durable scheduler' : 'Load', text);
	console.log(text);
	if (lost + repeated > 0) process.exitCode = 1;
} finally {
	await n8n.stop();
	await sandbox.close();
}

function megabytes(bytes: number): string {
	return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
