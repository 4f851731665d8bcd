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

const usage = `Usage: npm run test:mutation -- [options] [test files]

Makes each change to nodes/ that Stryker knows (a condition turned around, a text emptied, a call left out), and runs
the unit tests until one fails. What no test notices is written to artifacts/unnoticed.txt. How far a busy machine gets
varies, so compare two results of one quiet machine.

  --of <path>      changes only what begins with this (nodes/LicensingData/)
  --before <file>  an earlier result: fails if something is unnoticed that is not in it
  --help           this text`;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		of: { type: 'string', default: 'nodes/LicensingData/' },
		before: { type: 'string' },
		help: { type: 'boolean', default: false },
	},
});
if (values.help) {
	console.log(usage);
	process.exit();
}

const ROOT = resolve(import.meta.dirname, '../..');
const RESULT = join(ROOT, 'artifacts/unnoticed.txt');
/** Tables are facts, and each has a test of its own. */
const TABLES = /Table\.ts$|licenseNumbers\.ts$/;
const { of } = values;

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

const isMutated = (file: string) =>
	/^nodes\/.*\.ts$/.test(file) && file.startsWith(of) && !TABLES.test(file);
const sources = new Map(
	files.filter(isMutated).map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]),
);
const quiet = { isDebugEnabled: () => false, debug() {}, info() {}, warn: console.warn } as never;
const { files: changed, mutants } = await new Instrumenter(quiet).instrument(
	[...sources].map(([name, content]) => ({ name, content, mutate: true })),
	{ plugins: null, excludedMutations: [], ignorers: [] },
);
for (const { name, content } of changed) writeFileSync(join(folder, name), content);
for (const name of ['killed', 'loaded', 'entered', 'spent', 'doubts'])
	writeFileSync(join(folder, `${name}.txt`), '');
console.log(`${mutants.length} changes to ${sources.size} files`);

const config = join(folder, 'vitest.mutation.config.mts');
const began = Date.now();
await execa('node_modules/.bin/vitest', ['run', '--config', config, ...positionals], {
	cwd: folder,
	stdio: 'ignore',
	reject: false,
});

const idsIn = (name: string) =>
	new Set(
		readFileSync(join(folder, `${name}.txt`), 'utf8')
			.split('\n')
			.flatMap((line) => line.split('\t')[0] || []),
	);
process.stderr.write(readFileSync(join(folder, 'doubts.txt'), 'utf8'));
const killed = idsIn('killed');
const entered = idsIn('entered');
if (entered.size === 0)
	throw new Error('No test has entered any of them. Do the tests pass by themselves?');
// What runs while a module loads has run before any test could change it.
const loaded = new Set([...idsIn('loaded')].filter((id) => !entered.has(id)));
const left = mutants.filter(({ id }) => !killed.has(id) && !loaded.has(id));
const minutes = Math.round((Date.now() - began) / 60_000);
console.log(
	`${killed.size} noticed; ${loaded.size} not tried, since they run while a module loads; ${left.length} unnoticed; ${minutes} minutes`,
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

mkdirSync(dirname(RESULT), { recursive: true });
writeFileSync(RESULT, unnoticed.map(({ line, text }) => `${text}  (line ${line})\n`).join(''));
if (values.before === undefined) process.exit();

const known = new Map<string, number>();
for (const line of readFileSync(values.before, 'utf8').trim().split('\n')) {
	const text = line.replace(/ {2}\(line \d+\)$/, '');
	known.set(text, (known.get(text) ?? 0) + 1);
}
const fresh = unnoticed.filter(({ text }) => {
	const count = known.get(text) ?? 0;
	known.set(text, count - 1);
	return count <= 0;
});
for (const { line, text } of fresh) console.log(`line ${line} of ${text}`);
console.log(`${fresh.length} of them were noticed before`);
process.exit(fresh.length === 0 ? 0 : 1);
