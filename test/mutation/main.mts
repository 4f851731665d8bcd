import { execFileSync } from 'node:child_process';
import {
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { execa } from 'execa';

import { planFor } from './plan.mts';
import { idsIn, type Entered } from './results.mts';

const usage = `Usage: npm run test:mutation -- [options] [test files]

Makes each change to nodes/ that Stryker knows (a condition turned around, a text emptied, a call left out), and tries
it with up to twenty of the unit tests that enter it, the same ones each time. test/mutation/unnoticed.txt lists what
none of these has noticed: the run fails if there is more. Then see it fail a test, or, if no user would notice it
either, write the list anew. All of it takes two cores half an hour.

  --of <path>  changes only what begins with this (nodes/LicensingData/)
  --accept     writes the list anew
  --help       this text`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		of: { type: 'string', default: 'nodes/LicensingData/' },
		accept: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}

const ROOT = resolve(import.meta.dirname, '../..');
const KNOWN = join(ROOT, 'test/mutation/unnoticed.txt');
/** Tables are facts, and each has a test of its own. */
const TABLES = /Table\.ts$|licenseNumbers\.ts$/;
/** A mutant that spoils a process costs one more. */
const MOST_ROUNDS = 40;
const { of } = values;
const minutes = () => `${Math.round((Date.now() - began) / 60_000)} minutes`;

// A copy, where no other tool finds the changed files.
const folder = mkdtempSync(join(tmpdir(), 'licensing-data-mutation-'));
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
	cwd: ROOT,
	encoding: 'utf8',
})
	.trim()
	.split('\n');
for (const file of files) {
	mkdirSync(dirname(join(folder, file)), { recursive: true });
	cpSync(join(ROOT, file), join(folder, file));
}
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

const isMutated = (file: string) => /^nodes\/.*\.ts$/.test(file) && !TABLES.test(file);
const sources = new Map(
	files.filter(isMutated).map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]),
);
const quiet = { isDebugEnabled: () => false, debug() {}, info() {}, warn: console.warn } as never;
const { files: changed, mutants: all } = await new Instrumenter(quiet).instrument(
	[...sources].map(([name, content]) => ({ name, content, mutate: true })),
	{ plugins: null, excludedMutations: [], ignorers: [] },
);
for (const { name, content } of changed) writeFileSync(join(folder, name), content);
for (const name of ['killed', 'loaded', 'entered', 'done', 'doubts'])
	writeFileSync(join(folder, `${name}.txt`), '');
const mutants = all.filter(({ fileName }) => fileName.startsWith(of));
console.log(`${mutants.length} changes`);

async function runTests(files: string[]): Promise<void> {
	const config = join(folder, 'vitest.mutation.config.mts');
	await execa('node_modules/.bin/vitest', ['run', '--config', config, ...files], {
		cwd: folder,
		stdio: 'ignore',
		reject: false,
	});
}

const began = Date.now();
await runTests(positionals);
const tests = readFileSync(join(folder, 'entered.txt'), 'utf8')
	.split('\n')
	.filter((line) => line !== '')
	.map((line) => JSON.parse(line) as Entered);
const entered = new Set(tests.flatMap(({ hits }) => Object.keys(hits)));
if (entered.size === 0)
	throw new Error('No test has entered any of them. Do the tests pass by themselves?');
const plan = planFor(tests, new Set(mutants.map(({ id }) => id)));
const tries = Object.values(plan).flat().length;
console.log(
	`${entered.size} entered by ${tests.length} tests; ${tries} tries at most; ${minutes()}`,
);
writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
writeFileSync(join(folder, 'done.txt'), '');
for (let round = 1; round <= MOST_ROUNDS; round++) {
	const done = idsIn(folder, 'done');
	const waiting = tests.filter(({ id }) => plan[id] && !done.has(id));
	if (waiting.length === 0) break;
	if (round === MOST_ROUNDS) console.log(`${waiting.length} tests are not finished`);
	await runTests([...new Set(waiting.map(({ file }) => file))]);
}

process.stderr.write(readFileSync(join(folder, 'doubts.txt'), 'utf8'));
const killed = idsIn(folder, 'killed');
// What runs while a module loads has run before any test could change it.
const atLoad = idsIn(folder, 'loaded');
const loaded = mutants.filter(({ id }) => atLoad.has(id) && !entered.has(id));
const left = mutants.filter((one) => !killed.has(one.id) && !loaded.includes(one));
console.log(
	`${killed.size} noticed; ${loaded.length} not tried, since they run while a module loads; ${left.length} unnoticed; ${minutes()}`,
);

const oneLine = (text: string) => {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};
/** Without its line, which changes with every edit above it. */
const unnoticed = left.map(({ fileName, location: { start, end }, replacement, mutatorName }) => {
	const lines =
		sources
			.get(fileName)
			?.split('\n')
			.slice(start.line, end.line + 1) ?? [];
	const last = lines.length - 1;
	lines[last] = (lines[last] ?? '').slice(0, end.column);
	lines[0] = (lines[0] ?? '').slice(start.column);
	const change = `${oneLine(lines.join('\n'))}  →  ${oneLine(replacement)}`;
	return {
		line: start.line + 1,
		text: `${fileName.replace('nodes/LicensingData/', '')}  ${mutatorName}  ${change}`,
	};
});
rmSync(folder, { recursive: true });

const known = readFileSync(KNOWN, 'utf8').split('\n').slice(0, -1);
const isTried = (line: string) => `nodes/LicensingData/${line}`.startsWith(of);
if (values.accept) {
	const lines = [...known.filter((line) => !isTried(line)), ...unnoticed.map(({ text }) => text)];
	writeFileSync(KNOWN, `${lines.sort().join('\n')}\n`);
	process.exit();
}
const fresh = unnoticed.filter(({ text }) => {
	const at = known.indexOf(text);
	if (at >= 0) known.splice(at, 1);
	return at < 0;
});
for (const { line, text } of fresh) console.log(`Unnoticed, line ${line} of ${text}`);
console.log(
	`${fresh.length} of them are not in the list; ${known.filter(isTried).length} in it are noticed now, or gone`,
);
process.exit(fresh.length === 0 ? 0 : 1);
