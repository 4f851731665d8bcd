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

/** Its baseline is what is there. */
async function published(saving: Saving = 'memory') {
	const more = { ...compiled('LicensingDataTrigger'), saving };
	const trigger = pollerOf(sandbox.credentials, {}, more);
	await trigger.activate();
	return trigger;
}

const ids = (items: IDataObject[]) => items.map(({ id }) => id);

describe('the handshake with n8n', () => {
	beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
	const wait = () => vi.setSystemTime(Date.now() + 60_000);

	it.each<Saving>(['memory', 'scheduler', 'durable'])(
		'brings again what the database refused (%s)',
		async (saving) => {
			const trigger = await published(saving);
			for (const writes of ['neither', 'memory only', 'neither'] as const) {
				const { id } = sandbox.register.file();
				trigger.writes = writes;
				await trigger.poll();
				wait();
				const [again] = ids(await trigger.poll());
				expect(saving === 'durable' && writes === 'memory only' ? id : again).toBe(id);
				wait();
				expect(await trigger.poll()).toEqual([]);
			}
		},
	);

	it('takes back a batch that fails late, also when newer ones came since', async () => {
		const trigger = await published();
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
			const trigger = await published(saving);
			const { id } = sandbox.register.file();
			trigger.writes = 'execution only';
			expect(ids(await trigger.poll())).toEqual([id]);
			wait();
			expect(await trigger.poll()).toEqual([]);
		},
	);
});

it.each<[string, string, Trouble]>([
	['a refused key', 'auth', { kind: 'error', status: 401 }],
	['a key without the right', 'auth', { kind: 'error', status: 403 }],
	['a rate limit', 'rate_limited', { kind: 'rateLimit', retryAfter: 120 }],
	['a broken service', 'thrown', { kind: 'htmlPage', status: 502 }],
	['half an answer', 'thrown', { kind: 'truncatedBody' }],
	['a dropped connection', 'thrown', { kind: 'droppedConnection' }],
])('tells n8n what kind of trouble %s is: %s', async (_, errorKind, trouble) => {
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

it('shows a few of the newest that match as a test, and leaves the memory alone', async () => {
	const trigger = await published();
	const before = JSON.stringify(trigger.saved);
	const newest = sandbox.register.all({ event_type: 'new_filing' }).slice(0, 5).reverse();
	const items = await trigger.fetchTestEvent();
	expect(ids(items ?? [])).toEqual(newest.map(({ id }) => id));
	expect(JSON.stringify(trigger.saved)).toBe(before);
	const { id } = sandbox.register.file();
	expect(ids(await trigger.poll())).toEqual([id]);
});
