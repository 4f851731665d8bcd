import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import {
	createSandbox,
	type DeliveryOptions,
	type Sandbox,
	type ShapeOptions,
} from '../../sandbox/index.mts';
import { compiled } from '../support/compiled.mts';
import { WebhookHost } from '../support/webhook-node.mts';

let sandbox: Sandbox;
let host: WebhookHost;

async function open(
	webhooks: boolean | DeliveryOptions,
	parameters = {},
	shapes: ShapeOptions = {},
): Promise<void> {
	sandbox = await createSandbox({ records: 10, webhooks, ...shapes });
	host = new WebhookHost({
		...compiled('LicensingDataWebhookTrigger'),
		parameters: { eventTypes: [], output: 'raw', ...parameters },
		credentials: sandbox.credentials,
	});
	await host.listen();
}
afterEach(async () => {
	host.close();
	await sandbox.close();
});

const settled = async () => await sandbox.webhooks?.deliveries.settled();
const byId = (a: { id?: unknown }, b: { id?: unknown }) => String(a.id).localeCompare(String(b.id));

describe('A thousand events', () => {
	it('start a thousand executions when they come twice, out of order and in another shape', async () => {
		await open(
			{ timeout: 600_000, duplicates: 1, shuffleWithin: 200 },
			{},
			{ signatures: 'prefixed', deliveries: 'eventAndLicense' },
		);
		await host.activate();
		const events = sandbox.live.burst(1000);
		await settled();
		expect([...host.licenses].sort(byId)).toEqual([...events].sort(byId));
	});

	it('start a thousand executions when n8n cannot start every fifth at once', async () => {
		await open({
			timeout: 600_000,
			duplicates: 0.5,
			shuffleWithin: 200,
			attempts: 10,
			firstWait: 5,
		});
		await host.activate();
		let starts = 0;
		host.start = async () => {
			const start = ++starts;
			await sleep(start % 7);
			if (start % 5 === 0) throw new Error('The database is away');
		};
		const events = sandbox.live.burst(1000);
		await settled();
		expect([...host.licenses].sort(byId)).toEqual([...events].sort(byId));
		expect(starts).toBeGreaterThan(1000);
	});
});

it('lets the service deliver what the user chose, and nothing else', async () => {
	await open(true, { eventTypes: ['renewal'], filters: { counties: ['Miami-Dade', 'St. Johns'] } });
	await host.activate();
	const address = (county: string) => ({ address: { county } });
	const wanted = ['Miami-Dade', 'St. Johns'].map((county) =>
		sandbox.live.insert({ eventType: 'renewal', ...address(county) } as never),
	);
	sandbox.live.insert({ eventType: 'new_filing', ...address('Miami-Dade') } as never);
	sandbox.live.insert({ eventType: 'renewal', ...address('Baker') } as never);
	await settled();
	expect(sandbox.webhooks?.deliveries.attempts).toHaveLength(2);
	expect([...host.licenses].sort(byId)).toEqual([...wanted].sort(byId));
});
