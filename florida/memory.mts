import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

import type { Kept } from './licenseFromRow.mts';
import { listsLicenses } from './sources.mts';

export interface SourceState {
	/** Of the last good file. */
	day: string;
	hash: string;
	rows: number;
	/** Of the first good one. */
	firstRows: number;
	/** Of the one before: if that comes again, the state's server is behind. */
	formerHash: string | undefined;
	/** A later file, of which endings and changes of holder are held: what it is doubted for, and why. */
	held?: { day: string; hash: string; what: 'endings' | 'holders'; why: string };
	leftOut: Record<string, number>;
	unknownCodes: Record<string, number>;
}

/** By source, why there is no file to use; undefined where nothing is wrong with it. */
export type Outcomes = Record<string, string | undefined>;

export type Dates = Readonly<Record<string, { date: string; holder: string }>>;

/** All that is remembered. It is never changed: a refresh makes the next one of it. */
export interface Snapshot {
	sources: Readonly<Record<string, SourceState>>;
	/** Of the latest files. */
	refused: Readonly<Outcomes>;
	/** By source and number, what the dated files say. */
	dates: Readonly<Record<string, Dates>>;
	/** Of licenses that have ended long ago: a hash of the holder, by number. */
	ended: Readonly<Record<string, string>>;
	licenses: ReadonlyMap<string, Kept>;
}

/** The first run has ended with a good file. */
export const isReady = ({ sources }: Snapshot): boolean => Object.keys(sources).some(listsLicenses);

const SNAPSHOT_DAYS = 30;
const EMPTY: Snapshot = { sources: {}, refused: {}, dates: {}, ended: {}, licenses: new Map() };

/** The snapshots in a folder. One that is written aside and renamed is there, or is not. */
export class Memory {
	/** The latest that was read or written. */
	snapshot = EMPTY;
	private file: string | undefined;

	private constructor(private readonly folder: string) {}

	static async open(data: string): Promise<Memory> {
		const memory = new Memory(join(data, 'snapshots'));
		await memory.read();
		return memory;
	}

	/** Reads the latest one, if that is another by now. */
	async read(): Promise<boolean> {
		const file = await this.latest();
		if (file === this.file) return false;
		if (file === undefined)
			throw new Error(`What was remembered in ${this.folder} is gone. Start again without it.`);
		const path = join(this.folder, file);
		this.snapshot = await snapshotFrom(path).catch(({ message }: Error) => {
			const advice = 'Put it back, or remove it to go on from the one before.';
			throw new Error(`${path} cannot be read (${message}). ${advice}`);
		});
		this.file = file;
		return true;
	}

	async write(next: Snapshot): Promise<void> {
		if ((await this.latest()) !== this.file)
			throw new Error('Another process has written into the folder. What it wrote is read first.');
		const sequence = String(Number.parseInt(this.file ?? '0') + 1).padStart(8, '0');
		// A name of its own, should another process write at the same time.
		const file = `${sequence}.${randomBytes(4).toString('hex')}.ndjson.gz`;
		await writeWhole(join(this.folder, file), textsOf(next));
		[this.file, this.snapshot] = [file, next];
		await this.tidy().catch(() => undefined);
	}

	private async latest(): Promise<string | undefined> {
		const names = (await readdir(this.folder).catch(unlessMissing)) ?? [];
		return names.sort().findLast((name) => name.endsWith('.gz'));
	}

	/** What a stopped refresh has left, and snapshots of more than thirty days ago. */
	private async tidy(): Promise<void> {
		for (const name of await readdir(this.folder)) {
			const path = join(this.folder, name);
			const age = Date.now() - (await stat(path)).mtimeMs;
			const isOld = name !== this.file && age > SNAPSHOT_DAYS * 86_400_000;
			if (isOld || name.endsWith('.part')) await rm(path, { force: true });
		}
	}
}

/** Piece by piece, since the whole of it would stay in memory until V8 collects it. */
async function snapshotFrom(path: string): Promise<Snapshot> {
	let head: Omit<Snapshot, 'licenses'> | undefined;
	const licenses = new Map<string, Kept>();
	let rest = '';
	const unpacked = createGunzip().setEncoding('utf8');
	await pipeline(createReadStream(path), unpacked, async (pieces: AsyncIterable<string>) => {
		for await (const piece of pieces) {
			const lines = (rest + piece).split('\n');
			rest = lines.pop()!;
			for (const line of lines) {
				const value = JSON.parse(line) as Kept;
				if (head) licenses.set(value.number, value);
				else head = value as unknown as Snapshot;
			}
		}
	});
	return { ...EMPTY, ...head, licenses };
}

function* textsOf({ licenses, ...head }: Snapshot): Generator<string> {
	let text = `${JSON.stringify(head)}\n`;
	for (const kept of licenses.values()) {
		text += `${JSON.stringify(kept)}\n`;
		if (text.length < 60_000) continue;
		yield text;
		text = '';
	}
	yield text;
}

/** Written aside and renamed, so that whoever reads a file reads the whole of it. */
export async function writeWhole(
	path: string,
	content: Iterable<string> | AsyncIterable<Uint8Array>,
	time?: Date,
): Promise<void> {
	const part = `${path}.part`;
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	try {
		const target = createWriteStream(part, { mode: 0o600, flush: true });
		if (path.endsWith('.gz')) await pipeline(content, createGzip({ level: 3 }), target);
		else await pipeline(content, target);
		if (time) await utimes(part, time, time);
		await rename(part, path);
	} catch (error) {
		await rm(part, { force: true });
		throw error;
	}
}

/** Undefined where there is no such file. */
export const readText = async (path: string): Promise<string | undefined> =>
	await readFile(path, 'utf8').catch(unlessMissing);

export function unlessMissing(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT') throw error;
}

/** Removes all that was remembered, and nothing else that may be in the folder. */
export async function forget(folder: string): Promise<void> {
	for (const name of ['snapshots', 'raw', 'asked.json', 'key'])
		await rm(join(folder, name), { recursive: true, force: true });
}
