import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mts';
import { workspace } from './folders.mts';
import { step } from './progress.mts';

const usualPlaces = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The path of a Chromium. If there is none, Debian's is installed where that is possible. */
export async function findBrowser(): Promise<string> {
	const found = usualPlaces.find((path) => existsSync(path));
	if (found) return found;
	if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
		throw new Error('The browser tests need Chromium or Chrome; install it and run them again.');
	}
	await step("Installing Debian's Chromium", async () => {
		await aptGet('update');
		await aptGet('install', '--yes', '--no-install-recommends', 'chromium');
	});
	return await findBrowser();
}

async function aptGet(...args: string[]): Promise<void> {
	await run('apt-get', ['-qq', ...args], {
		cwd: workspace,
		log: join(workspace, 'logs', `apt-${args[0]}.log`),
		env: { DEBIAN_FRONTEND: 'noninteractive' },
	});
}
