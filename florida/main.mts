import { forget, isReady, Memory } from './memory.mts';
import { optionsFrom, usage } from './options.mts';
import { Service, startFlorida } from './service.mts';
import { DISCLAIMER, reportOf } from './status.mts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
	const options = optionsFrom(process.argv.slice(2));
	if (options.help) return print(usage);
	if (options.report) return printJson(reportOf((await Memory.open(options.data)).snapshot));
	if (options.forget) {
		await forget(options.data);
		return print('All that was remembered is removed.');
	}
	if (options.once) {
		const service = await Service.open({ ...options, say });
		const summary = await service.update();
		if (options.json && summary) printJson(summary);
		if (!summary || !isReady(service.memory.snapshot)) process.exitCode = 1;
		return;
	}
	const florida = await startFlorida({ ...options, say });
	print(`Florida's licenses are served at ${florida.baseUrl}

  key       ${florida.key}
  state     ${florida.origin}/

Enter the address and the key as the Base URL and API Key of the Licensing Data credential.
${DISCLAIMER}

Ctrl+C stops it.`);
	const stop = () => void florida.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

main().catch((error: Error) => {
	say(error.message);
	process.exitCode = 1;
});
