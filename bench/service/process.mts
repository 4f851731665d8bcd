/** The sandbox in its own process, so that it does not share processor time with what is measured. */
import { createSandbox, type SandboxOptions } from '../../sandbox/index.mts';

export type Order = { do: 'reset' } | { do: 'file'; count: number };

process.once('disconnect', () => process.exit());

const sandbox = await createSandbox({
	rateLimits: 'off',
	...(JSON.parse(process.argv[2] ?? '{}') as SandboxOptions),
});

process.on('message', (order: Order) => {
	const requests = sandbox.requests.count;
	if (order.do === 'file') sandbox.register.fileMany(order.count);
	sandbox.requests.reset();
	process.send?.({ requests });
});
process.send?.({ baseUrl: sandbox.baseUrl, key: sandbox.keys.live });
