import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { exportFile } from '../../nodes/LicensingData/actions/export.ts';
import { keepFiles } from '../support/binary-data.mts';
import { ListService, runAction } from '../support/list-service.mts';

/** Runs Export, and returns what it says about the file, and what it logged. */
async function run(count: number, parameters: IDataObject = {}, timeZone = 'UTC') {
	const service = new ListService(
		Array.from({ length: count }, (_, number) => ({
			id: `lic_${number}`,
			eventTimestamp: new Date((count - number) * 1e6).toISOString(),
		})),
	);
	const { helpers } = await keepFiles('on disk');
	const ran = await runAction(exportFile as Action, service, parameters, { helpers, timeZone });
	return { json: ran.items[0]?.json ?? {}, log: ran.log };
}

it('Export says in the log how far it is, every 10,000 licenses', async () => {
	const { json, log } = await run(20_500, { fileName: 'florida.csv' });
	expect(json.count).toBe(20_500);
	expect(log).toEqual([
		'Export has written 10,000 licenses to florida.csv',
		'Export has written 20,000 licenses to florida.csv',
	]);
});

it('Export names a file after the day at the place of the workflow', async () => {
	const day = (offset: number) =>
		new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 10);
	const [east, west] = [await run(1, {}, 'Etc/GMT-14'), await run(1, {}, 'Etc/GMT+12')];
	expect(east.json.fileName).toBe(`licenses-${day(14)}.csv`);
	expect(west.json.fileName).toBe(`licenses-${day(-12)}.csv`);
});
