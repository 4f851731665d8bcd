import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { run } from './command.mts';
import { repository, workspace } from './folders.mts';
import { withLock } from './lock.mts';
import { step } from './progress.mts';

export interface Host {
	/** The Node.js that runs n8n. */
	node: string;
	/** n8n's command line. */
	n8n: string;
}

/** The folders of playground/ that pin an n8n: the oldest that the package works with, one between, today's. */
export const HOSTS = ['host-oldest', 'host-older', 'host'] as const;
export type HostName = (typeof HOSTS)[number];

export interface Place {
	name: string;
	/** Where the manifest and the lock file are. */
	source: string;
	/** Where they are installed. */
	folder: string;
}

const manifests = ['package.json', 'package-lock.json'];

/** Installs a pinned n8n and its Node.js on first use; afterwards it only checks that they are there. */
export async function installHost(name: HostName = 'host'): Promise<Host> {
	return await installAt({
		name,
		source: join(repository, 'playground', name),
		folder: join(workspace, name),
	});
}

export async function installAt(place: Place): Promise<Host> {
	const { name } = place;
	const wanted = await fingerprint(place);
	const ready = join(place.folder, '.ready');
	if (await isMarked(ready, wanted)) return await locate(place);

	const lock = join(workspace, `${name}.lock`);
	return await withLock(
		lock,
		() => console.log(`Another run is installing n8n; waiting (${lock}).`),
		async () => {
			if (!(await isMarked(ready, wanted))) {
				await install(place, wanted);
				await writeFile(ready, wanted);
			}
			return await locate(place);
		},
	);
}

async function install(place: Place, wanted: string): Promise<void> {
	if (!(await isMarked(join(place.folder, unpacked), wanted))) {
		console.log('Installing n8n from the npm registry, once: about 5 minutes and 2.5 GB of disk.');
		await unpack(place, wanted);
	}
	await step('Building its native parts (up to 2 minutes)', async () => {
		await buildNativeParts(place);
	});
}

const unpacked = '.unpacked';

/** Into a folder of its own, so that neither a killed run nor what it left running can spoil the result. */
async function unpack({ name, source, folder: target }: Place, wanted: string): Promise<void> {
	const unfinished = `${name}.unfinished-`;
	await removeUnfinished(unfinished);
	const folder = join(workspace, `${unfinished}${process.pid}`);
	await mkdir(folder);
	for (const manifest of manifests) {
		await copyFile(join(source, manifest), join(folder, manifest));
	}

	const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
		packages: Record<string, unknown>;
	};
	const packages = Object.keys(lock.packages).filter(Boolean);
	const there = () => packages.filter((path) => existsSync(join(folder, path, 'package.json')));

	await step(
		'Downloading and unpacking',
		async () =>
			await run(
				'npm',
				['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'],
				{
					cwd: folder,
					log: join(workspace, 'logs', `${name}-install.log`),
				},
			),
		() => `${there().length} of about ${packages.length} packages`,
	);
	await writeFile(join(folder, unpacked), wanted);
	await rm(target, { recursive: true, force: true });
	await rename(folder, target);
}

async function removeUnfinished(unfinished: string): Promise<void> {
	const names = await readdir(workspace);
	for (const name of names.filter((one) => one.startsWith(unfinished))) {
		await rm(join(workspace, name), { recursive: true, force: true, maxRetries: 3 });
	}
}

/** The only install scripts that n8n needs: SQLite, and the sandbox for newer versions' expressions. */
async function buildNativeParts(place: Place): Promise<void> {
	const { node } = await locate(place);
	const home = join(node, '..', '..');
	await run('npm', ['rebuild', '--ignore-scripts=false', 'sqlite3', 'isolated-vm'], {
		cwd: place.folder,
		log: join(workspace, 'logs', `${place.name}-native.log`),
		node,
		// This Node.js comes with its headers, so none are downloaded where nothing prebuilt fits.
		env: existsSync(join(home, 'include', 'node', 'node.h'))
			? { npm_config_nodedir: home, JOBS: 'max' }
			: {},
	});
}

/**
 * The Node.js that n8n needs comes with its manifest as an optional dependency: one package per platform. It
 * is preferred to the system's, because native parts are published for only a few versions.
 */
async function locate({ source, folder }: Place): Promise<Host> {
	const require = createRequire(join(folder, 'package.json'));
	const n8n = require.resolve('n8n/bin/n8n');
	const modules = join(folder, 'node_modules');
	const { platform, arch } = process;
	const os = platform === 'win32' ? 'win' : platform;
	for (const name of [`node-${os}-${arch}`, `node-bin-${os}-${arch}`]) {
		const binary = join(modules, name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
		if (existsSync(binary)) return { node: binary, n8n };
	}
	const wanted = await nodeVersion(source);
	if (process.versions.node.split('.')[0] === wanted) return { node: process.execPath, n8n };
	throw new Error(
		`n8n needs Node.js ${wanted}, and the npm registry has none for ${platform} on ${arch}. ` +
			`Install Node.js ${wanted} and start again with it.`,
	);
}

/** The major version that the manifest installs. */
async function nodeVersion(source: string): Promise<string | undefined> {
	const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
		optionalDependencies: Record<string, string>;
	};
	return Object.values(manifest.optionalDependencies)[0]?.split('.')[0];
}

async function fingerprint({ source }: Place): Promise<string> {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const name of manifests) hash.update(await readFile(join(source, name)));
	return hash.digest('hex');
}

async function isMarked(mark: string, wanted: string): Promise<boolean> {
	return (await readFile(mark, 'utf8').catch(() => '')) === wanted;
}
