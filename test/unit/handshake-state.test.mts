import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import {
	TriggerSessions,
	type SessionContext,
} from '../../nodes/LicensingData/trigger/handshake.ts';
import type { Outcome } from '../../nodes/LicensingData/trigger/listReader.ts';
import { BLANK, type TriggerState } from '../../nodes/LicensingData/trigger/memory.ts';
import type { Progress } from '../../nodes/LicensingData/trigger/run.ts';

const HOUR = 3_600_000;
const GRACE = 5 * 60_000;
const STATE: TriggerState = { version: 5, memories: { live: BLANK } };
const NOTHING: IDataObject = {};

const PROGRESS = { scans: new Map() } as unknown as Progress;

interface More {
	node?: string;
	/** How many events it emits. */
	events?: number;
	/** Whether n8n calls `__emit` with them. */
	isTaken?: boolean;
	/** How long it takes. */
	takes?: number;
}

/** One process of n8n, with or without durable cursors. */
class Process {
	now = Date.parse('2026-07-01T12:00:00Z');
	private readonly sessions = new TriggerSessions(() => this.now);
	private own: TriggerState | undefined;

	constructor(private readonly isDurable: boolean) {}

	begin(given: IDataObject, node = 'Trigger', id = 'trigger') {
		// n8n marks its static data so that it notices changes.
		const data = this.isDurable ? structuredClone(given) : { ...given, __dataChanged: false };
		const context: SessionContext = {
			getWorkflowStaticData: () => data,
			__emit: (_items, _response, _done) => {},
			...(this.isDurable && { __commitCursor: async () => {} }),
		};
		return { data, context, session: this.sessions.begin({ id, node }, context) };
	}

	/** A poll that is given this. Returns what it writes. */
	poll(given: IDataObject, more: More = {}): IDataObject {
		const { node, events = 0, isTaken = true, takes = 0 } = more;
		const { data, context, session } = this.begin(given, node);
		if (!session) throw new Error('The poll did nothing');
		this.now += takes;
		const batch = events > 0 ? session.newBatch?.() : undefined;
		const batches = batch ? [{ ...batch, firstAt: batch.at, keys: [] }] : [];
		this.own = { ...STATE, memories: { live: { ...BLANK, batches } } };
		session.commit({
			events: Array.from({ length: events }, () => ({})),
			// n8n saves it together with the state, where it has no ID of its own.
			batchId: events > 0 ? (batch?.id ?? '') : undefined,
			state: this.own,
			progress: PROGRESS,
		} as Outcome);
		session.end();
		if (events > 0 && isTaken) context.__emit?.([]);
		return structuredClone(data);
	}

	/** What the next poll goes on from, if it comes after so many milliseconds. */
	goesOnFrom(given: IDataObject, after: number): string {
		this.now += after;
		const { session } = this.begin(given);
		session?.end();
		if (!session) return 'nothing: it waits';
		if (session.lastState !== this.own) return session.progress ? REFUSED : GIVEN;
		return session.progress ? 'its own' : 'a mixture';
	}
}

const WAITS = 'nothing: it waits';
const OWN = 'its own';
const GIVEN = 'what it is given';
const REFUSED = 'what it is given, and what it has found';

