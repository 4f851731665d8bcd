import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

import { testFolder } from '../../playground/folders.mts';
import { manifest, ROOT } from '../support/manifest.mts';
import { startStage } from './stage.mts';

const folder = join(testFolder, 'install');
const clone = join(folder, 'clone');

/** Plays a container: a shell with a home of its own. */
const DOCKER = `#!/bin/sh
test "$1 $2 $3" = 'exec -i n8n' && shift 3 && exec "$@"
`;

/** The commands of docs/operating.md in the section on installing that follow such words. */
async function commandsAfter(words: RegExp): Promise<string> {
	const page = await readFile(join(ROOT, 'docs', 'operating.md'), 'utf8');
	const [section = ''] = /^## Install, [^]*?(?=^## )/m.exec(page) ?? [];
	const parts = section.split('```');
	const block = parts[parts.findIndex((part) => words.test(part)) + 1] ?? '';
	expect(block).toMatch(/^bash\n/);
	return block.replace(/^bash/, '');
}

/** Runs them as they are written, where a user has the clone. */
async function runAsWritten(commands: string, home: string): Promise<void> {
	const bin = join(folder, 'bin');
	await mkdir(bin, { recursive: true });
	await writeFile(join(bin, 'docker'), DOCKER);
	await chmod(join(bin, 'docker'), 0o755);
	// The packages that this repository has come from npm's own store of them.
	const { stdout: cache } = await execa('npm', ['config', 'get', 'cache']);
	const inherited = Object.entries(process.env).filter(
		([name]) => !/^(npm_|NODE_|VITEST)/.test(name),
	);
	await execa('bash', ['-euc', commands], {
		cwd: clone,
		extendEnv: false,
		env: {
			...Object.fromEntries(inherited),
			HOME: home,
			PATH: `${bin}${delimiter}${process.env.PATH}`,
			npm_config_cache: cache,
			npm_config_prefer_offline: 'true',
		},
	});
}

beforeAll(async () => {
	await rm(folder, { recursive: true, force: true });
	await execa('git', ['clone', '--quiet', ROOT, clone]);
	await runAsWritten(await commandsAfter(/in a \[clone/), folder);
}, 900_000);

// ESLint would read it.
afterAll(async () => await rm(clone, { recursive: true, force: true }));

it.each([
	['without Docker', /without Docker/],
	['in Docker, whose part is played', /in a container/],
])("The documented commands put the nodes into a user's n8n %s", async (name, words) => {
	const home = join(folder, name.replace(/\W+/g, '-'));
	// It is there once n8n has run.
	await mkdir(join(home, '.n8n'), { recursive: true });
	await runAsWritten(await commandsAfter(words), home);
	const stage = await startStage(home);
	const names = (await stage.client.nodeTypes()).map((node) => node.name);
	await stage.close();
	expect(names).toContain(`${manifest.name}.licensingDataTrigger`);
});
