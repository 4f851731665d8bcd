import { type Case, subjectOf } from './cases.mts';
import { startWorker } from './n8n/worker.mts';
import type { Job, Reading } from './get-many/process.mts';
import { WAYS } from './get-many/ways.mts';
import { startService } from './service/service.mts';
import type { Settings } from './subject.mts';
import { count, duration, median, ratio } from './table.mts';

const casesFor = ({ quick }: Settings): Case[] =>
	(quick ? [1000] : [20_000, 100_000]).map((records) => ({
		records,
		delay: 20,
		rounds: records < 100_000 ? 3 : 1,
	}));

const script = new URL('get-many/process.mts', import.meta.url);

export const getMany = subjectOf({
	title: 'Get Many',
	introduction:
		'The whole list, page by page of 50, out of the sandbox in a process of its own. All ways run in one ' +
		'warm process with the n8n that the playground installs, in turns; times are medians over the ' +
		"rounds. Get Many gives 'Raw', so that everybody brings the same records.",
	casesFor,
	columns: ['way', 'time', 'times faster than HTTP Request', 'requests'],
	rowsOf,
});

async function rowsOf(
	{ records, delay, rounds }: Case,
	folder: string,
	roundDone: (round: number) => void,
): Promise<string[][]> {
	const service = await startService({ records, delay });
	const worker = await startWorker<Job, Reading>(script, folder);
	const source = { baseUrl: service.baseUrl, key: service.key, records };
	const readings = new Map(WAYS.map((way) => [way, { times: [] as number[], requests: 0 }]));
	try {
		const warmUp = { ...source, records: Math.min(records, 1000) };
		for (const way of WAYS) await worker.do({ way, source: warmUp });
		for (let round = 1; round <= rounds; round++) {
			for (const [way, reading] of readings) {
				await service.countRequests();
				const { milliseconds } = await worker.do({ way, source });
				reading.times.push(milliseconds);
				reading.requests = await service.countRequests();
			}
			roundDone(round);
		}
	} finally {
		await worker.stop();
		await service.stop();
	}

	const usual = median(readings.get(WAYS[1])?.times ?? []);
	return [...readings].map(([way, { times, requests }]) => [
		way,
		duration(median(times)),
		ratio(usual / median(times)),
		count(requests),
	]);
}
