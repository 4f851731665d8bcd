import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { LIMITS } from './hostile-world.mts';

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8');
const oracle = read('hostile-world.mts') + read('oracle.mts');
const [, known = ''] = read('..', '..', 'docs', 'trigger.md').split('## Known limits');
const titles = Object.keys(LIMITS);

it('The oracle excuses what docs/trigger.md says, and nothing else', () => {
	const documented = known.matchAll(/^\d+\. \*\*(.+?) \([\d, ]+\)\.\*\*/gm);
	expect([...documented].map(([, title]) => title)).toEqual(titles);
});

it('The oracle names the number of each limit where it excuses something', () => {
	const named = [...oracle.matchAll(/[Ll]imits? (\d+)(?: and (\d+))?/g)]
		.flatMap(([, ...numbers]) => numbers)
		.filter((number) => number !== undefined);
	const numbers = titles.map((_, index) => String(index + 1));
	expect([...new Set(named)].sort()).toEqual(numbers.sort());
});
