import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../../playground/folders.mts';
import { modes } from './modes.mts';
import { recorded, type Round } from './results.mts';

const page = join(repository, 'docs', 'reliability.md');
const begin = '<!-- The table is written by: npm run test:crash -->';
const end = '<!-- End of the table -->';

/** Puts what was found so far into the page, and returns it. */
export async function writeTable(): Promise<string> {
	const table = tableOf(await recorded());
	const text = await readFile(page, 'utf8');
	const from = text.indexOf(begin);
	const to = text.indexOf(end);
	if (from < 0 || to < 0) throw new Error(`${page} has no place for the table`);
	const changed = `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`;
	const options = await resolveConfig(page);
	await writeFile(page, await format(changed, { ...options, filepath: page }));
	return table;
}

function tableOf(rounds: Round[]): string {
	const rows = modes.flatMap((mode) =>
		mode.faults.map((fault) => {
			const own = rounds.filter((round) => round.mode === mode.name && round.fault === fault.name);
			const sum = (field: 'emitted' | 'lost' | 'repeated') =>
				own.reduce((total, round) => total + round[field], 0).toLocaleString('en-US');
			return [
				...[mode.title, fault.title, String(own.length)],
				...[sum('emitted'), sum('lost'), sum('repeated')],
			];
		}),
	);
	const head = ['n8n', 'What happened', 'Kills', 'Emitted', 'Lost', 'Repeated'];
	const line = ['---', '---', '--:', '--:', '--:', '--:'];
	return [head, line, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
