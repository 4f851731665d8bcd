import { forget, isReady, Memory } from './memory.mts';
import { optionsFrom, usage } from './options.mts';
import { openService, startFlorida } from './service.mts';
import { DISCLAIMER, statusOf } from './statusPage.mts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
	const options = optionsFrom(process.argv.slice(2));
	if (options.help) return print(usage);
	if (options.report) {
		const { snapshot } = await Memory.open(options.data);
		return printJson(statusOf(snapshot, { lastRefresh: null, failure: null }));
	}
	if (options.forget) {
		await forget(options.data);
		return print('All that was remembered is removed.');
	}
	if (options.once) {
		const { memory, update } = await openService({ ...options, say });
		const summary = await update();
		if (options.json && summary) printJson(summary);
		if (!summary || !isReady(memory.snapshot)) process.exitCode = 1;
		return;
	}
	const florida = await startFlorida({ ...options, say });
	print(`Florida's licenses are served at ${florida.baseUrl}

  key       ${florida.key}
  state     ${florida.origin}/

Enter the address and the key as the Base URL and API Key of the Licensing Data credential.
${DISCLAIMER}

Ctrl+C stops it.`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
}

main().catch((error: Error) => {
	say(error.message);
	process.exitCode = 1;
});
