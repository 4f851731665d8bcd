import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the two runs of the tests leave for each other, in files of one folder. */

/** How often a test enters each mutant. */
export interface Entered {
	id: string;
	file: string;
	hits: Record<string, number>;
}

/** Which mutants each test is to try. The first run, which finds out what tests enter, has none. */
export type Plan = Record<string, string[]>;

export function readPlan(folder: string): Plan | undefined {
	const file = join(folder, 'plan.json');
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Plan) : undefined;
}

export const idsIn = (folder: string, name: string) =>
	new Set(
		readFileSync(join(folder, `${name}.txt`), 'utf8')
			.split('\n')
			.filter((line) => line !== ''),
	);
