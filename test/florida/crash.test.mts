import fs, { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { Memory } from '../../florida/memory.mts';
import { refresh } from '../../florida/acceptFiles.mts';
import { fileOf, folder, foods, holder, type Fields } from './state-files.mts';

const ROWS = 1000;
const before = foods(ROWS);
const after: Fields[] = [
	...before.slice(5).map((row, at) => {
		if (at % 10 === 0) return { ...row, 'Licensee Name': holder(ROWS + at) };
		return at % 10 === 1 ? { ...row, 'License Expiry Date': '10/01/2026' } : row;
	}),
	...foods(50, 1000 + ROWS),
];

async function take(data: string, rows: Fields[], day: string) {
	const path = join(folder(), 'hrfood1.csv');
	writeFileSync(path, fileOf('hrfood1', rows));
	return await refresh(await Memory.open(data), [{ source: 'hrfood1', path, day }]);
}

/** What is remembered of each license, whatever the order. */
async function remembered(data: string): Promise<string[]> {
	const { snapshot } = await Memory.open(data);
	return [...snapshot.licenses.values()].map((one) => JSON.stringify(one)).sort();
}

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
	const data = folder();
	await take(data, before, '2025-07-01');
	const base = folder();
	cpSync(data, base, { recursive: true });
	await take(data, after, '2025-07-08');
	const [old, events] = [await remembered(base), await remembered(data)];
	expect(events.filter((one) => one.includes('"at":"2025-07-08"'))).toHaveLength(100 + 100 + 50);

	const happened: boolean[] = [];
	for (let isDone = false; !isDone; ) {
		rmSync(data, { recursive: true });
		cpSync(base, data, { recursive: true });
		isDone = await untilChange(happened.length, () => take(data, after, '2025-07-08'));
		const found = await remembered(data);
		happened.push(found.join() === events.join());
		if (!happened.at(-1)) expect(found).toEqual(old);
		// The next run finishes it, with the same events at the same times, and leaves nothing lying about.
		await take(data, after, '2025-07-08');
		expect(await remembered(data)).toEqual(events);
		const left = readdirSync(join(data, 'snapshots'));
		expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
	}
	expect(happened.length).toBeGreaterThan(6);
});
