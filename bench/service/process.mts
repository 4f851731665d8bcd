/** The sandbox in its own process, so that it does not share processor time with what is measured. */
import { createSandbox, type SandboxOptions } from '../../sandbox/index.mts';

export type Order =
	| { do: 'reset' }
	| { do: 'file'; count: number }
	| { do: 'prepare'; lost: number; county?: string | undefined };

process.once('disconnect', () => process.exit());

const sandbox = await createSandbox({
	rateLimits: 'off',
	...(JSON.parse(process.argv[2] ?? '{}') as SandboxOptions),
});

process.on('message', (order: Order) => {
	const requests = sandbox.requests.count;
	if (order.do === 'file') sandbox.register.fileMany(order.count);
	const records = order.do === 'prepare' ? prepare(order) : 0;
	sandbox.requests.reset();
	process.send?.({ requests, records });
});
process.send?.({ baseUrl: sandbox.baseUrl, key: sandbox.keys.live });

/** Takes the county off so many licenses of the largest type, and says how many licenses there are to read. */
function prepare({ lost, county }: Order & { do: 'prepare' }): number {
	const { register } = sandbox;
	const largest = register.all({ license_type: 'SEATING' });
	for (const { id, address } of largest.slice(0, lost))
		register.change(String(id), { address: { ...address, county: '' } });
	return register.list(county === undefined ? {} : { county }).pagination.total ?? 0;
}
