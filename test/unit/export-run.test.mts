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
			licenseType: 'COP',
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

it.each([
	['nothing', {}, ''],
	['two values', { counties: ['Miami-Dade', 'St. Lucie'] }, '-miami-dade-st-lucie'],
	['many values', { counties: ['Bay', 'Clay', 'Lee', 'Leon', 'Levy'] }, '-5-counties'],
	['several filters', { counties: ['Lee'], licenseTypes: ['COP', 'SRX'] }, '-lee-cop-srx'],
	['a group', { licenseTypes: ['allLiquor'] }, '-aps-bev-cop-srx'],
	['an event', { eventTypes: ['new_filing'] }, '-new-filing'],
	['a day', { filedAfter: '2026-07-01' }, '-filed-after-2026-07-01'],
	['a city and a ZIP code', { cities: 'Tampa', zipCodes: '33602' }, '-tampa-33602'],
	['a range of ZIP codes', { zipCodes: '33101-33199' }, '-33101-33199'],
	['a distance', { near: { area: { center: '33602', radius: 25 } } }, '-25-miles'],
	['words that are a path', { query: '../../etc' }, '-etc'],
	['words without end', { query: 'x'.repeat(200) }, `-${'x'.repeat(100)}`],
])('Export says in the name of the file what it is filtered by: %s', async (_, filters, words) => {
	const { json } = await run(0, { filters });
	expect(json.fileName).toMatch(/-\d{4}-\d\d-\d\d\.csv$/);
	expect(String(json.fileName).slice(0, -15)).toBe(`licenses${words}`);
});
