import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { holderKey } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { createSandbox, type License } from '../../sandbox/index.mts';
import { forwarding } from './forwarding.mts';
import { everyTenSeconds, schedulers } from './schedulers.mts';
import { connectTo, openStage } from './stage.mts';

const COUNTY = 'Miami-Dade';
/** A full reading of some pages is followed by as many minutes without one. */
const aDay = { timeout: 900_000, interval: 1000 };

it.concurrent.for(Object.entries(schedulers))(
	"brings each new license of a county's week once with the %s scheduler, killed on three days and restarted on two",
	{ timeout: 7_200_000 },
	async ([name, environment], { expect }) => {
		const sandbox = await createSandbox({ records: 3000, rates: { liquorADay: 40, foodADay: 15 } });
		const file = join(testFolder, `week-${name}.jsonl`);
		await rm(file, { force: true });
		const crm = await startCrm({ file });
		const stage = await openStage(`week-${name}`, environment);
		try {
			const credential = await connectTo(stage, sandbox.credentials);
			const trigger = {
				id: 'the-trigger',
				type: 'n8n-nodes-licensing-data.licensingDataTrigger',
				parameters: {
					pollTimes: everyTenSeconds,
					output: 'raw',
					eventTypes: ['new_filing'],
					filters: { counties: [COUNTY] },
				},
			};
			const { id } = await stage.client.createWorkflow(
				forwarding('A week', credential, trigger, `${crm.address}/leads`),
			);
			await stage.client.activate(id);

			const listed = () =>
				sandbox.register.all({ event_type: 'new_filing', county: COUNTY }).map(nameOf);
			const came = () => (crm.book.leads as unknown as License[]).map(nameOf);
			const old = new Set(listed());
			const news = new Set<string>();
			for (let day = 1; day <= 7; day++) {
				const nextDay = async () => {
					sandbox.register.advance();
					for (const license of listed()) if (!old.has(license)) news.add(license);
				};
				if (day % 2 === 0) await stage.crash(nextDay);
				else if (day === 3 || day === 7) await stage.restart(nextDay);
				else await nextDay();
				await expect
					.poll(() => [...news].filter((license) => !came().includes(license)), aDay)
					.toEqual([]);
			}
			expect(news.size).toBeGreaterThan(20);
			expect(came().filter((license) => old.has(license))).toEqual([]);
			// In n8n's default mode, a new process repeats what was emitted within the last five minutes.
			const once = name === 'durable' ? came() : [...new Set(came())];
			expect(once.sort()).toEqual([...news].sort());
		} finally {
			await stage.close();
			await crm.close();
			await sandbox.close();
		}
	},
);

const nameOf = ({ id, legalName }: License): string =>
	JSON.stringify([id, holderKey({ legalName })]);
