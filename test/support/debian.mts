import { existsSync } from 'node:fs';
import { logFile, repository } from '../../playground/folders.mts';
import { run, step } from '../../playground/steps.mts';

/** Installs programs from Debian's packages where that is possible; elsewhere it says `otherwise`. */
export async function installFromDebian(packages: string[], otherwise: string): Promise<void> {
	if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) throw new Error(otherwise);
	await step(`Installing Debian's ${packages.join(' and ')}`, async () => {
		const install = ['install', '--yes', '--no-install-recommends', ...packages];
		for (const args of [['update'], install])
			await run('apt-get', ['-qq', ...args], {
				...{ cwd: repository, log: logFile(`apt-${args[0]}`) },
				env: { DEBIAN_FRONTEND: 'noninteractive' },
			});
	});
}
