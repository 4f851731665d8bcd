import { findBrowser } from '../../playground/browser.mts';
import { installHost } from '../../playground/host.mts';
import { packPackage } from '../../playground/package.mts';

/** What takes minutes happens once, and is shown, before the first test's clock runs. */
export default async function setup(): Promise<void> {
	await installHost();
	await packPackage();
	await findBrowser();
}
