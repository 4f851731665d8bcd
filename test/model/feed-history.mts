import fc from 'fast-check';

import type { ServiceOptions } from './feed-service.mts';

/** What can happen to the list: between two polls, or between two pages of one. */
export type Change =
	| {
			/** New events. `age` is in parts of the lookback: 0 is now, below 0 the future, above 1 too late. */
			kind: 'insert';
			count: number;
			age: number;
			dated: 'timed' | 'filed' | 'undated';
			/** All at one moment, or a second apart. */
			together: boolean;
	  }
	| { kind: 'update'; pick: number; leaves: boolean }
	| { kind: 'remove'; pick: number; count: number }
	| { kind: 'expire' }
	| { kind: 'wait'; minutes: number };

export interface PollStep {
	kind: 'poll';
	/** Requests that the time budget allows; null for as many as it takes. */
	pages: number | null;
	maxItems: number;
	/** Requests of this poll that fail, by number. */
	faults: number[];
	/** What happens right before a request of this poll, by number. */
	during: Array<{ before: number; change: Change }>;
}

export type Step = Change | PollStep | { kind: 'restart' } | { kind: 'refilter' };

/** A story, complete: playing it again shows the same. */
export interface History {
	service: ServiceOptions;
	/** Whether the trigger filters counties itself. */
	filtersCounties: boolean;
	/** When n8n saves state: `memory` after an emission and activation, `durable` after every poll. */
	saving: 'memory' | 'durable';
	lookbackHours: number;
	/** Timestamps are cut to this many seconds, so that some are equal. */
	grain: number;
	/** Hours before the start, where old events are asked for. */
	startFrom: number | null;
	/** How many are there before the first poll, and how many seconds apart. */
	existing: number;
	apart: number;
	steps: Step[];
}

const rarely = <Value,>(often: Value, other: fc.Arbitrary<Value>, weight = 4) =>
	fc.oneof({ weight, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: other });

