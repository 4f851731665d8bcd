import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { repository } from '../../playground/folders.mts';
import { positive } from '../../playground/numbers.mts';
import { resume } from './campaign.mts';
import { faults } from './faults.mts';
import { modes } from './modes.mts';
import { Table } from './table.mts';

const usage = `Usage: npm run test:crash -- [options]

Stops and kills n8n and what it needs at random moments, and counts what the triggers emitted. Adds to
test/crash/record.json and the table in docs/operating.md, and so goes on where an earlier run stopped.

  --mode <name>     ${modes.map(({ name }) => name).join(', ')} (all, unless given; may be repeated)
  --fault <name>    ${Object.values(faults)
		.map(({ name }) => name)
		.join(', ')} (all of the mode, unless given; may be repeated)
  --times <n>       how often each fault strikes, earlier runs counted (default 30)
  --triggers <n>    active trigger workflows at each fault (default 10)
  --quick           a few rounds as tests; what else is given goes to vitest
  --help            show this`;

const args = process.argv.slice(2);

/** The quick ones are tests like any other, for a CI that counts them. */
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
			fault: { type: 'string', multiple: true },
			times: { type: 'string', default: '30' },
			triggers: { type: 'string', default: '10' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(usage);
		return;
	}
	expectKnown('mode', values.mode, modes);
	expectKnown('fault', values.fault, Object.values(faults));
	const isChosen = (names: string[] | undefined, { name }: { name: string }) =>
		names?.includes(name) ?? true;
	for (const mode of modes.filter((one) => isChosen(values.mode, one))) {
		await resume({
			mode,
			faults: mode.faults.filter((one) => isChosen(values.fault, one)),
			times: positive('--times', values.times),
			triggers: positive('--triggers', values.triggers),
			report: (line) => console.log(`${new Date().toISOString().slice(11, 19)}  ${line}`),
		});
	}
	console.log(String(await Table.read()));
}

function expectKnown(
	kind: string,
	names: string[] | undefined,
	known: Array<{ name: string }>,
): void {
	const unknown = names?.filter((name) => !known.some((one) => one.name === name)) ?? [];
	if (unknown.length === 0) return;
	throw new Error(`There is no ${kind} ${unknown.join(', ')}.\n\n${usage}`);
}

if (args.includes('--quick')) runTests();
await runCampaign();
