import { existsSync } from 'node:fs';
import { installFromDebian } from '../support/debian.mts';

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
	await installFromDebian(
		['chromium'],
		'The browser tests need Chromium or Chrome; install it and run them again.',
	);
	return await findBrowser();
}
