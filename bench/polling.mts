import { unpackPackage } from './n8n/package.mts';
import { startWorker, type Worker } from './n8n/worker.mts';
import type { Job, Polled } from './polling/process.mts';
import { startService, type Service } from './service/service.mts';
import type { Settings, Subject } from './subject.mts';
import { count, duration, median, table } from './table.mts';

const script = new URL('polling/process.mts', import.meta.url);

const POLLS = 10;

const KINDS = {
	silent: 'nothing new',
	fifty: '50 new',
};
type Kind = keyof typeof KINDS;

type Found = Record<Kind, Array<Polled & { requests: number }>>;

export const polling: Subject = {
	title: 'Polling',
	async measure(settings) {
		const folder = await unpackPackage();
		const sizes = settings.quick ? [1000, 100_000] : [1000, 100_000, 1_000_000];
		const found = new Map<number, Found>();
		for (const records of sizes) found.set(records, await pollsOf(records, folder, settings));
		const rows = Object.entries(KINDS).flatMap(([kind, name]) =>
			[...found].map(([records, polls]) => {
				const these = polls[kind as Kind];
				return [
					name,
					count(records),
					duration(median(these.map(({ milliseconds }) => milliseconds))),
					count(median(these.map(({ requests }) => requests))),
					count(median(these.map(({ events }) => events))),
				];
			}),
		);
		return [
			"The polling trigger under n8n-core's own PollContext, new filings, against the sandbox at 0 ms an answer; medians. The 50 are new a day after the last poll.",
			table(['poll', 'records', 'time', 'requests', 'events'], rows),
		].join('\n\n');
	},
};

async function pollsOf(
	records: number,
	folder: string,
	{ quick, progress }: Settings,
): Promise<Found> {
	const found: Found = { silent: [], fifty: [] };
	const rounds = quick ? 1 : 5;
	const worker = await startWorker<Job, Polled>(script, folder);
	try {
		for (let round = 1; round <= rounds; round++) {
			const service = await startService({ records });
			await pollOnce(service, worker, found);
			await service.stop();
			progress(`${count(records)} records: round ${round} of ${rounds}`);
		}
	} finally {
		await worker.stop();
	}
	return found;
}

async function pollOnce(
	service: Service,
	worker: Worker<Job, Polled>,
	found: Found,
): Promise<void> {
	const poll = async (hoursLater?: number) => {
		await service.countRequests();
		const polled = await worker.do({ do: 'poll', hoursLater });
		return { ...polled, requests: await service.countRequests() };
	};
	const { baseUrl, key } = service;
	await worker.do({ do: 'activate', baseUrl, key });
	await poll();
	for (let turn = 1; turn <= POLLS; turn++) found.silent.push(await poll());
	await service.file(50);
	// A list of many pages is not read in full again within minutes.
	found.fifty.push(await poll(24));
}
