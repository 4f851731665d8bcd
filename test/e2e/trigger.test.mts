import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExpectStatic, it } from 'vitest';
import type { Credential, Workflow } from '../../playground/client.mts';
import { type Crm, startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { forwarding } from './forwarding.mts';
import { everyTenSeconds, patiently, schedulers } from './schedulers.mts';
import { connectTo, openStage } from './stage.mts';

it.concurrent.for(Object.entries(schedulers))(
	'emits every event with the %s scheduler: across polls, restarts, a crash, a pause and changed filters',
	{ timeout: 900_000 },
	// With tests side by side, vitest knows only by its own `expect` which of them is speaking.
	async ([name, environment], { expect }) => {
		const sandbox = await createSandbox({ records: 500 });
		const everything = await openRecorder(name, 'everything');
		const selected = await openRecorder(name, 'selected');
		const stage = await openStage(`trigger-${name}`, environment);
		try {
			const credential = await connectTo(stage, {
				baseUrl: sandbox.baseUrl,
				apiKey: sandbox.keys.live,
			});
			const anyEvent = await stage.client.createWorkflow(
				watching('Everything', credential, everything, { eventTypes: [], filters: {} }),
			);
			const cop = { licenseType: 'COP', address: { county: 'Leon' } };
			const threeDaysAgo = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
			const srx = { licenseType: 'SRX', address: { county: 'Miami-Dade' } };
			const filtered = await stage.client.createWorkflow(
				watching('Selected', credential, selected, {
					eventTypes: ['new_filing'],
					filters: { counties: ['Miami-Dade', 'Broward'], licenseTypes: ['SRX', 'BEV'] },
				}),
			);
			const wanted: string[] = [];
			const want = (...licenses: Array<{ id: string }>) =>
				wanted.push(...licenses.map(({ id }) => id));

			// By default, a new process repeats what was emitted within the last few minutes.
			const once = (keys: string[]) => (name === 'durable' ? keys : [...new Set(keys)]);
			const allArrive = async () => {
				await expect
					.poll(() => once(emitted(everything)), patiently)
					.toEqual(sandbox.register.listings.map(({ license }) => key(license)).sort());
				await expect
					.poll(() => once(selected.book.leads.map(({ id }) => String(id))).sort(), patiently)
					.toEqual([...wanted].sort());
			};

			const activate = async () => {
				for (const { id } of [anyEvent, filtered]) await stage.client.activate(id);
			};

			// The first poll learns what is already there, and emits nothing.
			await activate();
			expect(sandbox.requests.count).toBeGreaterThanOrEqual(2);
			expect(everything.book.leads).toEqual([]);

			// More than a page at one moment, an update, a late arrival, and what the filters leave out.
			sandbox.register.fileMany(60, cop);
			want(sandbox.register.file(srx), sandbox.register.file({ ...srx, filedDate: threeDaysAgo }));
			sandbox.register.change(sandbox.register.all().at(-1)!.id, {
				eventType: 'status_change',
				status: 'suspended',
			});
			await allArrive();

			// What is filed while n8n is down comes when it is up again.
			await stage.restart(async () => {
				want(...sandbox.register.fileMany(3, srx));
			});
			await allArrive();

			// A crash saves nothing, but nothing is lost or repeated.
			await stage.crash(async () => {
				want(sandbox.register.file(srx));
				sandbox.register.file(cop);
			});
			await allArrive();

			// A pause is only a pause. Filters that let more through begin quietly with that, and lose nothing else.
			await stage.client.deactivate(anyEvent.id);
			await stage.client.deactivate(filtered.id);
			await nobodyPolls(sandbox, expect);
			want(sandbox.register.file(srx));
			sandbox.register.file(cop);
			await stage.client.changeWorkflow(
				filtered.id,
				watching('Selected', credential, selected, {
					eventTypes: ['new_filing'],
					filters: { counties: ['Miami-Dade', 'leon'], licenseTypes: ['SRX', 'COP'] },
				}),
			);
			await activate();
			await allArrive();

			want(sandbox.register.file(cop), sandbox.register.file(srx));
			await allArrive();
			await bothPoll(sandbox, expect);
			await allArrive();
		} finally {
			await stage.close();
			await everything.close();
			await selected.close();
			await sandbox.close();
		}
	},
);

async function openRecorder(scheduler: string, name: string): Promise<Crm> {
	const file = join(testFolder, `recorded-${scheduler}-${name}.jsonl`);
	await rm(file, { force: true });
	return await startCrm({ file });
}

/** A workflow that passes on whatever the trigger emits. */
const watching = (
	name: string,
	credential: Credential,
	recorder: Crm,
	parameters: Record<string, unknown>,
): Workflow =>
	forwarding(
		name,
		credential,
		{
			// With durable cursors, a node with another ID is another trigger.
			id: `trigger-${name}`,
			type: 'n8n-nodes-licensing-data.licensingDataTrigger',
			parameters: {
				pollTimes: everyTenSeconds,
				output: 'raw',
				...parameters,
			},
		},
		`${recorder.address}/leads`,
	);

interface Event {
	id: string;
	eventType: string | null;
	eventTimestamp: string | null;
}

const key = ({ id, eventType, eventTimestamp }: Event) => `${id} ${eventType} ${eventTimestamp}`;

const emitted = (recorder: Crm) =>
	(recorder.book.leads as unknown as Event[]).map((event) => key(event)).sort();

/**
 * n8n unpublishes a workflow some time after it says so. A poll that still has the old filters would see what
 * comes next, and what it has seen is not news for the new ones.
 */
async function nobodyPolls(sandbox: Sandbox, expect: ExpectStatic): Promise<void> {
	const askedWithinASchedule = async () => {
		sandbox.requests.reset();
		await sleep(11_000);
		return sandbox.requests.count;
	};
	await expect.poll(askedWithinASchedule, patiently).toBe(0);
}

/** Both workflows' triggers have polled once more; one of them asks only for new filings. */
async function bothPoll(sandbox: Sandbox, expect: ExpectStatic): Promise<void> {
	sandbox.requests.reset();
	const asked = (event: string) =>
		sandbox.requests.entries.filter(({ query }) => query.event_type === event).length;
	const haveBoth = () => asked('renewal') > 0 && asked('new_filing') > asked('renewal');
	await expect.poll(haveBoth, patiently).toBe(true);
}
