import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { logFile, repository, workspace } from './folders.mts';
import { run, step, withLock } from './steps.mts';

/** What the package is made of; as long as none of it changes, it is not rebuilt. */
const folders = ['credentials', 'nodes', 'icons'];
const files = ['gulpfile.js', 'package.json', 'tsconfig.json', 'README.md', 'LICENSE.md'];

const packed = join(workspace, 'package');

/** Builds and packs the package as it would be published, and returns the tarball's path. */
export async function packPackage(): Promise<string> {
	return await withLock(join(workspace, 'package.lock'), async () => {
		const folder = join(packed, await fingerprint());
		return (await tarballIn(folder)) ?? (await step('Building the package', () => build(folder)));
	});
}

async function build(folder: string): Promise<string> {
	const cwd = repository;
	await run('npm', ['run', 'build'], { cwd, log: logFile('package-build') });
	// Packed next to its destination and then moved, so that a killed run leaves no half tarball behind.
	const unfinished = `${folder}.unfinished`;
	await rm(packed, { recursive: true, force: true });
	await mkdir(unfinished, { recursive: true });
	const args = ['pack', '--ignore-scripts', '--pack-destination', unfinished];
	await run('npm', args, { cwd, log: logFile('package-pack') });
	await rename(unfinished, folder);
	const tarball = await tarballIn(folder);
	if (!tarball) throw new Error(`npm pack left no tarball in ${folder}`);
	return tarball;
}

async function tarballIn(folder: string): Promise<string | undefined> {
	const names = await readdir(folder).catch(() => []);
	const tarball = names.find((name) => name.endsWith('.tgz'));
	return tarball && join(folder, tarball);
}

async function fingerprint(): Promise<string> {
	const hash = createHash('sha256');
	const below = async (folder: string) =>
		(await readdir(join(repository, folder), { recursive: true })).map((name) =>
			join(folder, name),
		);
	for (const name of [...(await Promise.all(folders.map(below))).flat().sort(), ...files]) {
		const path = join(repository, name);
		if ((await stat(path)).isFile()) hash.update(name).update(await readFile(path));
	}
	return hash.digest('hex').slice(0, 16);
}
