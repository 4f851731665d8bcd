import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';

import { createSandbox, type DeliveryOptions, type Sandbox } from '../../sandbox/index.mts';
import { LicensingDataApi, LicensingDataWebhookTrigger } from '../support/compiled.mts';
import { WebhookHost } from '../support/webhook-node.mts';

let sandbox: Sandbox;
let host: WebhookHost;

async function open(webhooks: boolean | DeliveryOptions, parameters = {}): Promise<void> {
	sandbox = await createSandbox({ records: 10, webhooks });
	host = new WebhookHost({
		nodeType: new LicensingDataWebhookTrigger(),
		credentialType: new LicensingDataApi(),
		parameters: { eventTypes: [], output: 'raw', ...parameters },
		credentials: { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live },
	});
	await host.listen();
}
afterEach(async () => {
	host.close();
	await sandbox.close();
});

const registrations = () => sandbox.webhooks?.registrations.of('live') ?? [];
const settled = async () => await sandbox.webhooks?.deliveries.settled();
const byId = (a: { id?: unknown }, b: { id?: unknown }) => String(a.id).localeCompare(String(b.id));

describe('A thousand events', () => {
	it('start a thousand executions when they come twice, out of order and in another shape', async () => {
		await open({
			timeout: 600_000,
			duplicates: 1,
			shuffleWithin: 200,
			signaturePrefix: 'sha256=',
			shape: { kindIn: 'event', kindPrefix: 'license.', nested: true },
		});
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

it('emits each event of a license that changes', async () => {
	await open(true);
	await host.activate();
	const filed = sandbox.live.insert();
	const changed = sandbox.live.update(filed.id, { eventType: 'status_change' });
	await settled();
	expect(host.licenses).toEqual([filed, changed]);
});

describe('Registrations at the service', () => {
	it('are one, however often n8n restarts', async () => {
		await open(true);
		for (let start = 0; start < 3; start++) await host.activate('init');
		expect(registrations()).toHaveLength(1);
	});

	it('are none after deactivation, and have another secret after reactivation', async () => {
		await open({ firstWait: 1, attempts: 2 });
		await host.activate();
		const [first] = registrations();
		await host.deactivate();
		expect(registrations()).toEqual([]);

		await host.activate();
		expect(registrations()).toHaveLength(1);
		expect(registrations()[0]?.id).not.toBe(first?.id);
		const event = sandbox.live.insert();
		await settled();
		expect(host.licenses).toEqual([event]);
	});

	it('are one after the filters changed, and none after the test of a trigger that is live', async () => {
		await open(true);
		await host.activate();
		host.parameters = { eventTypes: ['renewal'] };
		await host.activate('update');
		expect(registrations()).toMatchObject([{ events: ['renewal'] }]);

		const live = host.staticData;
		Object.assign(host, { mode: 'manual', staticData: {} });
		await host.activate('manual');
		expect(registrations().map(({ url }) => /\/webhook(-test)?\//.exec(url)?.[0])).toEqual([
			'/webhook/',
			'/webhook-test/',
		]);
		await host.deactivate();
		Object.assign(host, { mode: 'webhook', staticData: live });
		expect(registrations()).toHaveLength(1);
		await host.deactivate();
		expect(registrations()).toEqual([]);
	});

	it('are none that n8n lost track of', async () => {
		await open(true);
		await host.activate();
		host.staticData = {};
		await host.activate();
		expect(registrations()).toHaveLength(1);
	});
});

it('explains itself where the service has no webhooks', async () => {
	await open(false);
	await expect(host.activate()).rejects.toThrow(
		/does not offer push delivery yet.*Licensing Data Trigger/,
	);
});
