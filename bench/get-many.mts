import type { SandboxOptions } from '../sandbox/index.mts';
import type { Job, Reading } from './get-many/process.mts';
import { WAYS, type Way } from './get-many/ways.mts';
import { unpackPackage } from './n8n/package.mts';
import { startWorker } from './n8n/worker.mts';
import { startService } from './service/service.mts';
import type { Settings, Subject } from './subject.mts';
import { count, duration, ratio, table } from './table.mts';

const PAGE = 50;
const GET_MANY = WAYS[0];

/** A list as one meets it. */
interface Shape {
	name: string;
	options: SandboxOptions;
	county?: string;
	/** How many licenses of the largest type name no county. */
	lost?: number;
	ways?: readonly Way[];
}

/** The state's food licenses: one type is almost three quarters of them. */
const foodOnly = { liquor: 0, liquorADay: 0, groceries: 0, foodADay: 0 };
const food = (records: number, more: SandboxOptions = {}): SandboxOptions => ({
	records,
	rates: foodOnly,
	delay: 200,
	rateLimits: 'plan3000',
	...more,
});

const shapesFor = ({ quick }: Settings): Shape[] => {
	const all = quick ? 5_000 : 52_646;
	return [
		{ name: `${count(all)} licenses, 3,000 requests a minute`, options: food(all) },
		{
			name: `${count(all)}, of which ten of the largest type name no county`,
			options: food(all),
			lost: 10,
			ways: [GET_MANY],
		},
		{
			name: `${count(all)}, 120 requests a minute`,
			options: food(all, { rateLimits: 'plan120' }),
			ways: [GET_MANY],
		},
		{ name: 'One county of them', options: food(all), county: 'Miami-Dade' },
		{ name: '1,000 licenses', options: food(1_000) },
	];
};

const script = new URL('get-many/process.mts', import.meta.url);

export const getMany: Subject = {
	title: 'Get Many',
	async measure(settings) {
		const folder = await unpackPackage();
		const parts = [
			'The whole list, out of the sandbox in a process of its own that takes 200 ms an answer. Each way runs once, ' +
				'in a fresh process with the n8n that the playground installs, after a warm-up of one page. Get Many gives ' +
				"'Raw', so that all bring the same records. The least are the requests of a list read page by page of 50; " +
				'memory is what the process took at its peak above what it had before.',
		];
		for (const shape of shapesFor(settings))
			parts.push(`### ${shape.name}`, await measured(shape, folder, settings.progress));
		return parts.join('\n\n');
	},
};

async function measured(shape: Shape, folder: string, progress: Settings['progress']) {
	const { options, county, lost = 0, ways = WAYS } = shape;
	const service = await startService(options);
	const found: Array<[way: Way, requests: number, reading: Reading]> = [];
	const records = await service.prepare({ lost, county });
	try {
		for (const way of ways) {
			const source = { baseUrl: service.baseUrl, key: service.key, county, records };
			const worker = await startWorker<Job, Reading>(script, folder);
			await service.countRequests();
			const reading = await worker.do({ way, source });
			found.push([way, await service.countRequests(), reading]);
			await worker.stop();
			progress(`${shape.name}: ${way} ${duration(reading.milliseconds)}`);
		}
	} finally {
		await service.stop();
	}
	const least = Math.ceil(records / PAGE);
	const loop = found.find(([way]) => way === WAYS[1])?.[2].milliseconds ?? Number.NaN;
	return table(
		['way', 'time', 'times as fast as a plain loop', 'requests', 'above the least', 'memory'],
		found.map(([way, requests, { milliseconds, memory }]) => [
			way,
			duration(milliseconds),
			ratio(loop / milliseconds),
			count(requests),
			`${((requests / least - 1) * 100).toFixed(1)} %`,
			`${Math.round(memory / 1e6)} MB`,
		]),
	);
}
