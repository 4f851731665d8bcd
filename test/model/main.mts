import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { positive, whole } from '../../playground/numbers.mts';
import { LARGE_SITUATIONS, RARE_SITUATIONS, Situations } from './rare-situations.mts';
import { kinds, type Kind } from './runs.mts';
import { readHistory, writeHistory, type History } from './trigger-history.mts';
import type { Violation } from './oracle.mts';
import { play, type Played } from './trigger-player.mts';
import { trigger } from './trigger-under-test.mts';

const usage = `Usage: npm run test:model -- [options]

Plays random histories to the polling trigger, and says what became of their events. Half of them are of the
promised world, in which each event must come exactly once, and half of the hostile one.

  --runs <n>     histories (10000)
  --large <n>    how many of them are large; they take a hundred times as long (a fiftieth)
  --small <n>    how many of them play with a memory that short histories fill (a fifth)
  --seed <n>     what they are drawn from (another one each time)
  --replay <file>  plays one history that was printed
  --as <kind>    how: promised, hostile, crowded, large or largeHostile (promised)
  --help         this text`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '10000' },
		large: { type: 'string' },
		small: { type: 'string' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		replay: { type: 'string' },
		as: { type: 'string', default: 'promised' },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
const runs = positive('--runs', values.runs);
const seed = whole('--seed', values.seed);
const large = whole('--large', values.large ?? String(Math.ceil(runs / 50)));
const small = whole('--small', values.small ?? String(Math.ceil(runs / 5)));
const half = (count: number) => [Math.ceil(count / 2), Math.floor(count / 2)] as const;
const [promised, hostile] = half(runs - large - small);
const [largePromised, largeHostile] = half(large);
const numbers: Record<keyof typeof kinds, number> = {
	promised,
	hostile,
	crowded: small,
	large: largePromised,
	largeHostile,
};

const situations = new Situations();
const sum: Played = {
	polls: 0,
	requests: 0,
	emitted: 0,
	warnings: 0,
	largestState: 0,
	violations: [],
};

function add(played: Played): void {
	sum.polls += played.polls;
	sum.requests += played.requests;
	sum.emitted += played.emitted;
	sum.warnings += played.warnings;
	sum.largestState = Math.max(sum.largestState, played.largestState);
	sum.violations.push(...played.violations);
}

/** Prints the shortest history that breaks a promise. */
async function check({ histories, ...kind }: Kind, numRuns: number): Promise<boolean> {
	let isShrinking = false;
	const property = fc.asyncProperty(histories, async (history: History) => {
		const met = isShrinking ? new Situations() : situations;
		const played = await play(history, trigger, kind.room, met, kind.world);
		if (!isShrinking) add(played);
		isShrinking ||= played.violations.length > 0;
		return played.violations.length === 0;
	});
	const result = await fc.check(property, { numRuns, seed });
	if (!result.failed) return true;
	const [shortest] = result.counterexample ?? [];
	if (!shortest) throw result.errorInstance;
	console.error(writeHistory(shortest));
	await replay(shortest, kind);
	return false;
}

async function replay(history: History, { room, world }: Omit<Kind, 'histories'>) {
	const { violations } = await play(history, trigger, room, new Situations(), world);
	for (const { promise, what } of violations) console.error(`Promise ${promise}: ${what}`);
	return violations.length === 0;
}

if (values.replay !== undefined) {
	const history = readHistory(readFileSync(values.replay, 'utf8'));
	const kind = Object.entries(kinds).find(([name]) => name === values.as)?.[1];
	if (!kind) throw new Error(`There is no kind ${values.as}`);
	const isKept = await replay(history, kind);
	process.exit(isKept ? 0 : 1);
}

const started = performance.now();
let isKept = true;
for (const [name, kind] of Object.entries(kinds)) {
	const numRuns = numbers[name as keyof typeof kinds];
	if (numRuns > 0) isKept = (await check(kind, numRuns)) && isKept;
}

const count = (kind: Violation['kind']) =>
	sum.violations.filter((violation) => violation.kind === kind).length;
const figures = {
	histories: runs,
	seed,
	polls: sum.polls,
	requests: sum.requests,
	'events emitted': sum.emitted,
	lost: count('lost'),
	repeated: count('repeated'),
	'out of order': count('outOfOrder'),
	'other promises broken': count('other'),
	warnings: sum.warnings,
	'largest state, bytes': sum.largestState,
	'time, s': Math.round((performance.now() - started) / 100) / 10,
};
const print = (name: string, figure: number) =>
	console.log(`${name.padEnd(76)}${figure.toLocaleString('en-US')}`);
for (const [name, figure] of Object.entries(figures)) print(name, figure);

console.log('\nRare situations, and how often they were met');
const expected = [...RARE_SITUATIONS, ...(large > 0 ? LARGE_SITUATIONS : [])];
for (const situation of expected) print(`  ${situation}`, situations.count(situation));
const missing = expected.filter((situation) => situations.count(situation) === 0);
for (const situation of missing) console.error(`Never met: ${situation}`);
process.exitCode = isKept && missing.length === 0 ? 0 : 1;
