import { setTimeout as sleep } from 'node:timers/promises';
import { it } from 'vitest';
import { forwarding } from './forwarding.mts';
import { everyTenSeconds, patiently, schedulers } from './schedulers.mts';
import { openScene } from './stage.mts';

interface Event {
	id: string;
	eventType: string | null;
	eventTimestamp: string | null;
}

const key = ({ id, eventType, eventTimestamp }: Event) => `${id} ${eventType} ${eventTimestamp}`;

it.concurrent.for(Object.entries(schedulers))(
	'emits every event once with the %s scheduler, across restarts, a crash and a pause',
	{ timeout: 900_000 },
	// With tests side by side, vitest knows only by its own `expect` which of them is speaking.
	async ([name, environment], { expect }) => {
		const scene = await openScene(`trigger-${name}`, { records: 500 }, environment);
		const { sandbox, crm, stage } = scene;
		const { register, requests } = sandbox;
		const { id } = await stage.client.createWorkflow(
			forwarding(
				'Everything',
				scene.credential,
				{
					// With durable cursors, a node with another ID is another trigger.
					id: 'the-trigger',
					type: 'n8n-nodes-licensing-data.licensingDataTrigger',
					parameters: { pollTimes: everyTenSeconds, output: 'raw', eventTypes: [] },
				},
				crm.leadsAddress,
			),
		);
		const emitted = () => {
			const keys = (crm.book.leads as unknown as Event[]).map(key);
			// By default, a new process repeats what was emitted within the last few minutes.
			return (name === 'durable' ? keys : [...new Set(keys)]).sort();
		};
		const allArrive = async () =>
			await expect
				.poll(emitted, patiently)
				.toEqual(register.listings.map(({ license }) => key(license)).sort());
		/** Of one round of the schedule. */
		const polls = async () => {
			requests.reset();
			await sleep(11_000);
			return requests.count;
		};
		try {
			// The first poll learns what is already there, and emits nothing.
			await stage.client.activate(id);
			expect(requests.count).toBeGreaterThan(0);
			expect(crm.book.leads).toEqual([]);

			// More than a page at one moment, an update, and a late arrival.
			register.fileMany(60);
			register.file({
				filedDate: new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10),
			});
			const change = { eventType: 'status_change', status: 'suspended' };
			register.change(register.all().at(-1)!.id, change);
			await allArrive();

			await stage.restart(async () => void register.fileMany(3));
			await allArrive();
			await stage.crash(async () => void register.file());
			await allArrive();

			// n8n unpublishes a workflow some time after it says so.
			await stage.client.deactivate(id);
			await expect.poll(polls, patiently).toBe(0);
			register.file();
			await stage.client.activate(id);
			await allArrive();
			await expect.poll(polls, patiently).toBeGreaterThan(0);
			await allArrive();
		} finally {
			await scene.close();
		}
	},
);
