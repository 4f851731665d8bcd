import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { workspace } from '../../playground/folders.mts';

/** What became of one fault. */
export interface Round {
	mode: string;
	fault: string;
	/** Triggers that each had to emit everything that was filed. */
	triggers: number;
	filed: number;
	/** Of triggers × filed, those that were emitted within a second of the fault. */
	atRisk: number;
	/** Those that were emitted at another time. */
	others: number;
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
	return text
		.split('\n')
		.filter(Boolean)
		.map((line) => JSON.parse(line) as Round);
}
