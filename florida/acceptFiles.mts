import { Refusal } from './csvFile.mts';
import { countsOf, hasOtherHolder, takeIn, type TakenFile } from './events.mts';
import type { Kept } from './licenseFromRow.mts';
import { contentOf, type Content, type Input } from './licensesInFile.mts';
import type { Memory, Outcomes, Snapshot, SourceState } from './memory.mts';
import { listsLicenses } from './sources.mts';

export interface RefreshOptions {
	/** Sources whose held changes the user has accepted. */
	accept?: readonly string[];
	fetched?: Outcomes;
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
	const refused: Outcomes = { ...before.refused, ...fetched };
	const files: TakenFile[] = [];
	for (const input of inputs) {
		const { source } = input;
		try {
			const read = await take(input, before, accept.includes(source), say);
			delete refused[source];
			if (!read) continue;
			files.push(read.file);
			sources[source] = read.state;
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			refused[source] = error.message;
			say(`${source} is not used: it ${error.message}.`);
		}
	}
	const { leftOut, ...taken } = takeIn(before, files);
	const next = { sources, refused, ...taken };
	if (files.length > 0 || JSON.stringify(refused) !== JSON.stringify(before.refused))
		await memory.write(next);
	return { ...overview(next), ...countsOf(before, next.licenses), leftOut };
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
	input: Input,
	{ sources, licenses }: Snapshot,
	isAccepted: boolean,
	say: (line: string) => void,
): Promise<{ file: TakenFile; state: SourceState } | undefined> {
	const { source, day } = input;
	const last = sources[source];
	const latest = last?.held ?? last;
	if (latest && day < latest.day)
		throw new Refusal(`is of ${day}, and that of ${latest.day} has been read`);
	const content = await contentOf(input, licenses);
	const { hash, rows, leftOut, unknownCodes } = content;
	if (hash === latest?.hash && !(last?.held && isAccepted)) {
		say(`${source}: nothing new since ${latest.day}`);
		return undefined;
	}
	if (hash === last?.formerHash) throw new Refusal('is an older file, which has come again');
	const doubt = last && doubtOf(content, last, licenses.values());
	const isHeld = doubt !== undefined && !isAccepted && doubt.what !== last?.held?.what;
	say(`${source}: ${rows} rows of ${day}${isHeld ? `, held: ${doubt.why}` : ''}`);
	const formerHash = hash === last?.hash ? last.formerHash : last?.hash;
	const firstRows = last && !doubt ? last.firstRows : rows;
	const good = { day, hash, rows, firstRows, formerHash };
	const state = isHeld && last ? { ...last, held: { day, hash, ...doubt } } : good;
	const file = { ...content, isFirst: !last, isHeld };
	return { file, state: { ...state, leftOut, unknownCodes } };
}

/** More is missing, or has another holder, than happens between two files: then a second one has to agree. */
const FEWER = 0.97;
const FEWEST = 0.5;
const OTHERS = 0.2;

/** Why endings and changes of holder of a file are not taken yet. A dated file has none. */
function doubtOf({ source, rows, licenses }: Content, last: SourceState, known: Iterable<Kept>) {
	if (!listsLicenses(source)) return undefined;
	if (rows < last.rows * FEWER || rows < last.firstRows * FEWEST)
		return { what: 'endings', why: `${rows} rows where there were ${last.rows}` } as const;
	const own = [...known].filter((kept) => kept.source === source && kept.ended === null);
	const present = own.filter(({ number }) => licenses.has(number));
	const same = present.filter((kept) => !hasOtherHolder(kept, licenses.get(kept.number)!));
	const others = own.length - same.length;
	if (others <= own.length * OTHERS) return undefined;
	const why = `${others} of ${own.length} licenses are missing, or have another holder`;
	return { what: 'holders', why } as const;
}
