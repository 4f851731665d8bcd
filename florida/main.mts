import { join } from 'node:path';

import { startFlorida } from './index.mts';
import { lockFolder } from './lock.mts';
import { forget, Memory } from './memory.mts';
import { optionsFrom, usage, type Options } from './options.mts';
import { Service } from './service.mts';
import { DISCLAIMER, reportOf } from './status.mts';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
	const options = optionsFrom(process.argv.slice(2));
	if (options === 'help') return print(usage);
	if (options.forget) return await forgetAll(options);
	if (options.report)
		return print(JSON.stringify(reportOf(await Memory.open(options.data)), null, 2));
	if (options.once) return await once(options);
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

async function once(options: Options): Promise<void> {
	const service = await Service.open({ ...options, say });
	try {
		const summary = await service.update();
		if (options.json) print(JSON.stringify(summary, null, 2));
		if (!service.memory.state.isReady) process.exitCode = 1;
	} finally {
		await service.close();
	}
}

async function forgetAll({ data }: Options): Promise<void> {
	const lock = await lockFolder(join(data, 'lock')).catch((error: NodeJS.ErrnoException) => {
		if (error.code !== 'ENOENT') throw error;
	});
	await forget(data);
	await lock?.release();
	print('All that was remembered is removed.');
}

main().catch((error: Error) => {
	say(error.message);
	process.exitCode = 1;
});
