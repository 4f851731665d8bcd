import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { due, fetchDue, forgetDates } from './asked.mts';
import { readText, writePacked, writeText } from './files.mts';
import { filesIn, settled, type FolderFile } from './folder.mts';
import { lockFolder, type Lock } from './lock.mts';
import { Memory } from './memory.mts';
import { refresh, type Input, type Summary } from './refresh.mts';
import { SOURCES, STATE_ADDRESS } from './sources.mts';
import type { Activity } from './status.mts';

export interface ServiceOptions {
	/** Where everything is remembered. */
	data: string;
	/** A folder with the state's files. Without one, they are fetched. */
	files?: string | undefined;
	sources?: readonly string[] | undefined;
	/** Of the files that are there at the start, instead of the time of each. */
	day?: string | undefined;
	accept?: readonly string[];
	/** The hour of the day from which on files are fetched. */
	hour?: number;
	contact?: string;
	say: (line: string) => void;
	/** How long a file in the folder must not have changed. */
	standsStill?: number;
	/** The rest is for tests. */
	address?: string;
	wait?: (milliseconds: number) => Promise<unknown>;
	now?: () => number;
}

const KEPT_RAW_FILES = 2;

/** Takes the state's files in, from a folder or from the state, and remembers what they say. */
export class Service {
	readonly activity: Activity = { lastRefresh: null, failure: null };
	/** What has been looked at, so that a folder is read when something in it changes. */
	private readonly seen = new Map<string, string>();
	private isFirst = true;

	private constructor(
		readonly memory: Memory,
		private readonly lock: Lock,
		private readonly options: ServiceOptions,
	) {}

	static async open(options: ServiceOptions): Promise<Service> {
		await mkdir(options.data, { recursive: true, mode: 0o700 });
		const lock = await lockFolder(join(options.data, 'lock'));
		try {
			const memory = await Memory.open(options.data);
			await memory.tidy();
			return new Service(memory, lock, options);
		} catch (error) {
			await lock.release();
			throw error;
		}
	}

	async close(): Promise<void> {
		await this.lock.release();
	}

	/** The key that may ask, made once. */
	async key(): Promise<string> {
		const path = this.memory.path('key');
		const known = (await readText(path))?.trim();
		if (known) return known;
		const key = `ls_own_${randomBytes(24).toString('hex')}`;
		await writeText(path, `${key}\n`);
		return key;
	}

	/** Takes in what is due. Undefined where nothing was. */
	async update(): Promise<Summary | undefined> {
		const { now = Date.now } = this.options;
		try {
			const { inputs, refused } = await this.inputs();
			const isDue = this.isFirst || inputs.length > 0 || Object.keys(refused).length > 0;
			if (!isDue) return undefined;
			const summary = await this.takeIn(inputs, refused);
			this.isFirst = false;
			Object.assign(this.activity, { lastRefresh: new Date(now()).toISOString(), failure: null });
			return summary;
		} catch (error) {
			// It is looked at again.
			this.seen.clear();
			this.activity.failure = (error as Error).message;
			throw error;
		}
	}

	private async takeIn(inputs: Input[], refused: Record<string, string>): Promise<Summary> {
		const { memory, lock, options } = this;
		const summary = await refresh(memory, inputs, {
			...{ refused, say: options.say, mayCommit: lock.check },
			...(options.accept && { accept: options.accept }),
			...(options.now && { now: options.now }),
			keepRaw: async (input, hash) => await this.keepRaw(input, hash),
		});
		if (options.files === undefined) {
			const unusable = inputs
				.map(({ source }) => source)
				.filter((one) => memory.state.refused[one]);
			await forgetDates(unusable, memory.path('asked.json'));
			await rm(memory.path('incoming'), { recursive: true, force: true });
		}
		return summary;
	}

	private async inputs(): Promise<{ inputs: Input[]; refused: Record<string, string> }> {
		const accepted = this.isFirst ? this.heldFiles() : [];
		const refused = this.options.files === undefined ? await this.fetch() : {};
		const folder = this.options.files ?? this.memory.path('incoming');
		if (this.options.files === undefined) await mkdir(folder, { recursive: true, mode: 0o700 });
		const all = await filesIn(folder, this.options.sources);
		const found = all.filter((file) => this.seen.get(file.source) !== versionOf(file));
		const inputs: Input[] = [...accepted];
		for (const file of found) {
			const { wait = sleep, files, day, standsStill } = this.options;
			const whole = files === undefined ? file : await settled(file, wait, standsStill);
			if (!whole) continue;
			this.seen.set(whole.source, versionOf(whole));
			inputs.push({ ...whole, ...(day !== undefined && this.isFirst && { day }) });
		}
		return { inputs, refused };
	}

	private async fetch(): Promise<Record<string, string>> {
		const { memory, options } = this;
		const { sources = SOURCES.map(({ name }) => name), hour = 0, contact } = options;
		const { now = Date.now, wait = sleep, say, address = STATE_ADDRESS } = options;
		const isEarly = memory.state.isReady && new Date(now()).getHours() < hour;
		const names = isEarly ? [] : await due(sources, memory.path('asked.json'), now());
		if (names.length === 0) return {};
		return await fetchDue(names, {
			...{ address, wait, say, now, memory: memory.path('asked.json') },
			folder: memory.path('incoming'),
			userAgent: `licensing-data-florida/0.1 (+${contact ?? 'https://github.com/n8n-nodes-licensing-data'})`,
		});
	}

	/** What was held, and is accepted now: the copies that were kept. */
	private heldFiles(): Input[] {
		const { state } = this.memory;
		return (this.options.accept ?? []).flatMap((source) => {
			const { day, hash } = state.sources[source]?.held ?? {};
			if (day === undefined || hash === undefined) return [];
			return { source, path: this.memory.path('raw', rawName(source, day, hash)), day };
		});
	}

	private async keepRaw({ source, path, day }: Input, hash: string): Promise<void> {
		const folder = this.memory.path('raw');
		const target = join(folder, rawName(source, day, hash));
		if (path === target) return;
		await mkdir(folder, { recursive: true, mode: 0o700 });
		await writePacked(target, () => createReadStream(path), path.endsWith('.gz'));
		const copies = (await readdir(folder)).filter((name) => name.startsWith(`${source}.`)).sort();
		for (const name of copies.slice(0, -KEPT_RAW_FILES))
			await rm(join(folder, name), { force: true });
	}
}

const rawName = (source: string, day: string, hash: string): string =>
	`${source}.${day}.${hash.slice(0, 8)}.csv.gz`;

const versionOf = ({ path, size, changedAt }: FolderFile): string => `${path} ${size} ${changedAt}`;

export const sleep = async (milliseconds: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, milliseconds));
