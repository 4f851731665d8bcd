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

import { A_FEW, ALL, planFor } from './plan.mts';
import { idsIn, type Entered, type Plan } from './results.mts';

const usage = `Usage: npm run test:mutation -- [options] [test files]

Makes each change to nodes/ that Stryker knows (a condition turned around, a text emptied, a call left out), and tries
it with up to twenty of the unit tests that enter it, the same ones each time. test/mutation/unnoticed.txt lists what
none of these has noticed. What is not in the list is tried with all unit tests; the run fails if none of them notices
it. Then see it fail a test, or, if no user would notice it either, write the list anew. All of it takes two
cores half an hour.

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
const MOST_ROUNDS = 200;
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
type Mutant = (typeof all)[number];
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

const known = readFileSync(KNOWN, 'utf8').split('\n').slice(0, -1);
const isTried = (line: string) => `nodes/LicensingData/${line}`.startsWith(of);
const [kept, listed] = [known.filter((line) => !isTried(line)), known.filter(isTried)];
// What runs while a module loads has run before any test could change it.
const atLoad = idsIn(folder, 'loaded');
const tried = mutants.filter(({ id }) => entered.has(id) || !atLoad.has(id));

await tryWith(planFor(tests, tried, A_FEW));
// A new test changes which few they are. So what the list does not have is tried with all of them before it is named.
const suspects = new Set(missingFrom(listed, unnoticed()).map(textOf));
await tryWith(
	planFor(
		tests,
		unnoticed().filter((one) => suspects.has(textOf(one))),
		ALL,
	),
);

process.stderr.write(readFileSync(join(folder, 'doubts.txt'), 'utf8'));
const left = unnoticed();
rmSync(folder, { recursive: true });
console.log(
	`${tried.length - left.length} noticed; ${left.length} unnoticed; ${mutants.length - tried.length} not tried, since they run while a module loads; ${minutes()}`,
);
if (values.accept) {
	writeFileSync(KNOWN, `${[...kept, ...left.map(textOf)].sort().join('\n')}\n`);
	process.exit();
}
const fresh = missingFrom(listed, left);
for (const one of fresh)
	console.log(`Unnoticed, line ${one.location.start.line + 1} of ${textOf(one)}`);
console.log(
	`${fresh.length} of them are not in the list; ${listed.length - (left.length - fresh.length)} in it are noticed now, or gone`,
);
process.exit(fresh.length === 0 ? 0 : 1);

async function tryWith(plan: Plan): Promise<void> {
	const tries = Object.values(plan).flat().length;
	if (tries > 0) console.log(`${tries} tries at most; ${minutes()}`);
	writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
	writeFileSync(join(folder, 'done.txt'), '');
	for (let round = 1; round <= MOST_ROUNDS; round++) {
		const done = idsIn(folder, 'done');
		const waiting = tests.filter(({ id }) => plan[id] && !done.has(id));
		if (waiting.length === 0) return;
		if (round === MOST_ROUNDS) console.log(`${waiting.length} tests are not finished`);
		await runTests([...new Set(waiting.map(({ file }) => file))]);
	}
}

function unnoticed(): Mutant[] {
	const killed = idsIn(folder, 'killed');
	return tried.filter(({ id }) => !killed.has(id));
}

/** Some changes read the same, so a text may stand in the list more than once. */
function missingFrom(list: string[], changes: Mutant[]): Mutant[] {
	const open = [...list];
	return changes.filter((one) => {
		const at = open.indexOf(textOf(one));
		if (at >= 0) open.splice(at, 1);
		return at < 0;
	});
}

/** Without its line, which changes with every edit above it. */
function textOf({ fileName, location: { start, end }, replacement, mutatorName }: Mutant): string {
	const lines =
		sources
			.get(fileName)
			?.split('\n')
			.slice(start.line, end.line + 1) ?? [];
	const last = lines.length - 1;
	lines[last] = (lines[last] ?? '').slice(0, end.column);
	lines[0] = (lines[0] ?? '').slice(start.column);
	const change = `${oneLine(lines.join('\n'))}  →  ${oneLine(replacement)}`;
	return `${fileName.replace('nodes/LicensingData/', '')}  ${mutatorName}  ${change}`;
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
