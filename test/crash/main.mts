import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '../../playground/folders.mts';
import { positive } from '../../playground/numbers.mts';
import { resume } from './campaign.mts';
import { modes } from './modes.mts';
import { writeTable } from './table.mts';

const usage = `Usage: npm run test:crash -- [options]

Kills n8n, its workers, Redis and PostgreSQL at random moments, and counts what the triggers emitted. Goes on
where the last run stopped, and writes the table in docs/reliability.md.

  --mode <name>     ${modes.map(({ name }) => name).join(', ')} (all, unless given; may be repeated)
  --kills <n>       kills a mode, those of earlier runs counted (default 30)
  --triggers <n>    active trigger workflows at each kill (default 10)
  --table           only write the table
  --quick           a few rounds as tests; what else is given goes to vitest
  --help            show this`;

const args = process.argv.slice(2);

/** The quick ones are tests like all others, for a CI that counts them. */
function runTests(): never {
	const vitest = createRequire(import.meta.url).resolve('vitest/package.json');
	const config = ['--config', join(repository, 'vitest.crash.config.mts')];
	const { status } = spawnSync(
		process.execPath,
		[
			join(dirname(vitest), 'vitest.mjs'),
			'run',
			...config,
			...args.filter((arg) => arg !== '--quick'),
		],
		{ cwd: repository, stdio: 'inherit' },
	);
	process.exit(status ?? 1);
}

async function runCampaign(): Promise<void> {
	const { values } = parseArgs({
		args,
		options: {
			mode: { type: 'string', multiple: true },
			kills: { type: 'string', default: '30' },
			triggers: { type: 'string', default: '10' },
			table: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return;
	}
	const names = modes.map(({ name }) => name);
	const unknown = values.mode?.filter((name) => !names.includes(name)) ?? [];
	if (unknown.length > 0) throw new Error(`There is no mode ${unknown.join(', ')}.\n\n${usage}`);
	const chosen = modes.filter(({ name }) => values.mode?.includes(name) ?? true);
	for (const mode of values.table ? [] : chosen) {
		await resume({
			mode,
			kills: positive('--kills', values.kills),
			triggers: positive('--triggers', values.triggers),
			report: (line) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`),
		});
	}
	console.log(await writeTable());
}

if (args.includes('--quick')) runTests();
await runCampaign();
