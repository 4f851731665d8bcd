import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { createSandbox, type DeliveryOptions, type Sandbox } from '../../sandbox/index.mts';
import { LicensingDataApi, LicensingDataWebhookTrigger, loadAnew } from '../support/compiled.mts';
import type { Registration } from '../../nodes/LicensingData/webhook/memory.ts';
import { licenses } from '../support/records.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';

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
		host.restartWith(anotherProcess());
		await host.activate();
		expect(registrations()).toHaveLength(1);
	});
});

const anotherProcess = () =>
	loadAnew<InstanceType<typeof LicensingDataWebhookTrigger>>(
		'nodes/LicensingData/LicensingDataWebhookTrigger.node.js',
	);

describe('An event that started an execution', () => {
	const events = licenses(60);
	const deliver = async (some: object[]) =>
		await Promise.all(some.map(async (data) => await host.deliver({ data })));

	beforeEach(async () => {
		await open(false, { registration: 'manual' });
		host.credentials.webhookSecret = SECRET;
	});

	it.each<[string, object]>([
		['nothing', {}],
		['something', { global: { note: 'of another node' } }],
	])('starts none after a restart of n8n, where %s was saved before', async (_, before) => {
		host.staticData = structuredClone(before) as typeof host.staticData;
		for (const event of events) await deliver([event]);
		expect(host.executions).toHaveLength(60);
		host.restartWith(anotherProcess());
		await deliver(events);
		expect(host.executions).toHaveLength(60);
		expect(host.staticData).toMatchObject(before);
	});

	it('starts none after a restart, when all came at the same moment', async () => {
		await deliver(events);
		host.restartWith(anotherProcess());
		await deliver(events);
		expect(host.executions).toHaveLength(60);
	});

	it('is known to another process that n8n runs beside the first', async () => {
		const processes = [anotherProcess(), anotherProcess()];
		for (const [index, event] of [...events, ...events.toReversed()].entries()) {
			host.restartWith(processes[index % 2]!);
			await deliver([event]);
		}
		expect(host.executions).toHaveLength(60);
	});

	it('is saved with a thousand others, in eight kilobytes', async () => {
		const many = licenses(1_100);
		for (const event of many) await deliver([event]);
		expect(JSON.stringify(host.staticData).length).toBeLessThan(8_192);
		host.restartWith(anotherProcess());
		await deliver(many.slice(-1_000));
		expect(host.executions).toHaveLength(1_100);
	});

	it('is not saved while its execution may still fail to start', async () => {
		const [slow, quick] = events as [object, object];
		host.start = async () => {
			host.start = async () => {};
			await deliver([quick]);
			throw new Error('The database is away');
		};
		await deliver([slow]);
		expect(host.executions).toHaveLength(1);
		host.restartWith(anotherProcess());
		await deliver([slow, quick]);
		expect(host.licenses).toEqual([quick, slow]);
	});
});

describe('After a polling trigger of the same workflow wrote back an old copy of static data', () => {
	let old: typeof host.staticData;

	beforeEach(async () => {
		await open({ attempts: 1 });
		await host.activate();
		old = structuredClone(host.staticData);
		host.parameters = { ...host.parameters, eventTypes: ['new_filing'] };
		await host.activate('update');
	});

	const savedRegistration = () =>
		(host.staticData['node:Licensing Data Webhook Trigger'] as { registration: Registration })
			.registration;
	const file = async () => {
		const event = sandbox.live.insert({ eventType: 'new_filing' });
		await settled();
		return event;
	};

	it('deliveries are accepted, and save the new registration once more', async () => {
		host.staticData = old;
		const event = await file();
		expect(host.licenses).toEqual([event]);
		host.restartWith(anotherProcess());
		const next = await file();
		expect(host.licenses).toEqual([event, next]);
	});

	it('a process that has seen one delivery of the new registration accepts the next', async () => {
		host.restartWith(anotherProcess());
		const event = await file();
		host.staticData = old;
		const next = await file();
		expect(host.licenses).toEqual([event, next]);
	});

	it('the next activation keeps and saves the new registration', async () => {
		const [current] = registrations();
		host.staticData = old;
		expect(await host.activate('update')).toBe('existed');
		expect(savedRegistration().id).toBe(current?.id);
	});

	it('deactivation removes the new registration, and it does not come back', async () => {
		host.staticData = old;
		expect(await host.deactivate()).toBe(true);
		expect(registrations()).toEqual([]);
		host.staticData = old;
		expect(await host.activate()).toBe('created');
	});

	it('an event that started an execution starts no other one', async () => {
		const event = await file();
		const { secret } = savedRegistration();
		host.staticData = old;
		await host.deliver({ data: event }, {}, secret);
		expect(host.licenses).toEqual([event]);
	});
});
