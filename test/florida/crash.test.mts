import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, utimesSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { Memory } from '../../florida/memory.mts';
import { refresh } from '../../florida/refresh.mts';
import { packed } from './packed.mts';
import { fileOf, folder, food, foods, holder, number, type Fields } from './state-files.mts';

const ROWS = 2000;
/** Between the first write of a refresh and its last rename. */
const KILLS_WITHIN = process.env.NIGHTLY ? 60 : 5;
const MOST_KILLS = KILLS_WITHIN * 8;

const before = foods(ROWS);
const after: Fields[] = [
	...before.slice(0, -5).map((row, at) => {
		if (at % 10 === 0) return { ...row, 'Licensee Name': holder(ROWS + at) };
		return at % 10 === 1 ? { ...row, 'License Expiry Date': '10/01/2026' } : row;
	}),
	...Array.from({ length: 50 }, (_, at) => food(number('SEA23', 1000 + ROWS + at))),
];

function filesOf(rows: Fields[], day: string): string {
	const files = folder();
	const path = join(files, 'hrfood1.csv');
	writeFileSync(path, fileOf('hrfood1', rows));
	const time = new Date(`${day}T12:00:00`);
	utimesSync(path, time, time);
	return files;
}

/** What is remembered of each license, whatever the order. */
async function remembered(data: string): Promise<string[]> {
	const { snapshot } = await Memory.open(data);
	return [...snapshot.licenses.values()].map((one) => JSON.stringify(one)).sort();
}

/**
 * A refresh in a process of its own, which is killed so long after its first write. Returns how long it was from
 * there to the last rename.
 */
async function run(data: string, files: string, killAfter?: number) {
	const main = join(await packed(), 'florida', 'main.mjs');
	const args = [main, '--files', files, '--data', data, '--once'];
	const child = spawn(process.execPath, args, { stdio: 'ignore' });
	const ended = once(child, 'exit');
	let [firstWrite, lastRename] = [0, 0];
	const watcher = watch(join(data, 'snapshots'), (_, name) => {
		if (name?.endsWith('.gz')) lastRename = performance.now();
		if (firstWrite > 0) return;
		firstWrite = performance.now();
		if (killAfter !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfter);
	});
	await ended;
	watcher.close();
	return lastRename - firstWrite;
}

/** What the next process does, without the time that starting it takes. */
async function finish(data: string, files: string): Promise<void> {
	const path = join(files, 'hrfood1.csv');
	await refresh(await Memory.open(data), [{ source: 'hrfood1', path, day: '2025-07-08' }]);
}

it('A refresh that is killed at any moment has happened, or has not', async () => {
	const first = join(filesOf(before, '2025-07-01'), 'hrfood1.csv');
	const second = filesOf(after, '2025-07-08');
	// A file counts when it has stood still for ten seconds.
	await new Promise((resolve) => setTimeout(resolve, 10_500));
	const base = folder();
	const day = '2025-07-01';
	await refresh(await Memory.open(base), [{ source: 'hrfood1', path: first, day }]);
	const old = await remembered(base);
	const copy = (): string => {
		const data = folder();
		cpSync(base, data, { recursive: true });
		return data;
	};
	const whole = copy();
	let window = await run(whole, second);
	const events = await remembered(whole);
	expect(events.filter((one) => one.includes('"at":"2025-07-08"'))).toHaveLength(200 + 200 + 50);

	let [within, kills] = [0, 0];
	for (; within < KILLS_WITHIN && kills < MOST_KILLS; kills++) {
		const data = copy();
		await run(data, second, Math.random() * window);
		const found = await remembered(data);
		const isOld = found.join() === old.join();
		expect(isOld || found.join() === events.join()).toBe(true);
		// How long a refresh takes changes with what else the machine does: half of the kills shall come too late.
		window *= isOld ? 1.5 : 0.67;
		if (isOld) within++;
		// The next run finishes it, with the same events at the same times, and leaves nothing lying about.
		if (kills < 2) await run(data, second);
		else await finish(data, second);
		expect(await remembered(data)).toEqual(events);
		const left = readdirSync(join(data, 'snapshots'));
		expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
	}
	expect(within).toBe(KILLS_WITHIN);
});
