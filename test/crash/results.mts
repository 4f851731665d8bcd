import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workspace } from '../../playground/folders.mts';

/** What became of one kill. */
export interface Round {
	mode: string;
	fault: string;
	/** Tells rounds apart; a later line about the same round replaces the earlier one. */
	id: string;
	/** Triggers that each had to emit everything that was filed. */
	triggers: number;
	filed: number;
	/** Of triggers × filed. */
	emitted: number;
	lost: number;
	repeated: number;
}

export const resultsFile = join(workspace, 'crash', 'rounds.jsonl');

export async function record(round: Round): Promise<void> {
	await mkdir(join(workspace, 'crash'), { recursive: true });
	await appendFile(resultsFile, `${JSON.stringify(round)}\n`);
}

/** All rounds of all runs so far. */
export async function recorded(): Promise<Round[]> {
	const text = await readFile(resultsFile, 'utf8').catch(() => '');
	const rounds = text
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as Round);
	return [...new Map(rounds.map((round) => [round.id, round])).values()];
}
