import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

import { positive, whole } from '../../playground/numbers.mts';
import { Table } from './table.mts';

const usage = `Usage: npm run test:hostile -- [options]

Tries every kind of hostile input, and prints what got through.

  --runs <n>   how often, where the input is made up (2000)
  --seed <n>   what it is made from (another one each time)
  --help       this text`;

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '2000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}
process.env.HOSTILE_RUNS = String(positive('--runs', values.runs));
process.env.HOSTILE_SEED = String(whole('--seed', values.seed));
console.log(
	`Trying every kind of hostile input; ${values.runs} times where it is made up, from seed ${values.seed}.`,
);

const vitest = await startVitest('test', [], {
	project: ['hostile'],
	watch: false,
	reporters: [new Table()],
});
await vitest.close();
