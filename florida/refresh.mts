import { Comparison, type Accepted } from './comparison.mts';
import { holdOf } from './hold.mts';
import type { EventType } from './license.mts';
import type { HeldFile, Memory, SourceState } from './memory.mts';
import { Refusal } from './refusal.mts';
import { contentOf, type FileContent } from './rows.mts';
import { listsLicenses, sourceOf } from './sources.mts';

/** A file to read, and the day that it shows. */
export interface Input {
	source: string;
	path: string;
	day: string;
}

export interface RefreshOptions {
	/** Sources whose held changes the user has accepted. */
	accept?: readonly string[];
	/** Throws if the folder is another process's by now. */
	mayCommit?: () => Promise<void>;
	/** Sources of which there is no file, and why. */
	refused?: Record<string, string>;
	/** Keeps a copy of a file that is taken in. */
	keepRaw?: (input: Input, hash: string) => Promise<void>;
	/** Where a line for each file goes. */
	say?: (line: string) => void;
	now?: () => number;
}

/** What a refresh has found. */
export interface Summary {
	day: string | null;
	sources: Array<{ name: string; day: string; hash: string; rows: number }>;
	licenses: number;
	events: Record<EventType, number>;
	/** Begun in this refresh, and no event yet: owner changes, and licenses that one file lacks. */
	pending: { transfers: number; gone: number };
	leftOut: Record<string, number>;
	held: Array<{ source: string; why: string }>;
}

/** Takes files in: what they say is remembered, and compared with what was. All of it, or nothing. */
export async function refresh(
	memory: Memory,
	inputs: readonly Input[],
	options: RefreshOptions = {},
): Promise<Summary> {
	const { mayCommit = async () => undefined, now = Date.now, refused = {} } = options;
	const changes = memory.begin();
	const { state } = changes;
	const refuse = (name: string, reason: string): void => {
		const why = `${name} ${reason}`;
		state.refused[name] = { why, at: new Date(now()).toISOString() };
		options.say?.(`Refused: ${why}.`);
	};
	for (const [name, reason] of Object.entries(refused)) refuse(name, reason);
	const accepted: Accepted[] = [];
	for (const input of inputs) {
		const { source: name } = input;
		try {
			const read = await take(input, memory, options);
			delete state.refused[name];
			if (read === undefined) continue;
			await options.keepRaw?.(input, read.content.hash);
			accepted.push(read);
			state.sources[name] = read.state;
			changes.touched.add(name);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			refuse(name, error.message);
		}
	}
	const comparison = new Comparison(memory, changes, accepted);
	comparison.run();
	state.isReady ||= accepted.some(({ of }) => listsLicenses(of));
	await memory.commit(changes, mayCommit);
	const { events, pending, leftOut } = comparison;
	return { ...overview(memory), events, pending, leftOut };
}

/** What is remembered, in counts. */
export function overview({ state, kept }: Memory) {
	const all = Object.entries(state.sources);
	const sources = all.map(([name, { day, hash, rows }]) => ({ name, day, hash, rows }));
	const held = all.flatMap(([source, { held }]) => (held ? { source, why: held.why } : []));
	let licenses = 0;
	for (const { ended } of kept.values()) if (ended === null) licenses++;
	const day =
		sources
			.map((one) => one.day)
			.sort()
			.at(-1) ?? null;
	return { day, sources, licenses, held };
}

/** One file: refused, the same as before (undefined), or accepted, maybe without its endings. */
async function take(
	input: Input,
	memory: Memory,
	{ accept = [], say }: RefreshOptions,
): Promise<Accepted | undefined> {
	const { source: name, day, path } = input;
	const of = sourceOf(name)!;
	const before = memory.state.sources[name];
	const latest = before && latestDay(before);
	if (latest !== undefined && day < latest)
		throw new Refusal(`is of ${day}, and that of ${latest} has been read`);
	const content = await contentOf(path, of, memory.kept);
	const isAccepted = accept.includes(name);
	if (before && isKnown(before, content.hash, isAccepted)) {
		say?.(`${name}: nothing new since ${latest}`);
		return undefined;
	}
	const own = [...memory.kept.values()].filter((one) => one.source === name && one.ended === null);
	const hold = before && listsLicenses(of) ? holdOf(before, content, own) : undefined;
	const isDoubted = hold !== undefined && !hold.isAgreed && !isAccepted;
	const { hash, rows } = content;
	const held = isDoubted ? { day, hash, rows, what: hold.what, why: hold.why } : undefined;
	const state = stateWith(input, content, before, held, hold !== undefined);
	say?.(`${name}: ${rows} rows of ${day}${held ? `, held: ${held.why}` : ''}`);
	// An older file that comes again is from a server that is behind: it takes nothing back.
	const isOlder = before?.earlier.includes(hash) === true;
	return { source: name, day, of, content, isFirst: !before, isHeld: isDoubted || isOlder, state };
}

const latestDay = ({ day, held }: SourceState): string => (held && held.day > day ? held.day : day);

/** Whether this file has been taken in. */
const isKnown = ({ hash, held }: SourceState, given: string, isAccepted: boolean): boolean =>
	given === (held?.hash ?? hash) && !(held && isAccepted);

const REMEMBERED_FILES = 20;

function stateWith(
	{ day }: Input,
	{ hash, rows, leftOut, unknownCodes }: FileContent,
	before: SourceState | undefined,
	held: HeldFile | undefined,
	isAccepted: boolean,
): SourceState {
	const passed = [before?.held?.hash, ...(held ? [] : [before?.hash])];
	const earlier = [...(before?.earlier ?? []), ...passed.flatMap((one) => one ?? [])]
		.filter((one) => one !== hash)
		.slice(-REMEMBERED_FILES);
	const counts = { leftOut, unknownCodes, file: '' };
	if (held && before) return { ...before, earlier, held, ...counts };
	const firstRows = before && !isAccepted ? before.firstRows : rows;
	return { day, hash, rows, firstRows, earlier, ...counts };
}
