import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step } from '../../playground/steps.mts';
import { logFile, repository, workspace } from '../../playground/folders.mts';
import { type Host, installFrom } from '../../playground/host.mts';

const manifestOf = (folder: string) => join(folder, 'package.json');

/** The newest n8n of a minor version so many before the pinned one, beside that one's Node.js and overrides. */
export async function installOlder(minorsBefore: number): Promise<Host> {
	const today = await readFile(manifestOf(join(repository, 'playground', 'host')), 'utf8');
	const { dependencies } = JSON.parse(today) as { dependencies: { n8n: string } };
	const [major, minor] = dependencies.n8n.split('.').map(Number) as [number, number];
	const wanted = `~${major}.${minor - minorsBefore}.0`;
	const name = `host-${major}.${minor - minorsBefore}`;
	const source = join(workspace, `${name}.manifest`);
	// Not kept in the repository: each of these lock files would be most of a megabyte.
	if (!existsSync(join(source, 'package-lock.json'))) {
		await mkdir(source, { recursive: true });
		await writeFile(manifestOf(source), today.replace(`"${dependencies.n8n}"`, `"${wanted}"`));
		const lockOnly = [
			'--package-lock-only',
			'--ignore-scripts',
			'--legacy-peer-deps',
			'--no-audit',
		];
		await step(`Looking up what n8n ${wanted} is made of`, async () => {
			await run('npm', ['install', ...lockOnly], {
				cwd: source,
				log: logFile(`${name}-lock`),
			});
		});
	}
	return await installFrom(source, name);
}
