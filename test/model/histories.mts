import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { positive, whole } from '../../playground/numbers.mts';
import { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import { crowdedHistory, largeHistory, smallHistory, type History } from './feed-history.mts';
import { feedWith, SMALL_MEMORY, smallMemory } from './feed-mutants.mts';
import { play, type Played, type PollFeed } from './feed-player.mts';
import type { Violation } from './feed-truth.mts';

const usage = `Usage: npm run test:model -- [options]

Plays random histories to the trigger's feed, and says what became of their events.

  --runs <n>     histories (10000)
  --large <n>    how many of them are large; they take a hundred times as long (a fiftieth)
  --small <n>    how many of them play with a memory that short histories fill (a fifth)
  --seed <n>     what they are drawn from (another one each time)
  --help         this text`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '10000' },
		large: { type: 'string' },
		small: { type: 'string' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
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

const sum: Played = {
	polls: 0,
	requests: 0,
	emitted: 0,
	shrunk: 0,
	largestState: 0,
	violations: [],
};
let isSearching = true;

/** One way to play: which histories, how many, and to which feed. */
interface Setting {
	histories: fc.Arbitrary<History>;
	numRuns: number;
	feed: PollFeed;
	mostBytes?: number;
}

const settings: Setting[] = [
	{ histories: smallHistory, numRuns: runs - large - small, feed: pollFeed },
	{ histories: largeHistory, numRuns: large, feed: pollFeed },
	{
		histories: fc.oneof(smallHistory, crowdedHistory),
		numRuns: small,
		feed: feedWith(smallMemory),
		mostBytes: SMALL_MEMORY.bytes,
	},
];

async function check(history: History, { feed, mostBytes }: Setting): Promise<boolean> {
	const played = await play(history, feed, mostBytes);
	// Shrinking plays smaller versions of what failed; they count for nothing.
	if (isSearching) {
		sum.polls += played.polls;
		sum.requests += played.requests;
		sum.emitted += played.emitted;
		sum.shrunk += played.shrunk;
		sum.largestState = Math.max(sum.largestState, played.largestState);
		sum.violations.push(...played.violations);
	}
	isSearching &&= played.violations.length === 0;
	return played.violations.length === 0;
}

const started = performance.now();
let hasFailed = false;
for (const setting of settings) {
	isSearching = true;
	const { histories, numRuns, feed, mostBytes } = setting;
	if (numRuns <= 0) continue;
	const property = fc.asyncProperty(histories, (history) => check(history, setting));
	const result = await fc.check(property, { numRuns, seed });
	if (!result.failed) continue;
	hasFailed = true;
	const [shortest] = result.counterexample ?? [];
	if (!shortest) throw result.errorInstance;
	console.error(JSON.stringify(shortest, undefined, 2));
	const { violations } = await play(shortest, feed, mostBytes);
	for (const { what } of violations) console.error(what);
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
	'polls that said the window shrank': sum.shrunk,
	'largest state, bytes': sum.largestState,
	'time, s': Math.round((performance.now() - started) / 100) / 10,
};
for (const [name, figure] of Object.entries(figures))
	console.log(`${name.padEnd(36)}${figure.toLocaleString('en-US')}`);
process.exitCode = hasFailed ? 1 : 0;
