import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { positive, whole } from '../../playground/options.mts';
import { histories, type History } from './history.mts';
import { kinds } from './kinds.mts';
import { play } from './player.mts';
import { CROWDED_SITUATIONS, SITUATIONS, Situations } from './situations.mts';

const usage = `Usage: npm run test:model -- [options]

Plays random histories of registers and streams to the polling trigger, and judges what comes.

  --runs <n>       histories (10000), of which a tenth with a trigger that can remember little
  --seed <n>       what they are drawn from (another one each time)
  --replay <file>  plays one history that was printed
  --as <kind>      how: ${Object.keys(kinds).join(' or ')} (roomy)
  --help           this text`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '10000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		replay: { type: 'string' },
		as: { type: 'string', default: 'roomy' },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
if (values.replay !== undefined) {
	const history = JSON.parse(readFileSync(values.replay, 'utf8')) as History;
	const limits = Object.entries(kinds).find(([name]) => name === values.as)?.[1];
	if (!limits) throw new Error(`There is no kind ${values.as}`);
	const { violations } = await play(history, limits, new Situations());
	for (const violation of violations) console.error(violation);
	process.exit(violations.length === 0 ? 0 : 1);
}

const runs = positive('--runs', values.runs);
const seed = whole('--seed', values.seed);
const crowded = Math.ceil(runs / 10);
const numbers: Record<keyof typeof kinds, number> = { roomy: runs - crowded, crowded };
const situations = new Situations();
const sum = { polls: 0, requests: 0, emitted: 0, largestState: 0 };
const started = performance.now();
let isKept = true;

for (const [name, limits] of Object.entries(kinds)) {
	let isShrinking = false;
	const property = fc.asyncProperty(histories, async (history) => {
		const played = await play(history, limits, isShrinking ? new Situations() : situations);
		sum.polls += played.polls;
		sum.requests += played.requests;
		sum.emitted += played.emitted;
		sum.largestState = Math.max(sum.largestState, played.largestState);
		isShrinking ||= played.violations.length > 0;
		if (isShrinking && played.violations.length > 0) throw new Error(played.violations.join('\n'));
	});
	const numRuns = numbers[name as keyof typeof kinds];
	const result = await fc.check(property, { numRuns, seed });
	if (!result.failed) continue;
	isKept = false;
	console.error(JSON.stringify(result.counterexample?.[0]));
	console.error(`As ${name}: ${String(result.errorInstance)}`);
}

const print = (name: string, figure: number) =>
	console.log(`${name.padEnd(60)}${figure.toLocaleString('en-US')}`);
const time = Math.round((performance.now() - started) / 1000);
for (const [name, figure] of Object.entries({ histories: runs, seed, ...sum, 'time, s': time }))
	print(name, figure);
console.log('\nRare situations, and how often they were met');
const all = [...SITUATIONS, ...CROWDED_SITUATIONS];
for (const situation of all) print(`  ${situation}`, situations.count(situation));
const missing = all.filter((situation) => situations.count(situation) === 0);
for (const situation of missing) console.error(`Never met: ${situation}`);
process.exitCode = isKept && missing.length === 0 ? 0 : 1;
