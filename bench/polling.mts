import { unpackPackage } from './n8n/package.mts';
import { startWorker, type Worker } from './n8n/worker.mts';
import type { Job, Polled } from './polling/process.mts';
import { startService, type Service } from './service/service.mts';
import type { Settings, Subject } from './subject.mts';
import { count, duration, median, table } from './table.mts';

const script = new URL('polling/process.mts', import.meta.url);

/** One poll in ten also looks back, for events that arrived late. */
const POLLS = 10;

const KINDS = {
	silent: 'nothing new',
	lookingBack: 'nothing new, each tenth poll, which looks back a day',
	fifty: '50 new',
	many: '2,500 new',
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
			"The polling trigger under n8n-core's own PollContext, any event, against the sandbox at 0 ms an answer; medians.",
			table(['poll', 'records', 'time', 'requests', 'events'], rows),
		].join('\n\n');
	},
};

async function pollsOf(
	records: number,
	folder: string,
	{ quick, progress }: Settings,
): Promise<Found> {
	const found: Found = { silent: [], lookingBack: [], fifty: [], many: [] };
	const rounds = quick ? 1 : 5;
	const worker = await startWorker<Job, Polled>(script, folder);
	try {
		for (let round = 1; round <= rounds; round++) {
			// New each time: what one round files would be within the day that the next one looks back.
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
	const poll = async () => {
		await service.countRequests();
		const polled = await worker.do({ do: 'poll' });
		return { ...polled, requests: await service.countRequests() };
	};
	const { baseUrl, key } = service;
	await worker.do({ do: 'activate', baseUrl, key });
	await poll();
	const polls: Array<Polled & { requests: number }> = [];
	for (let turn = 1; turn <= POLLS; turn++) polls.push(await poll());
	polls.sort((a, b) => a.requests - b.requests);
	found.lookingBack.push(...polls.splice(-1));
	found.silent.push(...polls);
	await service.file(50);
	found.fifty.push(await poll());
	await service.file(2500);
	found.many.push(await poll());
}
