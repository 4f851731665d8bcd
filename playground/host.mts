import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { run } from './command.mts';
import { hostFolder, repository, workspace } from './folders.mts';
import { withLock } from './lock.mts';
import { step } from './progress.mts';

export interface Host {
	/** The Node.js that runs n8n. */
	node: string;
	/** n8n's command line. */
	n8n: string;
}

const manifests = ['package.json', 'package-lock.json'];
const source = join(repository, 'playground', 'host');
const modules = join(hostFolder, 'node_modules');

const unfinished = `${hostFolder}.unfinished-`;
const unpacked = join(hostFolder, '.unpacked');
const ready = join(hostFolder, '.ready');

/** Installs the pinned n8n and its Node.js on first use; afterwards it only looks that they are there. */
export async function installHost(): Promise<Host> {
	const wanted = await fingerprint();
	if (await isMarked(ready, wanted)) return locate();

	return await withLock(
		join(workspace, 'host.lock'),
		() => console.log(`Another run is installing n8n; waiting (${join(workspace, 'host.lock')}).`),
		async () => {
			if (!(await isMarked(ready, wanted))) await install(wanted);
			return locate();
		},
	);
}

async function install(wanted: string): Promise<void> {
	if (!(await isMarked(unpacked, wanted))) {
		console.log('Installing n8n from the npm registry, once: about 5 minutes and 1.3 GB of disk.');
		await unpack(wanted);
	}
	await step('Building its two native parts (up to 2 minutes)', buildNativeParts);
	await writeFile(ready, wanted);
}

/** Into a folder of its own, so that neither a killed run nor what it left running can spoil the result. */
async function unpack(wanted: string): Promise<void> {
	await removeUnfinished();
	const folder = `${unfinished}${process.pid}`;
	await mkdir(folder);
	for (const name of manifests) await copyFile(join(source, name), join(folder, name));

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
					log: join(workspace, 'logs', 'host-install.log'),
				},
			),
		() => `${there().length} of about ${packages.length} packages`,
	);
	await writeFile(join(folder, basename(unpacked)), wanted);
	await rm(hostFolder, { recursive: true, force: true });
	await rename(folder, hostFolder);
}

async function removeUnfinished(): Promise<void> {
	const names = await readdir(workspace);
	for (const name of names.filter((one) => one.startsWith(basename(unfinished)))) {
		await rm(join(workspace, name), { recursive: true, force: true, maxRetries: 3 });
	}
}

/** n8n runs no install script but these two: SQLite, and the sandbox of its expressions. */
async function buildNativeParts(): Promise<void> {
	const { node } = locate();
	const home = join(node, '..', '..');
	await run('npm', ['rebuild', '--ignore-scripts=false', 'sqlite3', 'isolated-vm'], {
		cwd: hostFolder,
		log: join(workspace, 'logs', 'host-native.log'),
		node,
		// Headers lie beside this Node.js, so that none need be downloaded where nothing prebuilt fits.
		env: existsSync(join(home, 'include', 'node', 'node.h'))
			? { npm_config_nodedir: home, JOBS: 'max' }
			: {},
	});
}

/**
 * n8n needs Node.js 24, which its manifest brings along as an optional dependency: one package for each
 * platform. It is preferred to the system's, because native parts are published for few versions.
 */
function locate(): Host {
	const require = createRequire(join(hostFolder, 'package.json'));
	const n8n = require.resolve('n8n/bin/n8n');
	const { platform, arch } = process;
	const os = platform === 'win32' ? 'win' : platform;
	for (const name of [`node-${os}-${arch}`, `node-bin-${os}-${arch}`]) {
		const binary = join(modules, name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
		if (existsSync(binary)) return { node: binary, n8n };
	}
	if (Number(process.versions.node.split('.')[0]) >= 24) return { node: process.execPath, n8n };
	throw new Error(
		`n8n needs Node.js 24, and the npm registry has none for ${platform} on ${arch}. ` +
			'Install Node.js 24 and start again with it.',
	);
}

async function fingerprint(): Promise<string> {
	const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
	for (const name of manifests) hash.update(await readFile(join(source, name)));
	return hash.digest('hex');
}

async function isMarked(mark: string, wanted: string): Promise<boolean> {
	return (await readFile(mark, 'utf8').catch(() => '')) === wanted;
}
