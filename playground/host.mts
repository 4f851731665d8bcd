import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { execa } from 'execa';
import { logFile, repository, workspace } from './folders.mts';
import { addNativeParts } from './native-parts.mts';
import { run, step, withLock } from './steps.mts';

export interface Host {
	/** The Node.js that runs n8n. */
	node: string;
	/** n8n's command line. */
	n8n: string;
}

/** The folders of playground/ that pin an n8n: the oldest that the package works with, and today's. */
export const HOSTS = ['host-oldest', 'host'] as const;
export type HostName = (typeof HOSTS)[number];

interface Place {
	name: string;
	manifest: string;
	lock: string;
	/** Where they are installed. */
	folder: string;
}

interface Lock {
	packages: Record<
		string,
		{ name?: string; version?: string; resolved?: string; inBundle?: boolean }
	>;
}

/** Installs a pinned n8n and its Node.js on first use; afterwards it only checks that they are there. */
export async function installHost(name: HostName = 'host'): Promise<Host> {
	const source = join(repository, 'playground', name);
	const [manifest, lock] = await Promise.all(
		['package.json', 'package-lock.json'].map(async (file) => readFile(join(source, file), 'utf8')),
	);
	const place = { name, manifest: manifest!, lock: lock!, folder: join(workspace, name) };
	const wanted = createHash('sha256')
		.update(`${process.platform} ${process.arch}${place.manifest}${place.lock}`)
		.digest('hex');
	const isMarked = async (mark: string) =>
		(await readFile(join(place.folder, mark), 'utf8').catch(() => '')) === wanted;
	if (await isMarked('.ready')) return locate(place);

	return await withLock(join(workspace, `${name}.lock`), async () => {
		if (!(await isMarked('.unpacked'))) await unpack(place, wanted);
		if (!(await isMarked('.ready'))) {
			await addNativeParts(name, place.folder, locate(place).node);
			await writeFile(join(place.folder, '.ready'), wanted);
		}
		return locate(place);
	});
}

/** Into a folder of its own, so that neither a killed run nor what it left running can spoil the result. */
async function unpack({ name, manifest, lock, folder: target }: Place, wanted: string) {
	console.log(
		'The first start installs n8n. That takes 2.5 GB of disk, and up to 8 minutes, or 11 if native\n' +
			'parts have to be compiled. Later starts take less than 20 seconds.',
	);
	const unfinished = `${name}.unfinished-`;
	for (const left of (await readdir(workspace)).filter((one) => one.startsWith(unfinished)))
		await rm(join(workspace, left), { recursive: true, force: true, maxRetries: 3 });
	const folder = join(workspace, `${unfinished}${process.pid}`);
	await mkdir(folder);
	await writeFile(join(folder, 'package.json'), manifest);
	await writeFile(join(folder, 'package-lock.json'), await withAddresses(lock));

	const packages = Object.keys((JSON.parse(lock) as Lock).packages).filter(Boolean);
	const isThere = (path: string) => existsSync(join(folder, path, 'package.json'));
	const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	await step(
		'Downloading and unpacking n8n',
		async () => await run('npm', args, { cwd: folder, log: logFile(`${name}-install`) }),
		() => `${packages.filter(isThere).length} of about ${packages.length} packages`,
	);
	await writeFile(join(folder, '.unpacked'), wanted);
	await rm(target, { recursive: true, force: true });
	await rename(folder, target);
}

/**
 * Lock files here name no registry, so npm would first ask yours about each of 2,000 packages, for minutes. One
 * answer says how it names its files. If another way than usual, npm asks after all; checksums count either way.
 */
async function withAddresses(text: string): Promise<string> {
	const lock = JSON.parse(text) as Lock;
	const { version } = lock.packages['node_modules/n8n'] ?? {};
	const asked = await execa('npm', ['view', `n8n@${version}`, 'dist.tarball'], { reject: false });
	const [, registry] = /^(https?:\S+\/)n8n\/-\/n8n-[\d.]+\.tgz$/.exec(asked.stdout ?? '') ?? [];
	if (registry === undefined) return text;
	for (const [path, entry] of Object.entries(lock.packages)) {
		const name = entry.name ?? path.split('node_modules/').at(-1) ?? '';
		const file = `${name.split('/').at(-1)}-${entry.version}.tgz`;
		if (path !== '' && !entry.inBundle) entry.resolved ??= `${registry}${name}/-/${file}`;
	}
	return JSON.stringify(lock);
}

/**
 * The Node.js that n8n needs comes with its manifest as an optional dependency: one package per platform. It
 * is preferred to the system's, because native parts are published for only a few versions.
 */
function locate({ manifest, folder }: Place): Host {
	const n8n = createRequire(join(folder, 'package.json')).resolve('n8n/bin/n8n');
	const { platform, arch } = process;
	const os = platform === 'win32' ? 'win' : platform;
	for (const name of [`node-${os}-${arch}`, `node-bin-${os}-${arch}`]) {
		const program = platform === 'win32' ? 'node.exe' : 'node';
		const node = join(folder, 'node_modules', name, 'bin', program);
		if (existsSync(node)) return { node, n8n };
	}
	const { optionalDependencies } = JSON.parse(manifest) as Record<string, Record<string, string>>;
	const wanted = Object.values(optionalDependencies ?? {})[0]?.split('.')[0];
	if (process.versions.node.split('.')[0] === wanted) return { node: process.execPath, n8n };
	throw new Error(
		`n8n needs Node.js ${wanted}, and the npm registry has none for ${platform} on ${arch}. ` +
			`Install Node.js ${wanted} and start again with it.`,
	);
}
