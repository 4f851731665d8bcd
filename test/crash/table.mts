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

const page = join(repository, 'docs', 'reliability.md');
const begin = '<!-- The table is written by: npm run test:crash -->';
const end = '<!-- End of the table -->';
const head = ['n8n', 'What happened', 'Times', 'At risk', 'Others', 'Lost', 'Repeated'];
const line = ['---', '---', '--:', '--:', '--:', '--:', '--:'];

/** The table on the page is the only record: results are added to it, so a campaign may take days. */
export class Table {
	private constructor(
		private readonly before: string,
		/** By mode and fault: how many times it struck, and what came of it. */
		private readonly rows: Map<string, [times: number, ...counts: number[]]>,
		private readonly after: string,
	) {}

	static async read(): Promise<Table> {
		const text = await readFile(page, 'utf8');
		const from = text.indexOf(begin);
		const to = text.indexOf(end);
		if (from < 0 || to < 0) throw new Error(`${page} has no place for the table`);
		const rows = text.slice(from, to).split('\n').slice(4).map(cellsOf).filter(isRow);
		return new Table(
			text.slice(0, from),
			new Map(
				rows.map(([mode, fault, times, ...counts]) => [
					`${mode} | ${fault}`,
					[numberOf(times), ...counts.map(numberOf)],
				]),
			),
			text.slice(to),
		);
	}

	times(mode: Mode, fault: Fault): number {
		return this.rows.get(keyOf(mode, fault))?.[0] ?? 0;
	}

	add(mode: Mode, fault: Fault, { atRisk, others, lost, repeated }: Counts): void {
		const key = keyOf(mode, fault);
		const [times, ...sums] = this.rows.get(key) ?? [0, 0, 0, 0, 0];
		const counts = [atRisk, others, lost, repeated];
		this.rows.set(key, [times + 1, ...sums.map((sum, at) => sum + (counts[at] ?? 0))]);
	}

	toString(): string {
		const rows = modes.flatMap((mode) =>
			mode.faults.flatMap((fault) => {
				const numbers = this.rows.get(keyOf(mode, fault));
				return numbers ? [[mode.title, fault.title, ...numbers.map(textOf)]] : [];
			}),
		);
		return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
	}

	async write(): Promise<void> {
		const text = `${this.before}${begin}\n\n${this.toString()}\n\n${this.after}`;
		const options = await resolveConfig(page);
		await writeFile(page, await format(text, { ...options, filepath: page }));
	}
}

const keyOf = (mode: Mode, fault: Fault): string => `${mode.title} | ${fault.title}`;
const cellsOf = (text: string): string[] =>
	text
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim());
const isRow = (cells: string[]): boolean => cells.length === head.length;
const numberOf = (cell = ''): number => Number(cell.replaceAll(',', ''));
const textOf = (number: number): string => number.toLocaleString('en-US');
