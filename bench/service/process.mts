/** The sandbox in its own process, so that it does not share processor time with what is measured. */
import { createSandbox, type StreamOptions } from '../../sandbox/index.mts';

process.once('disconnect', () => process.exit());

const sandbox = await createSandbox({
	kind: 'stream',
	...(JSON.parse(process.argv[2] ?? '{}') as StreamOptions),
});

process.on('message', () => {
	const requests = sandbox.requests.count;
	sandbox.requests.reset();
	process.send?.({ requests });
});
process.send?.({ baseUrl: sandbox.baseUrl, key: sandbox.keys.live });
