import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { dayOf } from './calendar.mts';
import type { Input } from './refresh.mts';
import { SOURCES } from './sources.mts';

/** So long must a file have stood still, that it is whole. */
const STANDS_STILL = 10_000;

export interface FolderFile extends Input {
	size: number;
	changedAt: number;
}

/** The state's files in a folder, compressed or not; of two downloads of one file, the later one. */
export async function filesIn(folder: string, names?: readonly string[]): Promise<FolderFile[]> {
	const found = new Map<string, FolderFile>();
	for (const name of await readdir(folder)) {
		const [, source = ''] = /^(\w+?)(?: ?\(\d+\))?\.csv(?:\.gz)?$/i.exec(name) ?? [];
		const known = SOURCES.find((one) => one.name === source.toLowerCase());
		if (!known || (names && !names.includes(known.name))) continue;
		const path = join(folder, name);
		const file = { source: known.name, path, ...(await look(path)) };
		if (file.size < 0) continue;
		const other = found.get(known.name);
		if (!other || other.changedAt < file.changedAt) found.set(known.name, file);
	}
	return SOURCES.flatMap(({ name }) => found.get(name) ?? []);
}

async function look(path: string) {
	const seen = await stat(path).catch(() => undefined);
	if (!seen?.isFile()) return { size: -1, changedAt: 0, day: '' };
	return { size: seen.size, changedAt: seen.mtimeMs, day: dayOf(seen.mtimeMs) };
}

/** Waits until a file is not written to any more. Undefined if it is gone. */
export async function settled(
	file: FolderFile,
	wait: (milliseconds: number) => Promise<unknown>,
	standsStill = STANDS_STILL,
): Promise<FolderFile | undefined> {
	for (let last = file; ; ) {
		const seen = await stat(last.path).catch(() => undefined);
		if (!seen) return undefined;
		// Copying may set a file's time, and nobody sets the time of its last change.
		const age = Date.now() - Math.max(seen.mtimeMs, seen.ctimeMs);
		const isSame = seen.size === last.size && seen.mtimeMs === last.changedAt;
		last = { ...last, ...(await look(last.path)) };
		if (isSame && age >= standsStill) return last;
		await wait(age >= 0 && age < standsStill ? standsStill - age : standsStill);
		if (age < 0 && (await look(last.path)).size === last.size)
			return { ...last, ...(await look(last.path)) };
	}
}
