import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { run } from '../../playground/steps.mts';
import { packPackage } from '../../playground/package.mts';

export const PACKAGE = 'n8n-nodes-licensing-data';

export interface Registry {
	/** The PATH of an n8n that installs from here. */
	path: string;
	/** The package as it is. */
	first: string;
	/** With another title in the editor, and the trigger's parameter "output" called "form" in a new node version. */
	later: string;
}

/**
 * n8n takes no other registry than npm's without a license. So it finds an npm here that answers for this one
 * package, from these tarballs; everything else that n8n does to install, update and remove is its own.
 */
export async function openRegistry(folder: string): Promise<Registry> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	const packed = await packPackage();
	const unpacked = join(folder, 'package');
	await run('tar', ['-xzf', packed, '-C', folder], { cwd: folder, log: join(folder, 'tar.log') });
	const manifest = await readFile(join(unpacked, 'package.json'), 'utf8');
	const { version: first } = JSON.parse(manifest) as { version: string };
	const [major, minor] = first.split('.').map(Number) as [number, number];
	const later = `${major}.${minor + 1}.0`;
	await copyFile(packed, join(folder, `${PACKAGE}-${first}.tgz`));

	const trigger = join(unpacked, 'dist/nodes/LicensingData/LicensingDataTrigger.node.js');
	const code = await readFile(trigger, 'utf8');
	await writeFile(trigger, `${code}\n${laterTrigger(later)}`);
	await writeFile(
		join(unpacked, 'package.json'),
		manifest.replace(`"version": "${first}"`, `"version": "${later}"`),
	);
	await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
		cwd: unpacked,
		log: join(folder, 'pack.log'),
	});

	const bin = join(folder, 'bin');
	await mkdir(bin);
	await writeFile(join(bin, 'npm'), npm(folder, later));
	await chmod(join(bin, 'npm'), 0o755);
	return { path: [bin, process.env.PATH].join(delimiter), first, later };
}

/** Another name in the editor, and "output" renamed, with a node version that keeps the old name. */
const laterTrigger = (version: string) => `
const { LicensingDataTrigger: Before } = exports;
exports.LicensingDataTrigger = class LicensingDataTrigger extends Before {
	constructor() {
		super();
		const { description } = this;
		description.displayName += ' ${version}';
		const shownIn = (version) => ({ show: { '@version': [version] } });
		const renamed = (output) => [
			{ ...output, displayOptions: shownIn(1) },
			{ ...output, name: 'form', displayOptions: shownIn(2) },
		];
		description.properties = description.properties.flatMap((one) => one.name === 'output' ? renamed(one) : [one]);
		description.version = [1, 2];
		description.defaultVersion = 2;
	}
	async poll() {
		this.logger.info('Polled by version ${version}');
		const read = this.getNodeParameter.bind(this);
		const isRenamed = this.getNode().typeVersion === 2;
		this.getNodeParameter = (name, ...rest) => read(isRenamed && name === 'output' ? 'form' : name, ...rest);
		return await super.poll.call(this);
	}
};
`;

const npm = (folder: string, latest: string) => `#!/bin/sh
version="\${2##*@}"
[ "$version" = latest ] && version=${latest}
case "$1 $2" in
"pack ${PACKAGE}@"*)
	cp "${folder}/${PACKAGE}-$version.tgz" . && echo "${PACKAGE}-$version.tgz" ;;
"view ${PACKAGE}@"*)
	echo "\\"$version\\"" ;;
outdated*)
	grep -q '"${PACKAGE}": "${latest}"' package.json && exit 0
	echo '{ "${PACKAGE}": { "latest": "${latest}" } }'
	exit 1 ;;
*)
	PATH='${process.env.PATH}' exec npm "$@" ;;
esac
`;
