import { type Case, subjectOf } from './cases.mts';
import type { Job, Reading } from './export/process.mts';
import { HTTP_REQUEST, WAYS } from './export/ways.mts';
import { startWorker } from './n8n/worker.mts';
import { startService } from './service/service.mts';
import type { Settings } from './subject.mts';
import { count, duration, median, ratio } from './table.mts';

const casesFor = ({ quick }: Settings): Case[] => [
	{ records: quick ? 20_000 : 100_000, delay: 20, rounds: 1 },
];

const script = new URL('export/process.mts', import.meta.url);

export const exported = subjectOf({
	title: 'Export',
	introduction:
		'All licenses in one CSV file, each time in a fresh process with the n8n that the playground installs, which ' +
		'keeps files on disk; medians over the rounds. Memory is what the process took above n8n itself. Every ' +
		'file was read back and held each license once.',
	casesFor,
	columns: [
		'way',
		'time',
		'times faster than HTTP Request',
		'peak memory',
		'of HTTP Request',
		'file',
		'requests',
	],
	rowsOf,
});

async function rowsOf(
	{ records, delay, rounds }: Case,
	folder: string,
	roundDone: (round: number) => void,
): Promise<string[][]> {
	const service = await startService({ records, delay });
	const source = { baseUrl: service.baseUrl, key: service.key, records };
	const readings = new Map(WAYS.map((way) => [way, [] as Reading[]]));
	const requests = new Map<string, number>();
	try {
		for (let round = 1; round <= rounds; round++) {
			for (const [way, found] of readings) {
				const worker = await startWorker<Job, Reading>(script, folder);
				await service.countRequests();
				try {
					found.push(await worker.do({ way, source }));
				} catch (error) {
					console.error(`${way}: ${(error as Error).message}`);
				} finally {
					await worker.stop();
				}
				requests.set(way, await service.countRequests());
			}
			roundDone(round);
		}
	} finally {
		await service.stop();
	}

	const timeOf = (found: Reading[]) => median(found.map(({ milliseconds }) => milliseconds));
	const memoryOf = (found: Reading[]) => median(found.map(({ peak, before }) => peak - before));
	const usual = readings.get(HTTP_REQUEST) ?? [];
	return [...readings].map(([way, found]) =>
		found.length < rounds
			? [way, '–', '–', 'did not end', '–', '–', '–']
			: [
					way,
					duration(timeOf(found)),
					ratio(timeOf(usual) / timeOf(found)),
					`${memoryOf(found).toFixed(0)} MB`,
					ratio(memoryOf(found) / memoryOf(usual)),
					`${median(found.map(({ size }) => size)).toFixed(0)} MB`,
					count(requests.get(way) ?? 0),
				],
	);
}
