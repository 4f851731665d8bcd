import { describe, expect, it } from 'vitest';

import {
	type Fates,
	fateOf,
	type SessionContext,
	watchHandover,
} from '../../nodes/LicensingData/trigger/handshake.ts';
import { BLANK, EventQueue, type Fate, newHeld } from '../../nodes/LicensingData/trigger/memory.ts';

const GRACE = 5 * 60_000;

type Emit = NonNullable<SessionContext['__emit']>;

/** A batch that n8n takes over, what n8n then calls, and what is known of the batch at some time after the poll. */
function handedOver(id = 'batch', fates: Fates = new Map(), change = (_: SessionContext) => {}) {
	const calls: Array<Parameters<Emit>> = [];
	const emit: Emit = (items, response, done) => void calls.push([items, response, done]);
	const context: SessionContext = { getWorkflowStaticData: () => ({}), __emit: emit };
	change(context);
	watchHandover(context, id, fates);
	return {
		fates,
		calls,
		take: (...more: Parameters<Emit>) => context.__emit?.(...more),
		fateAfter: (time: number, firstAt = 0) => fateOf({ id, at: 0, firstAt, keys: [] }, fates, time),
	};
}

class ExecutionCancelledError extends Error {}
class ManualExecutionCancelledError extends ExecutionCancelledError {}
class ExecutionNotFoundError extends Error {}

describe('a batch that n8n takes over', () => {
	it.each<[string, Error, string]>([
		['the database refused', new Error('The database is locked'), 'lost'],
		['somebody stopped', new ExecutionCancelledError(), 'acknowledged'],
		['somebody stopped by hand', new ManualExecutionCancelledError(), 'acknowledged'],
		['nobody can find any more', new ExecutionNotFoundError(), 'acknowledged'],
	])('has this fate where its execution is one that %s', (_, error, fate) => {
		const { calls, take, fateAfter } = handedOver();
		take([]);
		expect(fateAfter(GRACE - 1)).toBe('inFlight');
		calls[0]?.[2]?.reject(error);
		expect(fateAfter(1)).toBe(fate);
	});

	it('is acknowledged after five minutes without a word, and lost after half a minute if n8n did not take it', () => {
		const { take, fateAfter } = handedOver();
		expect([29_999, 30_000, -30_000].map((time) => fateAfter(time))).toEqual([
			'inFlight',
			'lost',
			'lost',
		]);
		take([]);
		const ends = [GRACE, -GRACE].map((time) => fateAfter(time));
		expect([fateAfter(GRACE - 1), ...ends]).toEqual(['inFlight', 'acknowledged', 'acknowledged']);
	});

	it.each<[string, (context: SessionContext) => void]>([
		['has no __emit', (context) => void (context.__emit = undefined)],
		['calls one that takes no promise', (context) => void (context.__emit = () => {})],
		['lets nobody watch it', (context) => void Object.freeze(context)],
	])('is acknowledged at once where n8n %s', (_, change) => {
		const { take, fateAfter } = handedOver('batch', new Map(), change);
		take([]);
		expect(fateAfter(1)).toBe('acknowledged');
	});

	it('is handed on as it is, with the promises that n8n has for it', () => {
		const { calls, take } = handedOver();
		const response = { promise: new Promise<never>(() => {}), resolve() {}, reject() {} };
		const done = { ...response };
		const items = [[{ json: { id: '1' } }]];
		take(items, response, done as never);
		expect(calls[0]?.[0]).toBe(items);
		expect(calls[0]?.[1]).toBe(response);
		expect(calls[0]?.[2]).toBe(done);
	});

	it('is remembered until a hundred others have come', () => {
		const fates: Fates = new Map();
		for (let number = 0; number < 150; number++) handedOver(`batch ${number}`, fates);
		expect([...fates.keys()]).toEqual(Array.from({ length: 100 }, (_, at) => `batch ${at + 50}`));
	});

	it.each([
		[0, 'unknown'],
		[GRACE - 1, 'unknown'],
		[GRACE, 'acknowledged'],
		[1 - GRACE, 'unknown'],
		[-GRACE, 'acknowledged'],
	])('of a process that has ended is, %d ms after its first emission, %s', (now, fate) => {
		expect(fateOf({ id: 'batch', at: 0, firstAt: 0, keys: [] }, new Map(), now)).toBe(fate);
	});

	it('comes again after a repetition that n8n dropped, but not later than five minutes after the first', () => {
		const { fateAfter } = handedOver();
		expect(fateAfter(30_000, -GRACE + 30_001)).toBe('unknown');
		expect(fateAfter(30_000, -GRACE + 30_000)).toBe('acknowledged');
	});

	it.each<[Fate | 'inFlight', kept: number]>([
		['inFlight', 1],
		['lost', 0],
		['acknowledged', 0],
	])('is held in memory no longer than it may have to come again: %s', (fate, kept) => {
		const held = newHeld();
		const queue = new EventQueue(BLANK, held, () => fate);
		const record = { id: '1' };
		const keys = { keys: ['abcdef'], knownBy: ['abcdef'] };
		const found = { record, matched: record, event: 'new_filing', foundAt: 0 };
		queue.observe(found, keys, () => 'news');
		expect(queue.take(1, () => ({ id: 'batch', at: 0 })).events).toEqual([record]);
		const again = new EventQueue({ ...BLANK, ...queue.save(10) }, held, () => fate);
		expect([again.waiting.size, held.inFlight.size]).toEqual([fate === 'lost' ? 1 : 0, kept]);
	});
});
