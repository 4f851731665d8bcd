import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { isAside, readLines, readText, writeLines, writeText } from './files.mts';
import type { Ended, Kept } from './license.mts';

/** What a dated file says of a number: since 1 July a new license, or a new owner. */
export interface Dated {
	number: string;
	date: string;
	holder: string;
	/** It can make no event any more. */
	isSpent: boolean;
}

export interface HeldFile {
	day: string;
	hash: string;
	rows: number;
	/** What is held: the licenses that it lacks, or its holders. */
	what: 'endings' | 'holders';
	why: string;
}

export interface SourceState {
	/** Of the last good file. */
	day: string;
	hash: string;
	rows: number;
	/** Of the first good one. */
	firstRows: number;
	/** The files before: one that comes again is an older one. */
	earlier: string[];
	held?: HeldFile | undefined;
	leftOut: Record<string, number>;
	unknownCodes: Record<string, number>;
	/** Where its licenses are remembered. */
	file: string;
}

export interface State {
	version: 1;
	/** Goes up with each refresh that changes something. */
	sequence: number;
	/** The first run has ended with a good file. */
	isReady: boolean;
	sources: Record<string, SourceState>;
	/** Why a source's latest file was not used. */
	refused: Record<string, { why: string; at: string }>;
}

/** What a refresh changes. Nothing of it is seen before all of it is on disk. */
export interface Changes {
	state: State;
	kept: Map<string, Kept>;
	ended: Map<string, Ended>;
	/** Numbers that are neither any more. */
	forgotten: { kept: Set<string>; ended: Set<string> };
	dated: Map<string, Map<string, Dated>>;
	/** The sources whose files are written anew. */
	touched: Set<string>;
}

const SNAPSHOT_DAYS = 30;
const EMPTY: State = { version: 1, sequence: 0, isReady: false, sources: {}, refused: {} };

/**
 * What is known of all licenses: one file a source, and `state.json`, which names them. It is replaced last, so
 * that a refresh has happened, or has not.
 */
export class Memory {
	state: State = EMPTY;
	readonly kept = new Map<string, Kept>();
	readonly ended = new Map<string, Ended>();
	readonly dated = new Map<string, Map<string, Dated>>();

	private constructor(readonly folder: string) {}

	static async open(folder: string): Promise<Memory> {
		const memory = new Memory(folder);
		const text = await readText(memory.path('state.json'));
		if (text !== undefined) memory.state = JSON.parse(text) as State;
		if (memory.state.version !== 1)
			throw new Error(
				`${folder} was written by a newer version. Update, or choose another folder.`,
			);
		for (const [name, { file }] of Object.entries(memory.state.sources))
			await memory.read(name, file).catch((error: Error) => {
				const path = memory.path('records', file);
				throw new Error(
					`${path} cannot be read (${error.message}). Put it back, or remove all that was remembered with --forget.`,
				);
			});
		return memory;
	}

	path(...names: string[]): string {
		return join(this.folder, ...names);
	}

	private async read(source: string, file: string): Promise<void> {
		const dated = new Map<string, Dated>();
		for await (const line of readLines<Kept | Ended | Dated>(this.path('records', file)))
			if ('holderHash' in line) this.ended.set(line.number, line);
			else if ('date' in line) dated.set(line.number, line);
			else this.kept.set(line.number, line);
		if (dated.size > 0) this.dated.set(source, dated);
	}

	/** Changes for a refresh to fill. */
	begin(): Changes {
		const state = structuredClone(this.state);
		return {
			state: { ...state, sequence: state.sequence + 1 },
			...{ kept: new Map(), ended: new Map(), dated: new Map(), touched: new Set() },
			forgotten: { kept: new Set(), ended: new Set() },
		};
	}

	async commit(changes: Changes, mayCommit: () => Promise<void>): Promise<void> {
		const { state, touched } = changes;
		await mkdir(this.path('records'), { recursive: true, mode: 0o700 });
		for (const name of touched) {
			const source = state.sources[name]!;
			source.file = `${name}.${source.day}.${state.sequence}.ndjson.gz`;
			await writeLines(this.path('records', source.file), this.linesOf(name, changes));
		}
		await mayCommit();
		await writeText(this.path('state.json'), `${JSON.stringify(state, null, '\t')}\n`);
		this.state = state;
		for (const number of changes.forgotten.kept) this.kept.delete(number);
		for (const number of changes.forgotten.ended) this.ended.delete(number);
		for (const [number, kept] of changes.kept) this.kept.set(number, kept);
		for (const [number, ended] of changes.ended) this.ended.set(number, ended);
		for (const [name, dated] of changes.dated) this.dated.set(name, dated);
		await this.tidy().catch(() => undefined);
	}

	private *linesOf(source: string, changes: Changes): Generator<object> {
		const { kept, ended, forgotten, dated } = changes;
		for (const one of this.kept.values())
			if (one.source === source && !kept.has(one.number) && !forgotten.kept.has(one.number))
				yield one;
		for (const one of kept.values()) if (one.source === source) yield one;
		for (const one of this.ended.values())
			if (one.source === source && !ended.has(one.number) && !forgotten.ended.has(one.number))
				yield one;
		for (const one of ended.values()) if (one.source === source) yield one;
		yield* (dated.get(source) ?? this.dated.get(source) ?? new Map<string, Dated>()).values();
	}

	/** What a stopped refresh has left, and snapshots of more than thirty days ago. */
	async tidy(): Promise<void> {
		const used = new Set(Object.values(this.state.sources).map(({ file }) => file));
		for (const name of await readdir(this.path('records')).catch(() => [])) {
			if (used.has(name)) continue;
			const [, sequence] = /\.(\d+)\.ndjson\.gz$/.exec(name) ?? [];
			const isUnfinished = isAside(name) || Number(sequence) > this.state.sequence;
			const path = this.path('records', name);
			const { mtimeMs } = await stat(path);
			if (isUnfinished || Date.now() - mtimeMs > SNAPSHOT_DAYS * 86_400_000)
				await rm(path, { force: true });
		}
	}
}

/** Removes all that was remembered, and nothing else that may be in the folder. */
export async function forget(folder: string): Promise<void> {
	for (const name of ['records', 'raw', 'incoming', 'state.json', 'asked.json', 'key', 'lock'])
		await rm(join(folder, name), { recursive: true, force: true });
}
