import { existsSync } from 'node:fs';
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { run } from '../../playground/steps.mts';
import { hostFolder, workspace } from '../../playground/folders.mts';
import { packPackage } from '../../playground/package.mts';

/** Packs the package as it would be published, unpacks it next to n8n's own modules, and returns its folder. */
export async function unpackPackage(): Promise<string> {
	const tarball = await packPackage();
	const home = join(workspace, 'bench');
	const folder = join(home, basename(dirname(tarball)));
	if (existsSync(folder)) return folder;
	await rm(home, { recursive: true, force: true });
	await mkdir(home, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(home, 'node_modules'), 'junction');
	await run('tar', ['-xzf', tarball, '-C', home], {
		cwd: home,
		log: join(workspace, 'logs', 'bench-unpack.log'),
	});
	await rename(join(home, 'package'), folder);
	return folder;
}
