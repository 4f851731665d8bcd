import type { Fault } from './faults.mts';
import type { Mode } from './modes.mts';
import { record, recorded, type Round } from './results.mts';
import { Trial } from './trial.mts';

/** After so many rounds, what came out is judged and written down; a campaign that is stopped loses no more. */
const ROUNDS_A_TRIAL = 10;

export interface Campaign {
	mode: Mode;
	fault: Fault;
	/** How often it is to strike, counting earlier runs. */
	times: number;
	triggers: number;
	report: (line: string) => void;
}

/** One row of the table. */
export async function resume(campaign: Campaign): Promise<void> {
	for (;;) {
		const left = campaign.times - (await struck(campaign));
		if (left <= 0) return;
		await play(campaign, Math.min(left, ROUNDS_A_TRIAL));
	}
}

async function play(campaign: Campaign, rounds: number): Promise<void> {
	const { mode, fault, triggers, report } = campaign;
	report(`${mode.title}: starting n8n, with ${triggers} triggers`);
	const trial = await Trial.start(mode, triggers);
	let results: Round[] = [];
	try {
		await trial.warmUp();
		for (let round = 1; round <= rounds; round++) {
			await trial.round(fault);
			report(`${fault.title}: ${round} of ${rounds}`);
		}
		results = await trial.judge();
	} finally {
		await trial.close();
	}
	for (const result of results) {
		await record(result);
		report(`${fault.title}: ${describe(result)}`);
	}
}

const describe = ({ triggers, filed, atRisk, others, lost, repeated }: Round): string =>
	`${filed} filed for ${triggers} triggers: ${atRisk} emitted within a second, ${others} at other times, ${lost} lost, ${repeated} repeated`;

async function struck({ mode, fault }: Campaign): Promise<number> {
	const rounds = await recorded();
	return rounds.filter((round) => round.mode === mode.name && round.fault === fault.name).length;
}
