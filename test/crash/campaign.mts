import type { Fault } from './faults.mts';
import type { Mode } from './modes.mts';
import { Table } from './table.mts';
import { type Round, Trial } from './trial.mts';

/** After this many rounds, the results are judged and written down; a campaign that is stopped loses no more. */
const ROUNDS_A_TRIAL = 15;

export interface Campaign {
	mode: Mode;
	faults: Fault[];
	/** How many times each fault is to strike, counting earlier runs. */
	times: number;
	triggers: number;
	report: (line: string) => void;
}

/** Picks up where the table ends, taking the faults in turn. */
export async function resume(campaign: Campaign): Promise<void> {
	const { mode, faults, times, report } = campaign;
	for (;;) {
		const before = await Table.read();
		const left = faults
			.flatMap((fault) =>
				Array.from({ length: times }, (_, turn) => ({ fault, turn })).slice(
					before.times(mode, fault),
				),
			)
			.sort((one, other) => one.turn - other.turn);
		if (left.length === 0) return;
		report(`${mode.title}: ${left.length} rounds to play`);
		const rounds = await play(
			campaign,
			left.slice(0, ROUNDS_A_TRIAL).map(({ fault }) => fault),
		);
		const table = await Table.read();
		for (const round of rounds) {
			table.add(mode, round.fault, round);
			report(`${round.fault.title}: ${describe(round)}`);
			for (const trouble of round.troubles) report(`  ${trouble}`);
		}
		await table.write();
	}
}

async function play({ mode, triggers, report }: Campaign, faults: Fault[]): Promise<Round[]> {
	const trial = await Trial.start(mode, triggers);
	try {
		await trial.warmUp();
		for (const fault of faults) {
			report(fault.title);
			await trial.round(fault);
		}
		return await trial.judge();
	} finally {
		await trial.close();
	}
}

const describe = ({ filed, atRisk, others, lost, repeated }: Round): string =>
	`${filed} filed: ${atRisk} emitted within a second, ${others} at other times, ${lost} lost, ${repeated} repeated`;
