import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { positive, whole } from '../../playground/options.mts';
import { histories, type History } from './history.mts';
import { play } from './player.mts';
import { type Situation, SITUATIONS } from './situations.mts';

const usage = `Usage: npm run test:model -- [options]

Plays random histories of registers and streams to the polling trigger, and judges what comes.

  --runs <n>       histories (10000)
  --seed <n>       what they are drawn from (another one each time)
  --replay <file>  plays one history that was printed
  --help           this text`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '10000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		replay: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
if (values.replay !== undefined) {
	const { violations } = await play(JSON.parse(readFileSync(values.replay, 'utf8')) as History);
	for (const violation of violations) console.error(violation);
	process.exit(violations.length === 0 ? 0 : 1);
}

const numRuns = positive('--runs', values.runs);
const seed = whole('--seed', values.seed);
const met = new Map<Situation, number>(SITUATIONS.map((situation) => [situation, 0]));
const sum = { polls: 0, requests: 0, emitted: 0 };
const started = performance.now();
const property = fc.asyncProperty(histories, async (history) => {
	const { violations, ...played } = await play(history, (situation) =>
		met.set(situation, Number(met.get(situation)) + 1),
	);
	for (const name of ['polls', 'requests', 'emitted'] as const) sum[name] += played[name];
	if (violations.length > 0) throw new Error(violations.join('\n'));
});
const { failed, counterexample, errorInstance } = await fc.check(property, { numRuns, seed });
if (failed) console.error(`${JSON.stringify(counterexample?.[0])}\n${String(errorInstance)}`);

const print = (name: string, figure: number) =>
	console.log(`${name.padEnd(60)}${figure.toLocaleString('en-US')}`);
const time = Math.round((performance.now() - started) / 1000);
for (const [name, figure] of Object.entries({ histories: numRuns, seed, ...sum, 'time, s': time }))
	print(name, figure);
console.log('\nRare situations, and how often they were met');
for (const [situation, count] of met) print(`  ${situation}`, count);
const missing = SITUATIONS.filter((situation) => met.get(situation) === 0);
for (const situation of missing) console.error(`Never met: ${situation}`);
process.exitCode = failed || missing.length > 0 ? 1 : 0;
