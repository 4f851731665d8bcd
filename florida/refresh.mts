import { contentOf, type Content } from './content.mts';
import { Refusal } from './csv.mts';
import { Comparison, hasOtherHolder, type TakenFile } from './events.mts';
import type { Kept } from './license.mts';
import {
	listsLicenses,
	type HeldFile,
	type Memory,
	type Snapshot,
	type SourceState,
} from './memory.mts';
import { sourceOf } from './sources.mts';

/** A file to read, and the day that it shows. */
export interface Input {
	source: string;
	path: string;
	day: string;
}

export interface RefreshOptions {
	/** Sources whose held changes the user has accepted. */
	accept?: readonly string[];
	/** Of the sources that were asked for, why there is no file; undefined where it came, or has not changed. */
	fetched?: Record<string, string | undefined>;
	/** Where a line for each file goes. */
	say?: (line: string) => void;
}

/** What a refresh has found. */
export type Summary = Awaited<ReturnType<typeof refresh>>;

/** Takes files in: what they say is remembered, and compared with what was. All of it, or nothing. */
export async function refresh(
	memory: Memory,
	inputs: readonly Input[],
	{ accept = [], fetched = {}, say = () => undefined }: RefreshOptions = {},
) {
	const { snapshot: before } = memory;
	const sources = { ...before.sources };
	const refused = new Map(Object.entries(before.refused));
	const refuse = (source: string, reason: string): void => {
		refused.set(source, `${source} ${reason}`);
		say(`Refused: ${source} ${reason}.`);
	};
	for (const [source, why] of Object.entries(fetched))
		if (why === undefined) refused.delete(source);
		else refuse(source, why);
	const files: TakenFile[] = [];
	for (const input of inputs) {
		const { source } = input;
		try {
			const read = await take(input, before, accept.includes(source), say);
			refused.delete(source);
			if (!read) continue;
			files.push(read.file);
			sources[source] = read.state;
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			refuse(source, error.message);
		}
	}
	const comparison = new Comparison(before, files);
	const { licenses, dates, ended, leftOut } = comparison;
	const next = { sources, refused: Object.fromEntries(refused), dates, ended, licenses };
	const isNew = files.length > 0 || JSON.stringify(next.refused) !== JSON.stringify(before.refused);
	if (isNew) await memory.commit(next);
	return { ...overview(next), ...comparison.counts(), leftOut };
}

/** What is remembered, in counts. */
export function overview({ sources: known, licenses: all }: Snapshot) {
	const entries = Object.entries(known);
	const sources = entries.map(([name, { day, hash, rows }]) => ({ name, day, hash, rows }));
	const held = entries.flatMap(([source, { held }]) => (held ? { source, why: held.why } : []));
	const days = sources.map((source) => source.day).sort();
	let licenses = 0;
	for (const { ended } of all.values()) if (ended === null) licenses++;
	return { day: days.at(-1) ?? null, sources, licenses, held };
}

/** One file: refused, the same as before (undefined), or taken, maybe without its endings. */
async function take(
	{ source, path, day }: Input,
	{ sources, licenses }: Snapshot,
	isAccepted: boolean,
	say: (line: string) => void,
): Promise<{ file: TakenFile; state: SourceState } | undefined> {
	const last = sources[source];
	const latest = last?.held ?? last;
	if (latest && day < latest.day)
		throw new Refusal(`is of ${day}, and that of ${latest.day} has been read`);
	const content = await contentOf(path, sourceOf(source), licenses);
	const { hash, rows, leftOut, unknownCodes } = content;
	if (hash === latest?.hash && !(last?.held && isAccepted)) {
		say(`${source}: nothing new since ${latest.day}`);
		return undefined;
	}
	const isList = listsLicenses(source);
	if (isList && hash === last?.formerHash)
		throw new Refusal('is an older file, which has come again');
	const doubt = last && isList ? doubtOf(source, content, last, licenses) : undefined;
	const isHeld = doubt !== undefined && !doubt.isAgreed && !isAccepted;
	const counts = { leftOut, unknownCodes };
	const formerHash = hash === last?.hash ? last.formerHash : last?.hash;
	const firstRows = last && !doubt ? last.firstRows : rows;
	const state =
		last && isHeld
			? { ...last, ...counts, held: { day, hash, what: doubt.what, why: doubt.why } }
			: { day, hash, rows, firstRows, formerHash, ...counts };
	say(`${source}: ${rows} rows of ${day}${isHeld ? `, held: ${doubt.why}` : ''}`);
	return { file: { source, day, content, isFirst: !last, isHeld }, state };
}

/** More is missing, or has another holder, than happens between two files: then a second one has to agree. */
const FEWER = 0.97;
const FEWEST = 0.5;
const MISSING = 0.1;
const OTHER_HOLDERS = 0.2;
/** So much of what one file lacks does the next lack too, if it agrees. */
const AGREEING = 0.9;

/** Why endings and changes of holder of a file are not taken yet. */
function doubtOf(
	source: string,
	{ rows, licenses }: Content,
	last: SourceState,
	remembered: Snapshot['licenses'],
): (Pick<HeldFile, 'what' | 'why'> & { isAgreed: boolean }) | undefined {
	const isOwn = (kept: Kept): boolean => kept.source === source && kept.ended === null;
	const known = [...remembered.values()].filter(isOwn);
	const present = known.filter(({ number }) => licenses.has(number)).length;
	const others = known.filter((kept) => {
		const facts = licenses.get(kept.number);
		return facts && hasOtherHolder(kept, facts);
	}).length;
	if (others > present * OTHER_HOLDERS) {
		const why = `${others} of ${present} licenses have another holder`;
		return { what: 'holders', why, isAgreed: last.held?.what === 'holders' };
	}
	const missing = known.length - present;
	const isFewer = rows < last.rows * FEWER || rows < last.firstRows * FEWEST;
	if (!isFewer && missing <= known.length * MISSING) return undefined;
	const lacked = known.filter(({ goneIn }) => goneIn === last.held?.hash);
	const again = lacked.filter(({ number }) => !licenses.has(number)).length;
	return {
		what: 'endings',
		why: `${rows} rows where there were ${last.rows}, and ${missing} licenses are missing`,
		isAgreed: last.held?.what === 'endings' && again >= lacked.length * AGREEING,
	};
}
