import fs, { cpSync, readdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

import { Days, folder, foods, transferred, type Fields } from './made-up-files.mts';

const before = foods(1000);
const after: Fields[] = [
	...transferred(before.slice(5, 105)),
	...before.slice(105, 205).map((row) => ({ ...row, 'License Expiry Date': '10/01/2026' })),
	...before.slice(205),
	...foods(50, 2000),
];

/** What is remembered of each license, whatever the order. */
const remembered = async (days: Days): Promise<string[]> =>
	[...(await days.open()).licenses.values()].map((one) => JSON.stringify(one)).sort();

type Calls = Record<string, (...given: unknown[]) => unknown>;
const CHANGES = ['mkdir', 'open', 'write', 'writev', 'fsync', 'close', 'rename', 'rm'];

/** Runs until it is about to change the folder once more than that: all that follows never happens. */
async function untilChange(count: number, run: () => Promise<unknown>): Promise<boolean> {
	let left = count;
	let stop = () => {};
	const stopped = new Promise<boolean>((resolve) => (stop = () => resolve(false)));
	const restores = [fs, fs.promises].flatMap((owner) =>
		CHANGES.map((name) => {
			const calls = owner as unknown as Calls;
			const { [name]: real } = calls;
			if (!real) return () => {};
			calls[name] = (...given) => {
				if (left-- > 0) return real.apply(owner, given);
				stop();
				return new Promise(() => {});
			};
			return () => (calls[name] = real);
		}),
	);
	syncBuiltinESMExports();
	try {
		return await Promise.race([stopped, run().then(() => true)]);
	} finally {
		for (const restore of restores) restore();
		syncBuiltinESMExports();
	}
}

it('A refresh stopped before any change of a file has happened, or has not', async () => {
	const days = new Days();
	const { data } = days;
	const take = async () => await days.refresh('2025-07-08', { hrfood1: after });
	await days.refresh('2025-07-01', { hrfood1: before });
	const base = folder();
	cpSync(data, base, { recursive: true });
	await take();
	const [old, events] = [await remembered(new Days(base)), await remembered(days)];
	expect(events.filter((one) => one.includes('"at":"2025-07-08"'))).toHaveLength(100 + 100 + 50);

	const happened: boolean[] = [];
	for (let isDone = false; !isDone; ) {
		rmSync(data, { recursive: true });
		cpSync(base, data, { recursive: true });
		isDone = await untilChange(happened.length, take);
		const found = await remembered(days);
		happened.push(found.join() === events.join());
		if (!happened.at(-1)) expect(found).toEqual(old);
		// The next run finishes it, with the same events at the same times, and leaves nothing lying about.
		await take();
		expect(await remembered(days)).toEqual(events);
		const left = readdirSync(join(data, 'snapshots'));
		expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
	}
	expect(happened.length).toBeGreaterThan(6);
});
