import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../../playground/folders.mts';
import { modes } from './modes.mts';
import { recorded, type Round } from './results.mts';

const page = join(repository, 'docs', 'reliability.md');
const begin = '<!-- The table is written by: npm run test:crash -->';
const end = '<!-- End of the table -->';

/** Puts what was found so far into the page, and returns it. Rows of which nothing was recorded here stay. */
export async function writeTable(): Promise<string> {
	const text = await readFile(page, 'utf8');
	const from = text.indexOf(begin);
	const to = text.indexOf(end);
	if (from < 0 || to < 0) throw new Error(`${page} has no place for the table`);
	const table = tableOf(await recorded(), rowsOf(text.slice(from, to)));
	const changed = `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
	const options = await resolveConfig(page);
	await writeFile(page, await format(changed, { ...options, filepath: page }));
	return table;
}

const head = ['n8n', 'What happened', 'Times', 'At risk', 'Others', 'Lost', 'Repeated'];

function tableOf(rounds: Round[], earlier: string[][]): string {
	const rows = modes.flatMap((mode) =>
		mode.faults.flatMap((fault) => {
			const own = rounds.filter((round) => round.mode === mode.name && round.fault === fault.name);
			const names = [mode.title, fault.title];
			if (own.length === 0) {
				return earlier.filter(
					(row) => row.length === head.length && names.every((name, at) => row[at] === name),
				);
			}
			const sum = (field: 'atRisk' | 'others' | 'lost' | 'repeated') =>
				own.reduce((total, round) => total + round[field], 0).toLocaleString('en-US');
			const counts = [sum('atRisk'), sum('others'), sum('lost'), sum('repeated')];
			return [[...names, String(own.length), ...counts]];
		}),
	);
	const line = ['---', '---', '--:', '--:', '--:', '--:', '--:'];
	return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const rowsOf = (table: string): string[][] =>
	table
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) =>
			line
				.split('|')
				.slice(1, -1)
				.map((cell) => cell.trim()),
		);
