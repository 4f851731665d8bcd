import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { createSandbox } from '../../sandbox/index.mts';
import { forwarding } from './forwarding.mts';
import { everyTenSeconds, patiently, schedulers } from './schedulers.mts';
import { openStage, outside } from './stage.mts';

/** An n8n that somebody else has started runs them in its own way. */
const ways = Object.entries(outside === undefined ? schedulers : { outside: {} });

it.concurrent.for(ways)(
	'asks nothing for as long as the service asks, on any page, and then goes on (%s scheduler)',
	{ timeout: 900_000 },
	async ([name, environment], { expect }) => {
		const sandbox = await createSandbox({ records: 100, rateLimits: 'off' });
		const file = join(testFolder, `rate-limit-${name}.jsonl`);
		await rm(file, { force: true });
		const recorder = await startCrm({ file });
		const stage = await openStage(`rate-limit-${name}`, environment);
		try {
			const watching = async (key: 'live' | 'test', eventTypes: string[]) => {
				const credential = await stage.client.saveCredential(
					`Rate limit, ${key} key`,
					'licensingDataApi',
					{ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys[key] },
				);
				const parameters = { pollTimes: everyTenSeconds, eventTypes, filters: {}, output: 'raw' };
				const type = 'n8n-nodes-licensing-data.licensingDataTrigger';
				const trigger = { id: `trigger-${key}`, type, parameters };
				const { id } = await stage.client.createWorkflow(
					forwarding(`Rate limit, ${key} key`, credential, trigger, `${recorder.address}/leads`),
				);
				await stage.client.activate(id);
			};
			// The one is limited. The other has another key, and says how often n8n polls meanwhile.
			await watching('live', ['new_filing']);
			await watching('test', ['renewal']);
			const isLimited = ({ query }: { query: Record<string, unknown> }) =>
				query.event_type === 'new_filing';
			const asked = () => sandbox.requests.entries.filter(isLimited).length;
			const otherPolls = () => sandbox.requests.entries.length - asked();
			const arrived = () => recorder.book.leads.map(({ id }) => String(id)).sort();

			const filed: string[] = [];
			for (const [retryAfter, withCursor, count, polls] of [
				[120, false, 1, 10],
				[70, true, 60, 5],
			] as const) {
				filed.push(...sandbox.register.fileMany(count).map(({ id }) => id));
				sandbox.trouble.next({ kind: 'rateLimit', retryAfter }, { withCursor, where: isLimited });
				await expect.poll(() => sandbox.trouble.pending, patiently).toBe(0);
				sandbox.requests.reset();
				await expect.poll(otherPolls, patiently).toBeGreaterThanOrEqual(polls);
				expect(asked()).toBe(0);
				await expect.poll(arrived, patiently).toEqual([...filed].sort());
			}
		} finally {
			await stage.close();
			await recorder.close();
			await sandbox.close();
		}
	},
);
