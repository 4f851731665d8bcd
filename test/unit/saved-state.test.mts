import { type IDataObject, ManualExecutionCancelledError } from 'n8n-workflow';

import { fateOf, type Fates, watchHandover } from '../../nodes/LicensingData/trigger/handover.ts';
import { BLANK, type TriggerState } from '../../nodes/LicensingData/trigger/stateFormat.ts';
import type { Progress } from '../../nodes/LicensingData/trigger/progress.ts';
import {
	type SessionContext,
	TriggerSessions,
} from '../../nodes/LicensingData/trigger/sessions.ts';

const HOUR = 3_600_000;
const GRACE = 5 * 60_000;
const NOTHING: IDataObject = {};

/** How many events a poll emits, and whether n8n calls `__emit` with them. */
interface Emits {
	events?: number;
	isTaken?: boolean;
}

/** One process of n8n, with or without durable cursors. */
class Process {
	now = Date.parse('2026-07-01T12:00:00Z');
	private readonly sessions = new TriggerSessions(() => this.now);
	private own: TriggerState | undefined;

	constructor(private readonly isDurable: boolean) {}

	begin(given: IDataObject, trigger = 'Trigger') {
		// n8n marks its static data so that it notices changes.
		const data = this.isDurable ? structuredClone(given) : { ...given, __dataChanged: false };
		const context: SessionContext = {
			getWorkflowStaticData: () => data,
			__emit: (_items, _response, _done) => {},
			...(this.isDurable && { __commitCursor: async () => {} }),
		};
		return { data, context, session: this.sessions.begin(trigger, context) };
	}

	/** A poll that is given this. Returns what it writes. */
	poll(given: IDataObject, { events = 0, isTaken = true }: Emits = {}): IDataObject {
		const { data, context, session } = this.begin(given);
		if (!session) throw new Error('The poll did nothing');
		this.own = { version: 6, memories: { live: { ...BLANK } } };
		session.commit({
			// n8n saves it together with the state, where it has no ID of its own.
			batchId: events > 0 ? (session.newBatch?.().id ?? '') : undefined,
			state: this.own,
			progress: { scans: new Map([['a reading', {}]]) } as unknown as Progress,
		});
		session.end();
		if (events > 0 && isTaken) context.__emit?.([]);
		return structuredClone(data);
	}

	/** What the next poll goes on from, if it comes after so many milliseconds. */
	goesOnFrom(given: IDataObject, after: number): string {
		this.now += after;
		const { session } = this.begin(given);
		session?.end();
		if (!session) return WAITS;
		const from = `${session.lastState === this.own} ${session.progress?.scans.size}`;
		return { 'true 1': OWN, 'false 0': REFUSED, 'false undefined': GIVEN }[from] ?? 'a mixture';
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
	const afterPolls = (isDurable: boolean, last: Emits = {}) => {
		const process = new Process(isDurable);
		const taken = new Process(isDurable).poll(NOTHING);
		const first = process.poll(taken);
		const second = process.poll(first);
		const written = process.poll(second, last);
		const ofAnother = new Process(isDurable).poll(NOTHING);
		return { process, given: { taken, first, second, written, ofAnother, nothing: NOTHING } };
	};
	type Given = keyof ReturnType<typeof afterPolls>['given'];
	const durable = true;
	const separate = false;

	// The numbers are those of the list in docs/trigger.md.
	it.each<[row: number, isDurable: boolean, last: Emits, Given, after: number, from: string]>([
		[2, durable, {}, 'first', 29_999, WAITS],
		[2, durable, {}, 'taken', 29_999, WAITS],
		[3, separate, isOffered, 'written', 29_999, WAITS],
		[3, separate, isOffered, 'second', 29_999, WAITS],
		[4, separate, isOffered, 'written', 30_000, OWN],
		[4, separate, emits, 'written', 0, OWN],
		[4, durable, emits, 'written', HOUR, OWN],
		[5, durable, emits, 'second', 29_999, WAITS],
		[5, durable, emits, 'second', 30_000, REFUSED],
		[5, durable, emits, 'second', -30_000, REFUSED],
		[6, durable, {}, 'second', 0, OWN],
		[6, separate, emits, 'second', 0, OWN],
		[6, separate, {}, 'first', 0, OWN],
		[6, separate, {}, 'taken', 0, OWN],
		[6, separate, {}, 'nothing', HOUR, OWN],
		[7, durable, {}, 'first', 30_000, GIVEN],
		[7, durable, {}, 'ofAnother', 0, GIVEN],
		[7, separate, {}, 'ofAnother', 0, GIVEN],
	])('row %d (durable cursors: %s, last poll: %j): %s, %d ms later: %s', (...row) => {
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
});

describe('A process', () => {
	it('lets one poll of a trigger run at a time', () => {
		const process = new Process(false);
		const { session } = process.begin(NOTHING);
		expect(process.begin(NOTHING).session).toBeUndefined();
		expect(process.begin(NOTHING, 'Another').session).toBeDefined();
		session?.end();
		expect(process.begin(NOTHING).session).toBeDefined();
	});
});

describe('A batch that n8n takes over', () => {
	/** What n8n then calls, and what is known of the batch at some time after the poll. */
	function handedOver(change = (_: SessionContext) => {}) {
		const fates: Fates = new Map();
		let refuse = (_: Error) => {};
		const context: SessionContext = {
			getWorkflowStaticData: () => ({}),
			__emit: (_items, _response, done) => void (refuse = done?.reject ?? refuse),
		};
		change(context);
		watchHandover(context, 'batch', fates);
		return {
			take: () => context.__emit?.([]),
			refuse: (error: Error) => refuse(error),
			fateAfter: (time: number) =>
				fateOf({ id: 'batch', at: 0, firstAt: 0, keys: [] }, fates, time),
		};
	}

	class ExecutionNotFoundError extends Error {}

	it.each<[string, Error, string]>([
		['the database refused', new Error('The database is locked'), 'lost'],
		['somebody stopped', new ManualExecutionCancelledError('1'), 'acknowledged'],
		['nobody can find any more', new ExecutionNotFoundError(), 'acknowledged'],
	])('has this fate where its execution is one that %s', (_, error, fate) => {
		const { take, refuse, fateAfter } = handedOver();
		take();
		expect(fateAfter(GRACE - 1)).toBe('inFlight');
		refuse(error);
		expect(fateAfter(1)).toBe(fate);
	});

	it('is acknowledged after five silent minutes, and lost if not taken in half a minute', () => {
		const { take, fateAfter } = handedOver();
		expect([fateAfter(29_999), fateAfter(30_000)]).toEqual(['inFlight', 'lost']);
		take();
		expect([fateAfter(GRACE - 1), fateAfter(GRACE)]).toEqual(['inFlight', 'acknowledged']);
	});

	it.each<[string, (context: SessionContext) => void]>([
		['has no __emit', (context) => void (context.__emit = undefined)],
		['calls one that takes no promise', (context) => void (context.__emit = () => {})],
		['lets nobody watch it', (context) => void Object.freeze(context)],
	])('is acknowledged at once where n8n %s', (_, change) => {
		const { take, fateAfter } = handedOver(change);
		take();
		expect(fateAfter(1)).toBe('acknowledged');
	});
});
