import type { Fault } from './faults.mts';
import type { Mode } from './modes.mts';
import { record, recorded, type Round } from './results.mts';
import { Trial } from './trial.mts';

/** Fewer rounds than this on one database, so that what goes wrong does not go far. */
const ROUNDS_A_TRIAL = 15;

export interface Campaign {
	mode: Mode;
	/** Kills, spread over the mode's faults. */
	kills: number;
	triggers: number;
	report: (line: string) => void;
}

/** Kills until there were enough kills, counting those of earlier runs. */
export async function resume(campaign: Campaign): Promise<void> {
	for (;;) {
		const left = await missing(campaign);
		if (left.length === 0) return;
		await play(campaign, left.slice(0, ROUNDS_A_TRIAL));
	}
}

export async function play(
	{ mode, triggers, report }: Campaign,
	faults: Fault[],
): Promise<Round[]> {
	report(`${mode.title}: starting n8n, with ${triggers} triggers`);
	const trial = await Trial.start(mode, triggers);
	let rounds: Round[] = [];
	try {
		await trial.warmUp();
		for (const fault of faults) {
			const round = await trial.round(fault);
			await record(round);
			report(`${mode.title}, ${fault.title}: ${describe(round)}`);
		}
	} finally {
		rounds = await trial.close();
		for (const round of rounds) await record(round);
	}
	return rounds;
}

const describe = ({ triggers, filed, emitted, lost, repeated }: Round): string =>
	`${filed} filed for ${triggers} triggers: ${emitted} emitted, ${lost} lost, ${repeated} repeated`;

/** The faults whose turn it still is, alternating. */
async function missing({ mode, kills }: Campaign): Promise<Fault[]> {
	const done = (await recorded()).filter((round) => round.mode === mode.name);
	const share = Math.ceil(kills / mode.faults.length);
	const left = mode.faults.map((fault) => ({
		fault,
		rounds: share - done.filter((round) => round.fault === fault.name).length,
	}));
	return Array.from({ length: share }, (_, turn) =>
		left.filter(({ rounds }) => rounds > turn).map(({ fault }) => fault),
	).flat();
}
