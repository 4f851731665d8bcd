import { createWriteStream } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Files are written aside and renamed, so that whoever reads one reads the whole of it. */
const aside = (path: string): string => `${path}.part`;
export const isAside = (name: string): boolean => name.endsWith('.part');

async function replace(path: string, write: (path: string) => Promise<void>): Promise<void> {
	try {
		await write(aside(path));
		await moveInto(path);
	} catch (error) {
		await rm(aside(path), { force: true });
		throw error;
	}
}

export const writeText = async (path: string, text: string): Promise<void> =>
	await replace(path, async (part) => await writeFile(part, text, { mode: 0o600, flush: true }));

/** A compressed file of one JSON text a line. */
export const writeLines = async (path: string, values: Iterable<object>): Promise<void> =>
	await writePacked(path, () => inChunks(values));

export const writePacked = async (
	path: string,
	content: () => Iterable<string> | AsyncIterable<Buffer>,
	isPacked = false,
): Promise<void> =>
	await replace(path, async (part) => {
		const target = createWriteStream(part, { mode: 0o600, flush: true });
		if (isPacked) await pipeline(content(), target);
		else await pipeline(content(), createGzip({ level: 3 }), target);
	});

function* inChunks(values: Iterable<object>): Generator<string> {
	let chunk = '';
	for (const value of values) {
		chunk += `${JSON.stringify(value)}\n`;
		if (chunk.length < 60_000) continue;
		yield chunk;
		chunk = '';
	}
	yield chunk;
}

export async function* readLines<Value>(path: string): AsyncGenerator<Value> {
	const file = await open(path);
	const input = file.createReadStream().pipe(createGunzip());
	for await (const line of createInterface({ input, crlfDelay: Infinity }))
		if (line !== '') yield JSON.parse(line) as Value;
}

/** Undefined where there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
	try {
		return await readFile(path, 'utf8');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

async function moveInto(path: string): Promise<void> {
	await rename(aside(path), path);
	// Not every system lets a folder be synced; then the new name is safe a little later.
	const folder = await open(dirname(path), 'r').catch(() => undefined);
	await folder?.sync().catch(() => undefined);
	await folder?.close();
}
