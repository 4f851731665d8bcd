import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';

import { Table } from './table.mts';

const { values } = parseArgs({
	options: {
		runs: { type: 'string', default: '2000' },
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
	},
});
process.env.HOSTILE_RUNS = values.runs;
process.env.HOSTILE_SEED = values.seed;
console.log(
	`Trying every kind of hostile input; ${values.runs} times where it is made up, from seed ${values.seed}.`,
);

const vitest = await startVitest('test', [], {
	project: ['hostile'],
	watch: false,
	reporters: [new Table()],
});
await vitest.close();