describe('A poll goes on from', () => {
	const emits = { events: 1 };
	const isOffered = { events: 1, isTaken: false };
	/** What n8n may pass in after three polls; the last of them is like this. */
	const afterPolls = (isDurable: boolean, last: More = {}) => {
		const process = new Process(isDurable);
		const first = process.poll(NOTHING);
		const second = process.poll(first);
		const written = process.poll(second, last);
		const ofAnother = new Process(isDurable).poll(NOTHING);
		return { process, given: { first, second, written, ofAnother, nothing: NOTHING } };
	};
	type Given = keyof ReturnType<typeof afterPolls>['given'];
	const durable = true;
	const separate = false;

	// The numbers are those of the table in docs/trigger.md.
	it.each<[row: number, isDurable: boolean, last: More, given: Given, after: number, from: string]>(
		[
			[2, durable, {}, 'first', 29_999, WAITS],
			[2, durable, {}, 'first', -29_999, WAITS],
			[2, durable, emits, 'first', 29_999, WAITS],
			[3, separate, isOffered, 'written', 29_999, WAITS],
			[3, separate, isOffered, 'second', 29_999, WAITS],
			[4, separate, isOffered, 'written', 30_000, OWN],
			[4, separate, emits, 'written', 0, OWN],
			[4, durable, emits, 'written', 0, OWN],
			[4, durable, { ...emits, takes: 60_000 }, 'written', HOUR, OWN],
			[5, durable, emits, 'second', 29_999, WAITS],
			[5, durable, { ...emits, takes: 60_000 }, 'second', 29_999, WAITS],
			[5, durable, emits, 'second', 30_000, REFUSED],
			[5, durable, emits, 'second', -30_000, REFUSED],
			[6, durable, {}, 'second', 0, OWN],
			[6, durable, {}, 'second', HOUR, OWN],
			[6, separate, emits, 'second', 0, OWN],
			[6, separate, {}, 'second', HOUR, OWN],
			[6, separate, {}, 'first', 0, OWN],
			[6, separate, {}, 'first', HOUR, OWN],
			[6, separate, {}, 'nothing', HOUR, OWN],
			[6, durable, {}, 'nothing', HOUR, OWN],
			[7, durable, {}, 'first', 30_000, GIVEN],
			[7, durable, {}, 'first', -30_000, GIVEN],
			[7, durable, {}, 'ofAnother', 0, GIVEN],
			[7, separate, {}, 'ofAnother', 0, GIVEN],
		],
	)('row %d (durable cursors: %s, last poll: %j): %s, %d ms later: %s', (...row) => {
		const [, isDurable, last, given, after, from] = row;
		const { process, given: passed } = afterPolls(isDurable, last);
		expect(process.goesOnFrom(passed[given], after)).toBe(from);
	});

	it.each<[isDurable: boolean, Given]>([
		[durable, 'written'],
		[separate, 'written'],
		[separate, 'nothing'],
	])('row 1, a new process: what it is given (durable cursors: %s): %s', (isDurable, given) => {
		const passed = afterPolls(isDurable).given[given];
		const { session } = new Process(isDurable).begin(passed);
		expect(session?.lastState).toEqual(passed.feed);
		expect(session?.isNew).toBe(given === 'nothing');
		// Durable cursors are saved together with the events.
		expect(session?.newBatch === undefined).toBe(isDurable);
	});

	it('what n8n passes in again, where it had read that before a poll that it discarded', () => {
		const { process, given } = afterPolls(durable, emits);
		expect(process.goesOnFrom(given.second, 30_000)).toBe(REFUSED);
		process.poll(given.second, emits);
		expect(process.goesOnFrom(given.second, 30_000)).toBe(REFUSED);
	});

	it('nothing for half a minute, where it is given what n8n saved of a poll and read too late', () => {
		const process = new Process(durable);
		const first = process.poll(NOTHING);
		const silent = process.poll(first);
		process.poll(first, emits);
		expect(process.goesOnFrom(silent, 29_999)).toBe(WAITS);
		expect(process.goesOnFrom(silent, 1)).toBe(GIVEN);
	});

	it('what is saved in two steps, where n8n does not say that it saves in one', () => {
		const process = new Process(durable);
		const { context } = process.begin(NOTHING);
		context.__commitCursor = undefined;
		const trigger = { id: 'trigger', node: 'Trigger' };
		const session = new TriggerSessions(() => process.now).begin(trigger, context);
		expect(session?.newBatch?.()).toMatchObject({ at: process.now });
	});
});

describe('A process', () => {
	it('lets one poll of a trigger run at a time', () => {
		const process = new Process(false);
		const { session } = process.begin(NOTHING);
		expect(process.begin(NOTHING).session).toBeUndefined();
		expect(process.begin(NOTHING, 'another').session).toBeDefined();
		session?.end();
		expect(process.begin(NOTHING).session).toBeDefined();
	});

	it('that has polled before repeats a batch of another for five minutes', () => {
		const process = new Process(false);
		process.poll(NOTHING);
		const { session } = process.begin(new Process(false).poll(NOTHING, { events: 1 }));
		const [batch] = session?.lastState?.memories.live?.batches ?? [];
		expect(batch && session?.fateOf(batch)).toBe('unknown');
		process.now += GRACE;
		expect(batch && session?.fateOf(batch)).toBe('acknowledged');
	});

	it('tells two nodes of one ID apart by their names', () => {
		const process = new Process(false);
		const one = process.poll(NOTHING, { node: 'One' });
		const { session } = process.begin(new Process(false).poll(NOTHING), 'Two');
		expect(session?.progress).toBeUndefined();
		session?.end();
		expect(process.goesOnFrom(one, HOUR)).toBe(GIVEN);
	});

	it('goes on with a node that was renamed, and has nothing saved under its new name', () => {
		const process = new Process(false);
		process.poll(NOTHING, { node: 'Old' });
		const { session } = process.begin(NOTHING, 'New');
		expect(session?.lastState).toBeDefined();
		expect(session?.isNew).toBe(false);
		expect(session?.progress).toBeUndefined();
	});
});
