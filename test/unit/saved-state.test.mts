import { type IDataObject, type IPollFunctions, ManualExecutionCancelledError } from 'n8n-workflow';

import { HOUR, MINUTE } from '../../nodes/LicensingData/licenses/time.ts';
import type { TriggerState } from '../../nodes/LicensingData/trigger/stateFormat.ts';
import {
	filed,
	listed,
	type ListedTrigger,
	publishedOn,
	useClock,
} from '../support/listed-trigger.mts';
import type { Saving } from '../support/poller.mts';

beforeEach(() => useClock());

const GRACE = 5 * MINUTE;

/** The batches of which n8n has saved that it may have lost them. */
const inDoubt = ({ poller }: ListedTrigger) =>
	(poller.saved.feed as unknown as TriggerState).memories.live?.batches;

describe('A poll goes on from', () => {
	/** What n8n may pass in after three polls, of which the last one found what has left the list since. */
	type Given = 'nothing' | 'taken' | 'first' | 'second' | 'written' | 'ofAnother';
	type Last = 'is silent' | 'emits' | 'is dropped';

	async function afterPolls(saving: Saving, last: Last) {
		const trigger = await publishedOn(listed(90), {}, { saving, pageSize: 5 });
		await trigger.poll();
		const saved: Partial<Record<Given, IDataObject>> = { nothing: {}, taken: trigger.poller.saved };
		await trigger.restart();
		// So that a full reading takes many polls.
		trigger.time = 3;
		for (const name of ['first', 'second'] as const) {
			trigger.records.unshift(filed(name));
			await trigger.poll();
			saved[name] = trigger.poller.saved;
			// Durable cursors are saved together with the events.
			expect(inDoubt(trigger)).toHaveLength(saving === 'durable' ? 0 : 1);
		}
		const { records } = trigger;
		if (last !== 'is silent') trigger.records = [filed('third'), ...records];
		trigger.poller.fate = { isDropped: last === 'is dropped' };
		await trigger.poll();
		Object.assign(trigger, { records });
		trigger.poller.fate = {};
		return { trigger, saved: { ...saved, ofAnother: { ...saved.first, revision: 'of another' } } };
	}

	/** Whether it goes on with the full reading, if it reads at all, and what comes. */
	const OUTCOMES = {
		'nothing: it waits': [undefined],
		'its own': [true],
		'its own, and what was lost': [true, 'third'],
		'what it is given, and what it has found': [false, 'third'],
		'what it is given': [false, 'second'],
		'what is saved': [false],
	};
	type From = keyof typeof OUTCOMES;

	// The numbers are those of the list in docs/trigger.md.
	it.each<[row: number, Saving, Last, Given, after: number, From]>([
		[1, 'durable', 'emits', 'written', 0, 'what is saved'],
		[1, 'memory', 'emits', 'written', 0, 'what is saved'],
		[1, 'memory', 'is silent', 'nothing', 0, 'what is saved'],
		[2, 'durable', 'is silent', 'first', 29_999, 'nothing: it waits'],
		[2, 'durable', 'is silent', 'taken', 29_999, 'nothing: it waits'],
		[3, 'memory', 'is dropped', 'written', 29_999, 'nothing: it waits'],
		[3, 'memory', 'is dropped', 'second', 29_999, 'nothing: it waits'],
		[4, 'memory', 'is dropped', 'written', 30_000, 'its own, and what was lost'],
		[4, 'memory', 'emits', 'written', 0, 'its own'],
		[4, 'durable', 'emits', 'written', HOUR, 'its own'],
		[5, 'durable', 'emits', 'second', 29_999, 'nothing: it waits'],
		[5, 'durable', 'emits', 'second', 30_000, 'what it is given, and what it has found'],
		[5, 'durable', 'emits', 'second', -30_000, 'what it is given, and what it has found'],
		[6, 'durable', 'is silent', 'second', 0, 'its own'],
		[6, 'memory', 'emits', 'second', 0, 'its own'],
		[6, 'memory', 'is silent', 'first', 0, 'its own'],
		[6, 'memory', 'is silent', 'taken', 0, 'its own'],
		[6, 'memory', 'is silent', 'nothing', HOUR, 'its own'],
		[7, 'durable', 'is silent', 'first', 30_000, 'what it is given'],
		[7, 'durable', 'is silent', 'ofAnother', 0, 'what it is given'],
		[7, 'memory', 'is silent', 'ofAnother', 0, 'what it is given'],
	])('row %d (saved as in %s, the last poll %s): %s, %d ms later: %s', async (...row) => {
		const [number, saving, last, given, after, from] = row;
		const { trigger, saved } = await afterPolls(saving, last);
		const { poller } = trigger;
		if (given !== 'written') {
			poller.database.saved = saved[given]!;
			poller.restart();
		}
		if (number === 1) await trigger.restart();
		const came = await trigger.poll(after);
		const [, next] = trigger.asked;
		expect([next && Number(next.cursor) > 5, ...came]).toEqual(OUTCOMES[from]);
	});
});

it('A process lets one poll of a trigger run at a time', async () => {
	const [trigger, another] = [await publishedOn(listed(9)), await publishedOn(listed(9))];
	const goOn = trigger.poller.start();
	await goOn(1);
	await Promise.all([trigger.poll(), another.poll()]);
	expect([trigger.asked.length, another.asked.length]).toEqual([0, 1]);
	await goOn();
	await trigger.poll();
	expect(trigger.asked).toHaveLength(1);
});

describe('A batch that n8n takes over', () => {
	class ExecutionNotFoundError extends Error {}

	it.each<[string, after: number, Error, comes: string[]]>([
		['the database refused', GRACE - 1, new Error('The database is locked'), ['new']],
		['it refused after five silent minutes', GRACE, new Error('The database is locked'), []],
		['somebody stopped', GRACE - 1, new ManualExecutionCancelledError('1'), []],
		['nobody can find any more', GRACE - 1, new ExecutionNotFoundError(), []],
	])('comes again only where its execution is one that %s', async (_, after, error, comes) => {
		let refuse = (_error: Error) => {};
		const change = (context: Partial<IPollFunctions>) => {
			context.__emit = (_items, _response, done) => void (refuse = done!.reject);
		};
		const trigger = await publishedOn(listed(9), {}, { change });
		trigger.records.unshift(filed('new'));
		expect(await trigger.poll()).toEqual(['new']);
		expect(await trigger.poll(after)).toEqual([]);
		refuse(error);
		expect(await trigger.poll(1)).toEqual(comes);
	});

	it.each<[string, (emit: IPollFunctions['__emit']) => PropertyDescriptor]>([
		['has no __emit', () => ({ value: undefined })],
		[
			'calls one that takes no promise',
			(emit) => ({ value: (...[items]: Parameters<typeof emit>) => emit(items) }),
		],
		['lets nobody watch it', () => ({ writable: false })],
	])('is acknowledged at once where n8n %s', async (_, other) => {
		const change = (context: object) =>
			Object.defineProperty(context, '__emit', other((context as IPollFunctions).__emit));
		const trigger = await publishedOn(listed(9), {}, { change });
		for (const name of ['first', 'second']) {
			trigger.records.unshift(filed(name));
			expect(await trigger.poll(1)).toEqual([name]);
		}
		expect(inDoubt(trigger)).toHaveLength(1);
	});
});
