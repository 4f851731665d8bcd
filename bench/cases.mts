import { unpackPackage } from './n8n/package.mts';
import type { Settings, Subject } from './subject.mts';
import { count, table } from './table.mts';

export interface Case {
	records: number;
	/** Milliseconds that the service takes to answer. */
	delay: number;
	rounds: number;
}

/** A subject that measures a list at several sizes and speeds, with one table each. */
export const subjectOf = ({
	title,
	introduction,
	casesFor,
	columns,
	rowsOf,
}: {
	title: string;
	introduction: string;
	casesFor: (settings: Settings) => Case[];
	columns: string[];
	rowsOf: (one: Case, folder: string, roundDone: (round: number) => void) => Promise<string[][]>;
}): Subject => ({
	title,
	async measure(settings) {
		const folder = await unpackPackage();
		const parts = [introduction];
		for (const one of casesFor(settings)) {
			const { records, delay, rounds } = one;
			const rows = await rowsOf(one, folder, (round) =>
				settings.progress(`${count(records)} records, ${delay} ms: round ${round} of ${rounds}`),
			);
			parts.push(
				`### ${count(records)} records, ${delay} ms an answer (${rounds} ${rounds === 1 ? 'round' : 'rounds'})`,
				table(columns, rows),
			);
		}
		return parts.join('\n\n');
	},
});