const insert = (most: number): fc.Arbitrary<Change> =>
	fc.record({
		kind: fc.constant('insert' as const),
		count: fc.oneof(
			{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
			{ weight: 1, arbitrary: fc.integer({ min: Math.ceil(most / 5), max: most }) },
		),
		age: fc.oneof(
			{ weight: 5, arbitrary: fc.constant(0) },
			{ weight: 4, arbitrary: fc.integer({ min: 0, max: 20 }).map((part) => part / 20) },
			{ weight: 1, arbitrary: fc.constantFrom(-1, -0.1, 1.1, 2) },
		),
		dated: rarely<'timed' | 'filed' | 'undated'>(
			'timed',
			fc.constantFrom('filed' as const, 'undated' as const),
			9,
		),
		together: fc.boolean(),
	});

const change = (most: number): fc.Arbitrary<Change> =>
	fc.oneof(
		{ weight: 6, arbitrary: insert(most) },
		{
			weight: 2,
			arbitrary: fc.record({
				kind: fc.constant('update' as const),
				pick: fc.nat(40),
				leaves: fc.boolean(),
			}),
		},
		{
			weight: 2,
			arbitrary: fc.record({
				kind: fc.constant('remove' as const),
				pick: fc.nat(40),
				count: rarely(1, fc.integer({ min: 2, max: 6 })),
			}),
		},
		{ weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
		{
			weight: 1,
			arbitrary: fc.record({
				kind: fc.constant('wait' as const),
				minutes: fc.constantFrom(1, 30, 300, 3000),
			}),
		},
	);

const poll = (most: number, pages: number, maxItems: number): fc.Arbitrary<PollStep> =>
	fc.record({
		kind: fc.constant('poll' as const),
		pages: rarely<number | null>(null, fc.integer({ min: 1, max: pages }), 2),
		maxItems: rarely(10_000, fc.integer({ min: 1, max: maxItems })),
		faults: rarely<number[]>([], fc.array(fc.nat(5), { minLength: 1, maxLength: 2 })),
		during: rarely<PollStep['during']>(
			[],
			fc.array(fc.record({ before: fc.integer({ min: 0, max: 5 }), change: change(most) }), {
				minLength: 1,
				maxLength: 3,
			}),
			3,
		),
	});

const shortWait = fc.constant<Change>({ kind: 'wait', minutes: 1 });

function step(most: number, pages: number, maxItems: number): fc.Arbitrary<Step[]> {
	return fc.oneof(
		{ weight: 10, arbitrary: change(most).map((one) => [one]) },
		{
			weight: 12,
			arbitrary: fc.tuple(shortWait, poll(most, pages, maxItems)).map((both): Step[] => both),
		},
		{ weight: 1, arbitrary: fc.constant<Step[]>([{ kind: 'restart' }]) },
		{ weight: 1, arbitrary: fc.constant<Step[]>([{ kind: 'refilter' }]) },
	);
}

interface Scale {
	pageSize: fc.Arbitrary<number>;
	existing: fc.Arbitrary<number>;
	/** The largest burst, the largest budget that is limited, and the like. */
	most: number;
	pages: number;
	maxItems: number;
	steps: number;
}

const history = ({ pageSize, existing, most, pages, maxItems, steps }: Scale) =>
	fc.record<History>({
		service: fc.record({
			pageSize,
			cursors: fc.constantFrom('offset' as const, 'key' as const),
			totals: fc.boolean(),
			ties: fc.constantFrom('newFirst' as const, 'newLast' as const, 'mixed' as const),
			undated: fc.constantFrom('filed' as const, 'first' as const, 'last' as const),
			filtersEvents: fc.boolean(),
		}),
		filtersCounties: fc.boolean(),
		saving: fc.constantFrom('durable' as const, 'memory' as const),
		lookbackHours: fc.constantFrom(24, 1, 3),
		grain: fc.constantFrom(1, 3600, 86_400),
		startFrom: rarely<number | null>(null, fc.constantFrom(0, 1, 10, 1000), 5),
		existing,
		apart: fc.constantFrom(600, 1, 60, 7200),
		steps: fc
			.array(step(most, pages, maxItems), { minLength: 2, maxLength: steps, size: 'max' })
			.map((groups) => groups.flat()),
	});

/** Most of it is new, each has a moment almost of its own, and no poll reads it to the end. */
function crowded<Any extends Step>(step: Any): Any {
	if (step.kind === 'insert') {
		return { ...step, dated: 'timed', together: false, age: step.age > 0.3 ? 0 : step.age };
	}
	if (step.kind !== 'poll') return step;
	const during = step.during.map((one) => ({ ...one, change: many(crowded(one.change)) }));
	return { ...step, during, pages: step.pages ?? 5 };
}

const many = (change: Change): Change =>
	change.kind === 'insert' ? { ...change, count: Math.min(80, change.count * 20) } : change;

/** Pages of three to seven, so that short stories turn many of them. */
export const smallHistory: fc.Arbitrary<History> = history({
	pageSize: fc.integer({ min: 3, max: 7 }),
	existing: fc.nat(30),
	most: 25,
	pages: 4,
	maxItems: 9,
	steps: 50,
});

/** More at once than a small memory holds, again and again. */
export const crowdedHistory: fc.Arbitrary<History> = history({
	pageSize: fc.integer({ min: 3, max: 7 }),
	existing: fc.nat(30),
	most: 80,
	pages: 4,
	maxItems: 20,
	steps: 25,
}).map((one) => ({ ...one, grain: 1, steps: one.steps.map(crowded) }));

/** Thousands of events, more than memory holds. */
export const largeHistory: fc.Arbitrary<History> = history({
	pageSize: fc.constant(50),
	existing: fc.integer({ min: 0, max: 6000 }),
	most: 5000,
	pages: 40,
	maxItems: 1000,
	steps: 12,
});
