import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { exportFile } from '../../nodes/LicensingData/operations/export.operation.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	type File,
	jsonLines,
	MOST_IN_MEMORY,
	writeFile,
} from '../../nodes/LicensingData/output/files.ts';
import { keepFiles } from '../support/binary-data.mts';
import { ListService, runAction } from '../support/list-service.mts';
import { licenses } from '../support/records.mts';

/** Runs Export, and returns what it says about the file. */
async function run(count: number, parameters: IDataObject = {}, timeZone = 'UTC') {
	const service = new ListService(
		Array.from({ length: count }, (_, number) => ({
			id: `lic_${number}`,
			licenseType: 'COP',
			eventTimestamp: new Date((count - number) * 1e6).toISOString(),
		})),
	);
	const { helpers } = await keepFiles('on disk');
	const ran = await runAction(exportFile as OperationType, service, parameters, {
		helpers,
		timeZone,
	});
	const said: IDataObject = { ...ran.items[0]?.json, hints: ran.hints };
	return said;
}

it('Export names a file after the day at the place of the workflow', async () => {
	const day = (offset: number) =>
		new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 10);
	const [east, west] = [await run(1, {}, 'Etc/GMT-14'), await run(1, {}, 'Etc/GMT+12')];
	expect(east.fileName).toBe(`licenses-${day(14)}.csv`);
	expect(west.fileName).toBe(`licenses-${day(-12)}.csv`);
});

it('Export says of a file what is in it, and above the output what it took', async () => {
	const { hints, ...said } = await run(60, { fileName: '../leads\\bars.csv' });
	expect(said).toEqual({ fileName: '..-leads-bars.csv', count: 60 });
	expect(hints).toEqual([expect.stringMatching(/^Requests for this file: 2, in \d+\.\d seconds$/)]);
});

async function* pages(...given: Array<License[] | Error>): AsyncGenerator<License[]> {
	for (const page of given) {
		if (page instanceof Error) throw page;
		yield page;
	}
}

const file = (source: AsyncIterable<License[]>): File => ({
	pages: source,
	layout: { ...jsonLines, write: (license) => `${JSON.stringify(license)}\n` },
	fileName: 'licenses.jsonl',
	mimeType: 'application/jsonl',
});

it.each(['on disk', 'in memory'] as const)(
	'A file that n8n keeps %s is not there where reading fails on the way',
	async (where) => {
		const store = await keepFiles(where);
		const gone = new Error('The service is gone');
		await expect(writeFile(store, file(pages(licenses(2000), gone)))).rejects.toBe(gone);
		expect(await store.files()).toEqual([]);
	},
);

it('A file that is larger than memory should hold is refused with a way out where n8n would collect it there', async () => {
	const store = await keepFiles('in memory');
	let read = 0;
	async function* large() {
		// One megabyte per page.
		for (; read < MOST_IN_MEMORY / 1e6 + 8; read++) yield [{ businessName: 'x'.repeat(1_000_000) }];
	}
	await expect(writeFile(store, file(large()))).rejects.toMatchObject({
		message: 'The file grew larger than the 64 MB that n8n can safely hold in memory',
		description: expect.stringContaining('N8N_DEFAULT_BINARY_DATA_MODE=filesystem'),
	});
	expect(read).toBeLessThan(MOST_IN_MEMORY / 1e6 + 8);
});
