import type { Job, Reading } from './get-many/process.mts';
import { HTTP_REQUEST, nameOf, RUNNERS, script } from './get-many/runners.mts';
import { unpackPackage } from './n8n/package.mts';
import { startWorker } from './n8n/worker.mts';
import { startService } from './service/service.mts';
import type { Subject } from './subject.mts';
import { count, median, ratio, table } from './table.mts';

export const memory: Subject = {
	title: 'Peak memory of Get Many',
	async measure({ quick, progress }) {
		const rounds = quick ? 1 : 5;
		const records = quick ? 20_000 : 100_000;
		const folder = await unpackPackage();
		const service = await startService({ records });
		const source = { baseUrl: service.baseUrl, key: service.key, records };
		const peaks = new Map(RUNNERS.map((runner) => [runner, [] as number[]]));
		try {
			for (let round = 1; round <= rounds; round++) {
				for (const [runner, found] of peaks) {
					const worker = await startWorker<Job, Reading>(script, folder);
					const { peak, before } = await worker.do({ ...runner, source });
					found.push(peak - before);
					await worker.stop();
				}
				progress(`round ${round} of ${rounds}`);
			}
		} finally {
			await service.stop();
		}
		const most = median(peaks.get(HTTP_REQUEST) ?? []);
		return [
			`The whole list of ${count(records)} records, each time in a fresh process, above what n8n itself takes, at 0 ms an answer; medians of ${rounds}.`,
			table(
				['way', 'peak', 'of HTTP Request'],
				[...peaks].map(([runner, found]) => [
					nameOf(runner),
					`${median(found).toFixed(0)} MB`,
					ratio(median(found) / most),
				]),
			),
		].join('\n\n');
	},
};
