import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { compiledAnew } from '../support/compiled.mts';
import { pollerOf } from '../support/nodes.mts';
import type { Saving } from '../support/poller.mts';
import { skipWaits } from '../support/waits.mts';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await createSandbox({ records: 120, today: '2026-09-24' });
	vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(async () => {
	vi.useRealTimers();
	vi.restoreAllMocks();
	await sandbox.close();
});

type Context = Record<string, unknown>;
type Emit = (this: Context, items: unknown) => void;

/** A trigger in a process of its own, in another version of n8n. */
const another = (saving: Saving, change: (context: Context) => void) =>
	pollerOf(sandbox.credentials, {}, { ...compiledAnew('LicensingDataTrigger'), saving, change });

const lacks = (name: string) => (context: Context) => void (context[name] = undefined);

/** What another version of n8n may lack, or call otherwise. */
const versions: Array<[what: string, change: (context: Context) => void]> = [
	['as it is', () => {}],
	['without __emit', lacks('__emit')],
	[
		'with an __emit that cannot be watched',
		(context) =>
			Object.defineProperty(context, '__emit', { value: context.__emit, writable: false }),
	],
	[
		'with an __emit that takes no promise',
		(context) => {
			const emit = context.__emit as Emit;
			context.__emit = (items: unknown) => emit.call(context, items);
		},
	],
	['without getPollBudgetMs', (context) => Reflect.deleteProperty(context, 'getPollBudgetMs')],
	['with another getPollBudgetMs', (context) => void (context.getPollBudgetMs = () => '45s')],
];

describe.each<Saving>(['memory', 'scheduler', 'durable'])('n8n that saves as %s does', (saving) => {
	it.each(versions)('gets every event once, in a version %s', async (_, change) => {
		const poller = another(saving, change);
		expect(await poller.activate()).toEqual([]);
		const filed = sandbox.register.fileMany(3).map(({ id }) => id);
		const emitted: unknown[] = [];
		for (let minute = 0; minute < 12; minute++) {
			emitted.push(...(await poller.poll()).map(({ id }) => id));
			vi.setSystemTime(Date.now() + 60_000);
			if (minute === 7) filed.push(sandbox.register.file().id);
		}
		expect(emitted.sort()).toEqual(filed.sort());
		expect(poller.warnings).toEqual([]);
	});
});

it('n8n without __emitError has a page that cannot be read in its log', async () => {
	const poller = another('memory', lacks('__emitError'));
	// A type that was not listed would be a bulk addition.
	sandbox.register.fileMany(1, { licenseType: 'COP' });
	await poller.activate();
	skipWaits();
	const filed = sandbox.register.fileMany(60, { licenseType: 'COP' });
	sandbox.trouble.next({ kind: 'error', status: 403 }, { withCursor: true, times: 2 });
	const emitted = [];
	for (let polls = 0; polls < 4; polls++) {
		emitted.push(...(await poller.poll()));
		vi.setSystemTime(Date.now() + 10 * 60_000);
	}
	expect(emitted).toHaveLength(filed.length);
	expect(poller.warnings[0]).toMatch(
		/New Filing: A page of the list could not be read: The API key does not allow this/,
	);
});
