import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../../playground/folders.mts';
import type { Fault } from './faults.mts';
import type { Mode } from './modes.mts';
import { modes } from './modes.mts';

/** What came of a fault, or of all faults of its kind. */
export interface Counts {
	/** Emitted within a second of the fault. */
	atRisk: number;
	/** Emitted at another time. */
	others: number;
	lost: number;
	repeated: number;
}

/** And how many times it struck. */
interface Row extends Counts {
	times: number;
}

const record = join(repository, 'test', 'crash', 'record.json');
const page = join(repository, 'docs', 'operating.md');
const begin = '<!-- The table is written by: npm run test:crash -->';
const end = '<!-- End of the table -->';
const NONE: Row = { times: 0, atRisk: 0, others: 0, lost: 0, repeated: 0 };

/** Results are added to the record, so a campaign may take days. The page has its sums, by mode. */
export class Table {
	/** By the names of mode and fault. */
	private constructor(private readonly rows: Record<string, Record<string, Row>>) {}

	static async read(): Promise<Table> {
		return new Table(JSON.parse(await readFile(record, 'utf8')) as Table['rows']);
	}

	times(mode: Mode, fault: Fault): number {
		return this.row(mode, fault).times;
	}

	add(mode: Mode, fault: Fault, counts: Counts): void {
		const ofMode = (this.rows[mode.name] ??= {});
		ofMode[fault.name] = sum([this.row(mode, fault), { times: 1, ...counts }]);
	}

	toString(): string {
		return tableOf(
			['n8n', 'What happened', 'Faults', 'At risk', 'Others', 'Lost', 'Repeated'],
			modes.flatMap((mode) =>
				mode.faults.map((fault) => {
					const { times, atRisk, others, lost, repeated } = this.row(mode, fault);
					return [mode.title, fault.title, times, atRisk, others, lost, repeated];
				}),
			),
		);
	}

	async write(): Promise<void> {
		await writeFormatted(record, JSON.stringify(this.rows));
		const text = await readFile(page, 'utf8');
		const from = text.indexOf(begin);
		const to = text.indexOf(end);
		if (from < 0 || to < 0) throw new Error(`${page} has no place for the table`);
		const before = text.slice(0, from) + begin;
		await writeFormatted(page, `${before}\n\n${this.summary()}\n\n${text.slice(to)}`);
	}

	private summary(): string {
		return tableOf(
			['n8n', 'Faults', 'Events', 'Lost', 'Repeated'],
			modes.map((mode) => {
				const { times, atRisk, others, lost, repeated } = sum(
					mode.faults.map((fault) => this.row(mode, fault)),
				);
				return [mode.title, times, atRisk + others, lost, repeated];
			}),
		);
	}

	private row(mode: Mode, fault: Fault): Row {
		return this.rows[mode.name]?.[fault.name] ?? NONE;
	}
}

const sum = (rows: Row[]): Row =>
	rows.reduce((all, row) => ({
		times: all.times + row.times,
		atRisk: all.atRisk + row.atRisk,
		others: all.others + row.others,
		lost: all.lost + row.lost,
		repeated: all.repeated + row.repeated,
	}));

function tableOf(head: string[], rows: Array<Array<string | number>>): string {
	const line = head.map((_, at) => (typeof rows[0]?.[at] === 'number' ? '--:' : '---'));
	const cells = rows.map((row) => row.map((cell) => cell.toLocaleString('en-US')));
	return [head, line, ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

async function writeFormatted(path: string, text: string): Promise<void> {
	const options = await resolveConfig(path);
	await writeFile(path, await format(text, { ...options, filepath: path }));
}
