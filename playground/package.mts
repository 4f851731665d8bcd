import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.mts';
import { packageFolder, repository, workspace } from './folders.mts';
import { withLock } from './lock.mts';
import { step } from './progress.mts';

/** What the package is made of; as long as none of it changes, it is not rebuilt. */
const sources = [
	'credentials',
	'nodes',
	'icons',
	'gulpfile.js',
	'package.json',
	'tsconfig.json',
	'README.md',
	'LICENSE.md',
];

/** Builds and packs the package as it would be published, and returns the tarball's path. */
export async function packPackage(): Promise<string> {
	return await withLock(
		join(workspace, 'package.lock'),
		() => console.log('Another run is building the package; waiting.'),
		async () => {
			const folder = join(packageFolder, await fingerprint());
			return (await tarballIn(folder)) ?? (await step('Building the package', () => build(folder)));
		},
	);
}

async function build(folder: string): Promise<string> {
	await run('npm', ['run', 'build'], {
		cwd: repository,
		log: join(workspace, 'logs', 'package-build.log'),
	});
	// Packed next to its destination and then moved, so that a killed run leaves no half tarball behind.
	const unfinished = `${folder}.unfinished`;
	await rm(packageFolder, { recursive: true, force: true });
	await mkdir(unfinished, { recursive: true });
	await run('npm', ['pack', '--ignore-scripts', '--pack-destination', unfinished], {
		cwd: repository,
		log: join(workspace, 'logs', 'package-pack.log'),
	});
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
	for (const name of sources) {
		for (const path of await filesBelow(join(repository, name))) {
			hash.update(path).update(await readFile(path));
		}
	}
	return hash.digest('hex').slice(0, 16);
}

async function filesBelow(path: string): Promise<string[]> {
	try {
		const entries = await readdir(path, { recursive: true, withFileTypes: true });
		return entries
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.sort();
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw error;
	}
}
