import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createSandbox, type Sandbox, type Trouble } from '../../sandbox/index.mts';
import { compiled } from '../support/compiled.mts';
import { pollerOf } from '../support/nodes.mts';
import type { Saving } from '../support/poller.mts';
import { skipWaits } from '../support/waits.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await createSandbox({ records: 300, today: '2026-09-24' });
});
afterEach(async () => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	await sandbox.close();
});

const poller = (parameters: IDataObject = {}, saving: Saving = 'memory') =>
	pollerOf(sandbox.credentials, parameters, { ...compiled('LicensingDataTrigger'), saving });

/** Its baseline is what is there. */
async function published(parameters: IDataObject = {}, saving: Saving = 'memory') {
	const trigger = poller(parameters, saving);
	await trigger.activate();
	return trigger;
}

const ids = (items: IDataObject[]) => items.map(({ id }) => id);

const stopClock = () => vi.useFakeTimers({ toFake: ['Date'] });

describe('the handshake with n8n', () => {
	const savings: Saving[] = ['memory', 'scheduler', 'durable'];
	const stopped = async (saving: Saving) => {
		stopClock();
		return await published({}, saving);
	};

	it.each(savings)('brings again what the database refused (%s)', async (saving) => {
		const trigger = await stopped(saving);
		for (const writes of ['neither', 'memory only', 'neither'] as const) {
			const { id } = sandbox.register.file();
			trigger.writes = writes;
			await trigger.poll();
			vi.setSystemTime(Date.now() + 60_000);
			const [again] = ids(await trigger.poll());
			expect(saving === 'durable' && writes === 'memory only' ? id : again).toBe(id);
			vi.setSystemTime(Date.now() + 60_000);
			expect(await trigger.poll()).toEqual([]);
		}
	});

	it('takes back a batch that fails late, also when newer ones came since', async () => {
		const trigger = await stopped('memory');
		const first = sandbox.register.file();
		trigger.writes = 'memory only';
		await trigger.poll();
		const second = sandbox.register.file();
		expect(ids(await trigger.poll()).sort()).toEqual([first.id, second.id].sort());
		expect(await trigger.poll()).toEqual([]);
	});

	it.each<Saving>(['memory', 'scheduler'])(
		'repeats nothing where n8n could save the execution alone (%s)',
		async (saving) => {
			const trigger = await stopped(saving);
			const { id } = sandbox.register.file();
			trigger.writes = 'execution only';
			expect(ids(await trigger.poll())).toEqual([id]);
			vi.setSystemTime(Date.now() + 60_000);
			expect(await trigger.poll()).toEqual([]);
		},
	);
});

describe('trouble', () => {
	it.each<[string, string, Trouble]>([
		['a refused key', 'auth', { kind: 'error', status: 401 }],
		['a key without the right', 'auth', { kind: 'error', status: 403 }],
		['a rate limit', 'rate_limited', { kind: 'rateLimit', retryAfter: 120 }],
		['a broken service', 'thrown', { kind: 'htmlPage', status: 502 }],
		['half an answer', 'thrown', { kind: 'truncatedBody' }],
		['a dropped connection', 'thrown', { kind: 'droppedConnection' }],
	])('tells n8n what kind %s is: %s', async (_, errorKind, trouble) => {
		const trigger = await published();
		skipWaits();
		const { id } = sandbox.register.file();
		// The most requests that a poll makes.
		sandbox.trouble.next(trouble, { times: 6 });
		await expect(trigger.poll()).rejects.toThrow();
		expect(trigger.errorKinds.at(-1)).toBe(errorKind);
		sandbox.trouble.clear();
		// As long as the rate limit asks; other troubles ask for nothing.
		vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 121_000 });
		expect(ids(await trigger.poll())).toEqual([id]);
	});

	it('brings nothing twice where n8n has read the cursor long before it lets the poll begin', async () => {
		const trigger = await published({}, 'durable');
		const filed = sandbox.register.fileMany(30).map(({ id }) => id);
		const { saved } = trigger;
		const first = await trigger.poll();
		sandbox.register.file();
		const next = await trigger.poll();
		const newest = trigger.saved;
		trigger.saved = saved;
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.saved).toEqual(saved);
		trigger.saved = newest;
		expect(await trigger.poll()).toEqual([]);
		expect(ids(first).sort()).toEqual(filed.sort());
		expect(next).toHaveLength(1);
	});
});

describe('hosts', () => {
	it('goes on when the node is renamed', async () => {
		const trigger = await published();
		const { id } = sandbox.register.file();
		trigger.nodeName = 'New Bars';
		expect(ids(await trigger.activate())).toEqual([id]);
	});
});

describe('fetching a test event', () => {
	it('shows a few of the newest that match, and leaves the memory alone', async () => {
		const trigger = await published();
		const before = JSON.stringify(trigger.saved);
		const items = await trigger.fetchTestEvent();
		const newest = sandbox.register
			.all()
			.filter(({ eventType }) => eventType === 'new_filing')
			.slice(0, 5)
			.map(({ id }) => id);
		expect(ids(items ?? [])).toEqual(newest.reverse());
		expect(JSON.stringify(trigger.saved)).toBe(before);
		const { id } = sandbox.register.file();
		expect(ids(await trigger.poll())).toEqual([id]);
	});
});
