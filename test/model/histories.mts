import { parseArgs } from 'node:util';
import fc from 'fast-check';

import { pollFeed } from '../../nodes/LicensingData/feed/poll.ts';
import { largeHistory, smallHistory, type History } from './feed-history.mts';
import { play, type Played } from './feed-player.mts';
import type { Violation } from './feed-truth.mts';

/** `npm run test:model`: as many random histories as asked for, and what became of their events. */
const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '10000' },
		/** How many of them are large; they take a hundred times as long. */
		large: { type: 'string' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
	},
});
const runs = Number(values.runs);
const seed = Number(values.seed);

const sum: Played = {
	polls: 0,
	requests: 0,
	emitted: 0,
	shrunk: 0,
	largestState: 0,
	violations: [],
};
let isSearching = true;

async function check(history: History): Promise<boolean> {
	const played = await play(history, pollFeed);
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
const large = Number(values.large ?? Math.ceil(runs / 50));
let hasFailed = false;
for (const [histories, numRuns] of [
	[smallHistory, runs - large],
	[largeHistory, large],
] as const) {
	isSearching = true;
	const result = await fc.check(fc.asyncProperty(histories, check), { numRuns, seed });
	if (!result.failed) continue;
	hasFailed = true;
	const [shortest] = result.counterexample ?? [];
	if (!shortest) throw result.errorInstance;
	console.error(JSON.stringify(shortest, undefined, 2));
	const { violations } = await play(shortest, pollFeed);
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
