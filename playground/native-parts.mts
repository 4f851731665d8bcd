/** n8n's parts that are not JavaScript: SQLite, and the sandbox for newer versions' expressions. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logFile } from './folders.mts';
import { run, step } from './steps.mts';

const RELEASE = 'https://github.com/TryGhost/node-sqlite3/releases/download/v5.1.7';

/**
 * SQLite's own install script runs whatever it downloads. These are the files of version 5.1.7 that are known, by
 * their SHA-256; on other machines, SQLite is compiled from the package, whose checksum is in the lock file.
 */
const READY_MADE: Record<string, string> = {
	'linux-x64': '6d1f7a95e5aca90db1fd6a2839380a021d5ee23d46f2d7c520ded094da813fed',
	'linux-arm64': '0f112c63a74bebdffce298792c264b3af4b85d7fe1975a4bca1227438f531dbb',
	'darwin-arm64': '84a34404b12ff212adbca70eff76c2e4dd83b91245eed0b4569438f928567afc',
};

/** The libraries of Alpine and the like are others than those that the files for Linux need. */
const hasOtherLibraries = () => {
	const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
	return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
};

/** Downloads a file if it is the expected one; false if not, or if it cannot be had. */
export async function download(address: string, checksum: string, file: string): Promise<boolean> {
	try {
		const response = await fetch(address, { signal: AbortSignal.timeout(60_000) });
		const bytes = Buffer.from(await response.arrayBuffer());
		const isExpected = createHash('sha256').update(bytes).digest('hex') === checksum;
		if (isExpected) await writeFile(file, bytes);
		return isExpected;
	} catch {
		return false;
	}
}

/** Tells whether a part was there for this machine and is in place. */
async function unpackReadyMade(sqlite: string): Promise<boolean> {
	const machine = `${process.platform}-${process.arch}`;
	const checksum = READY_MADE[machine];
	if (checksum === undefined || hasOtherLibraries()) return false;
	const file = join(sqlite, 'ready-made.tar.gz');
	const address = `${RELEASE}/sqlite3-v5.1.7-napi-v6-${machine}.tar.gz`;
	if (!(await download(address, checksum, file))) return false;
	await run('tar', ['-xzf', file], { cwd: sqlite, log: logFile('unpack-sqlite') });
	await rm(file);
	return true;
}

/** The only install scripts that n8n needs, run by the Node.js that runs it. */
export async function addNativeParts(name: string, folder: string, node: string): Promise<void> {
	const home = join(node, '..', '..');
	const [sqlite = '', sandbox = ''] = ['sqlite3', 'isolated-vm'].map((part) =>
		join(folder, 'node_modules', part),
	);
	const isCompiling = () =>
		[sqlite, sandbox].some((part) => existsSync(join(part, 'build', 'Makefile')));
	await step(
		"Adding n8n's native parts",
		async () => {
			const left = (await unpackReadyMade(sqlite)) ? [] : ['sqlite3'];
			await run('npm', ['rebuild', '--ignore-scripts=false', 'isolated-vm', ...left], {
				...{ cwd: folder, log: logFile(`${name}-native`), node },
				env: {
					npm_config_build_from_source: 'sqlite3',
					// This Node.js comes with its headers, so none are downloaded.
					...(existsSync(join(home, 'include', 'node', 'node.h')) && {
						npm_config_nodedir: home,
						JOBS: 'max',
					}),
				},
			});
		},
		() =>
			isCompiling() ? 'takes about four minutes, as no ready-made part fits this machine' : '',
	);
}
