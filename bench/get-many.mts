import { MOST_AT_ONCE } from '../nodes/LicensingData/transport/concurrency.ts';
import { type Case, subjectOf } from './cases.mts';
import { startWorker } from './n8n/worker.mts';
import type { Job, Reading } from './get-many/process.mts';
import { HTTP_REQUEST, nameOf, RUNNERS, script } from './get-many/runners.mts';
import type { Way } from './get-many/ways.mts';
import { startService } from './service/service.mts';
import type { Settings } from './subject.mts';
import { count, duration, median, ratio } from './table.mts';

/** Long waits make long runs with little noise, so they need fewer rounds. */
const roundsFor = (records: number, delay: number): number =>
	records * (delay + 3) > 1_000_000 ? 1 : records * (delay + 3) > 300_000 ? 3 : 5;

const casesFor = ({ quick }: Settings): Case[] =>
	(quick ? [1000, 20_000] : [1000, 20_000, 100_000]).flatMap((records) =>
		[0, 20].map((delay) => ({
			records,
			delay,
			rounds: quick ? 3 : roundsFor(records, delay),
		})),
	);

export const getMany = subjectOf({
	title: 'Get Many',
	introduction:
		'The whole list, page by page of 50, out of the sandbox in a process of its own. All ways run in one ' +
		'warm process with the n8n that the playground installs, in turns; times are medians over the ' +
		"rounds. Get Many gives 'Raw', so that everybody brings the same records.",
	casesFor,
	columns: [
		'way',
		'time',
		'times faster than HTTP Request',
		'of the loop',
		'of the limit',
		"of n8n's limit",
		'processor',
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
	const worker = await startWorker<Job, Reading>(script, folder);
	const source = { baseUrl: service.baseUrl, key: service.key, records };
	const readings = new Map(
		RUNNERS.map((runner) => [runner, { times: [] as number[], cpu: [] as number[], requests: 0 }]),
	);
	try {
		const warmUp = { ...source, records: Math.min(records, 1000) };
		for (const runner of RUNNERS) await worker.do({ ...runner, source: warmUp });
		for (let round = 1; round <= rounds; round++) {
			for (const [runner, reading] of readings) {
				await service.countRequests();
				const { milliseconds, cpu } = await worker.do({ ...runner, source });
				reading.times.push(milliseconds);
				reading.cpu.push(cpu);
				reading.requests = await service.countRequests();
			}
			roundDone(round);
		}
	} finally {
		await worker.stop();
		await service.stop();
	}

	const timeOf = (way: Way, parallel: number): number => {
		const runner = RUNNERS.find((one) => one.way === way && one.parallel === parallel);
		return median((runner && readings.get(runner)?.times) ?? []);
	};
	return [...readings].map(([runner, { times, cpu, requests }]) => {
		const time = median(times);
		const { parallel = MOST_AT_ONCE } = runner;
		const limit = parallel === 1 ? timeOf('fetch loop', 1) : timeOf('limit', parallel);
		const limitInN8n = parallel === MOST_AT_ONCE && time / timeOf('limit in n8n', parallel);
		return [
			nameOf(runner),
			duration(time),
			ratio(timeOf(HTTP_REQUEST.way, 1) / time),
			ratio(time / timeOf('fetch loop', 1)),
			ratio(time / limit),
			limitInN8n ? ratio(limitInN8n) : '',
			duration(median(cpu)),
			count(requests),
		];
	});
}
