import type { Job, Reading } from './export/process.mts';
import { HTTP_REQUEST, WAYS } from './export/ways.mts';
import { unpackPackage } from './n8n/package.mts';
import { startWorker } from './n8n/worker.mts';
import { startService } from './service/service.mts';
import type { Subject } from './subject.mts';
import { count, duration, ratio, table } from './table.mts';

/** Milliseconds that the service takes to answer. */
const DELAY = 20;

const script = new URL('export/process.mts', import.meta.url);

export const exported: Subject = {
	title: 'Export',
	async measure({ quick, progress }) {
		const folder = await unpackPackage();
		const records = quick ? 20_000 : 100_000;
		const service = await startService({ records, delay: DELAY });
		const source = { baseUrl: service.baseUrl, key: service.key, records };
		const found: Array<[way: string, requests: number, reading?: Reading]> = [];
		try {
			for (const way of WAYS) {
				const worker = await startWorker<Job, Reading>(script, folder);
				await service.countRequests();
				const reading = await worker.do({ way, source }).catch((error: Error) => {
					progress(`${way}: ${error.message}`);
					return undefined;
				});
				await worker.stop();
				found.push([way, await service.countRequests(), reading]);
				progress(`${way} ${duration(reading?.milliseconds ?? Number.NaN)}`);
			}
		} finally {
			await service.stop();
		}
		return [
			'All licenses in one CSV file, each time in a fresh process with the n8n that the playground installs, which ' +
				'keeps files on disk. Memory is what the process took above n8n itself. Every file was read back and held ' +
				'each license once. One of the two largest types is read page by page, as some of its licenses name no county.',
			`### ${count(records)} records, ${DELAY} ms an answer`,
			table(COLUMNS, rowsFrom(found)),
		].join('\n\n');
	},
};

const COLUMNS = [
	'way',
	'time',
	'times faster than HTTP Request',
	'peak memory',
	'of HTTP Request',
	'file',
	'requests',
];

function rowsFrom(found: Array<[way: string, requests: number, reading?: Reading]>): string[][] {
	const usual = found.find(([way]) => way === HTTP_REQUEST)?.[2];
	const [usualTime, usualMemory] = [usual?.milliseconds ?? Number.NaN, memoryOf(usual)];
	return found.map(([way, requests, reading]) =>
		reading === undefined
			? [way, '–', '–', 'did not end', '–', '–', '–']
			: [
					way,
					duration(reading.milliseconds),
					ratio(usualTime / reading.milliseconds),
					`${memoryOf(reading).toFixed(0)} MB`,
					ratio(memoryOf(reading) / usualMemory),
					`${reading.size.toFixed(0)} MB`,
					count(requests),
				],
	);
}

const memoryOf = (reading?: Reading): number =>
	reading ? reading.peak - reading.before : Number.NaN;
