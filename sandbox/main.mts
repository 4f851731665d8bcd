import { optionsFrom, usage } from './command-line.mts';
import { createSandbox } from './index.mts';

async function main(): Promise<void> {
	const options = optionsFrom(process.argv.slice(2));
	if (options === 'help') {
		process.stdout.write(usage);
		return;
	}
	const sandbox = await createSandbox(options);
	process.stdout.write(
		`The sandbox answers at ${sandbox.baseUrl}

  test key   ${sandbox.keys.test}   500 licenses, the same on every call
  live key   ${sandbox.keys.live}   licenses filed up to today
  control    ${sandbox.control.url}   with the header 'X-Sandbox-Token: ${sandbox.control.token}'

Try:
  curl -H 'Authorization: Bearer ${sandbox.keys.test}' '${sandbox.baseUrl}/licenses?county=miami-dade&limit=2'

Ctrl+C stops it.
`,
	);
	const stop = () => void sandbox.close().then(() => process.exit(0));
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

main().catch((error: Error) => {
	process.stderr.write(`${error.message}\n\n${usage}`);
	process.exitCode = 1;
});
