import fc from 'fast-check';

import type { BatchFate, Saving } from './fake-n8n.mts';
import { COUNTIES, TYPES, type WorldOptions } from './world.mts';

export interface Filters {
	kind: 'live' | 'test';
	events: Array<'new_filing' | 'renewal'>;
	/** Null for all. */
	counties: string[] | null;
	types: string[] | null;
	lookbackDays: number;
}

/** What can happen between two polls, or between two pages of one. */
export type Change =
	/** `age` is in days. */
	| { kind: 'add'; count: number; age: number; isAtOnce: boolean }
	| { kind: 'amend'; pick: number }
	| { kind: 'correct'; pick: number; what: 'name' | 'id' }
	| { kind: 'useIdAgain' | 'flip'; pick: number }
	| { kind: 'addSource'; count: number; isAtOnce: boolean }
	| { kind: 'standStill'; days: number }
	| { kind: 'expire'; pick: number }
	| { kind: 'transfer'; pick: number; isBeside: boolean }
	| { kind: 'hide'; pick: number; count: number; days: number }
	/** From now on, pages below that one cannot be read; null mends it. */
	| { kind: 'break'; below: number | null }
	| { kind: 'wait'; minutes: number };

export interface PollStep {
	kind: 'poll';
	/** Requests that the time allows; null for as many as needed. */
	pages: number | null;
	/** Requests after which the service wants to wait. */
	limitedAfter: number | null;
	maxItems: number;
	/** Requests of this poll that fail, by number. */
	faults: number[];
	/** What happens right before a request of this poll, by number. */
	during: Array<{ before: number; change: Change }>;
	/** The request during which the process is lost. */
	diesAt: number | null;
	overlapsAt: number | null;
	isAbandoned: boolean;
	readAhead: number;
	batch: BatchFate;
	/** Minutes until the next process starts, if this one is lost. */
	down: number;
}

export type Step =
	| Change
	| PollStep
	| { kind: 'restart'; down: number }
	/** Another of several main processes polls from now on. */
	| { kind: 'lead'; main: number }
	| { kind: 'filters'; filters: Filters };

/** A complete story: playing it again gives the same result. */
export interface History {
	world: WorldOptions;
	saving: Saving;
	filters: Filters;
	/** Days before the start from which old events are asked for. */
	startFrom: number | null;
	steps: Step[];
}

export const wellEmitted: BatchFate = {
	savesState: true,
	savesExecution: true,
	isCanceled: false,
	isLate: false,
	stops: false,
};

export const calmPoll: PollStep = {
	kind: 'poll',
	pages: null,
	limitedAfter: null,
	maxItems: 10_000,
	faults: [],
	during: [],
	diesAt: null,
	overlapsAt: null,
	isAbandoned: false,
	readAhead: 0,
	batch: wellEmitted,
	down: 0,
};

const rarely = <Value,>(often: Value, other: fc.Arbitrary<Value>, weight = 4) =>
	fc.oneof({ weight, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: other });

const filters: fc.Arbitrary<Filters> = fc.record({
	kind: rarely<'live' | 'test'>('live', fc.constant('test'), 6),
	events: fc.constantFrom<Filters['events']>(
		['new_filing'],
		['new_filing'],
		['new_filing', 'renewal'],
		['renewal'],
	),
	counties: fc.constantFrom<string[] | null>(null, null, [COUNTIES[0]], [...COUNTIES]),
	types: fc.constantFrom<string[] | null>(null, null, [TYPES[0]], [TYPES[0], TYPES[1]]),
	lookbackDays: fc.constantFrom(90, 90, 0, 20),
});

const change: fc.Arbitrary<Change> = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant('add' as const),
			count: fc.oneof(
				{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
				{ weight: 1, arbitrary: fc.integer({ min: 5, max: 30 }) },
			),
			age: fc.oneof(
				{ weight: 4, arbitrary: fc.constant(0) },
				{ weight: 4, arbitrary: fc.integer({ min: 0, max: 60 }) },
				{ weight: 1, arbitrary: fc.constantFrom(-3, 300) },
			),
			isAtOnce: rarely(false, fc.constant(true)),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom('amend' as const, 'useIdAgain' as const, 'flip' as const),
			pick: fc.nat(80),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('correct' as const),
			pick: fc.nat(80),
			what: fc.constantFrom('name' as const, 'id' as const),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('addSource' as const),
			count: fc.integer({ min: 10, max: 60 }),
			isAtOnce: fc.boolean(),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('transfer' as const),
			pick: fc.nat(80),
			isBeside: fc.boolean(),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('hide' as const),
			pick: fc.nat(80),
			count: rarely(1, fc.integer({ min: 2, max: 8 })),
			days: fc.constantFrom(0.01, 1, 4, 1000),
		}),
	},
	{ weight: 1, arbitrary: fc.constant<Change>({ kind: 'expire', pick: 0 }) },
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('wait' as const),
			minutes: fc.constantFrom(1, 30, 240, 1440, 1440),
		}),
	},
);

const batch: fc.Arbitrary<BatchFate> = fc.record({
	savesState: rarely(true, fc.constant(false), 3),
	savesExecution: rarely(true, fc.constant(false), 2),
	isCanceled: fc.boolean(),
	isLate: fc.boolean(),
	stops: fc.boolean(),
});
const down = fc.constantFrom(0, 1, 1, 600);

const poll: fc.Arbitrary<PollStep> = fc.record({
	kind: fc.constant('poll' as const),
	pages: rarely<number | null>(null, fc.integer({ min: 1, max: 5 }), 2),
	limitedAfter: rarely<number | null>(null, fc.nat(6), 4),
	maxItems: rarely(10_000, fc.integer({ min: 1, max: 9 }), 3),
	faults: rarely<number[]>([], fc.array(fc.nat(6), { minLength: 1, maxLength: 2 }), 6),
	during: rarely<PollStep['during']>(
		[],
		// A poll takes minutes at most.
		fc.array(
			fc.record({
				before: fc.nat(8),
				change: change.filter((one) => one.kind !== 'wait' || one.minutes <= 1),
			}),
			{ minLength: 1, maxLength: 3 },
		),
	),
	diesAt: rarely<number | null>(null, fc.nat(6), 30),
	overlapsAt: rarely<number | null>(null, fc.nat(2), 30),
	isAbandoned: rarely(false, fc.constant(true), 40),
	readAhead: fc.constant(0),
	batch: rarely(wellEmitted, batch, 9),
	down,
});

const after = (minutes: number, steps: Step[]): Step[] =>
	steps.flatMap((step) => [{ kind: 'wait', minutes }, step]);

const steps: fc.Arbitrary<Step[]> = fc.oneof(
	{ weight: 10, arbitrary: change.map((one): Step[] => [one]) },
	{
		weight: 12,
		arbitrary: fc
			.tuple(fc.constantFrom(1, 5, 30), poll)
			.map(([minutes, one]) => after(minutes, [one])),
	},
	// The list stands still, polled or not, and is then replaced.
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.constantFrom(3, 42), fc.array(change, { maxLength: 4 }), poll, poll)
			.map(([days, changes, one, other]): Step[] => [
				{ kind: 'standStill', days },
				...changes.filter(({ kind }) => kind !== 'wait'),
				...after(60, [one]),
				{ kind: 'wait', minutes: days * 1440 },
				other,
			]),
	},
	// Polls that have piled up follow each other at once.
	{
		weight: 1,
		arbitrary: fc
			.array(fc.tuple(poll, fc.nat(3)), { minLength: 2, maxLength: 4 })
			.map((polls): Step[] => [
				{ kind: 'wait', minutes: 1 },
				...polls.map(([one, readAhead]) => ({ ...one, readAhead })),
			]),
	},
	{ weight: 1, arbitrary: down.map((minutes): Step[] => [{ kind: 'restart', down: minutes }]) },
	// Mains that take turns, and return.
	{
		weight: 1,
		arbitrary: fc
			.array(fc.tuple(fc.nat(2), poll), { minLength: 1, maxLength: 4 })
			.map((turns) =>
				turns.flatMap(([main, one]): Step[] => [{ kind: 'lead', main }, ...after(1, [one])]),
			),
	},
	{
		weight: 1,
		arbitrary: filters.map((one): Step[] => [{ kind: 'filters', filters: one }]),
	},
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.integer({ min: 0, max: 6 }), fc.array(poll, { minLength: 2, maxLength: 5 }))
			.map(([below, polls]): Step[] => [
				{ kind: 'break', below },
				...after(5, polls),
				{ kind: 'break', below: null },
			]),
	},
);

const world = (kind: fc.Arbitrary<WorldOptions['kind']>): fc.Arbitrary<WorldOptions> =>
	fc.record({
		kind,
		ties: fc.constantFrom('newFirst' as const, 'newLast' as const, 'mixed' as const),
		cursors: fc.constantFrom('position' as const, 'position' as const, 'key' as const),
		totals: rarely(true, fc.constant(false)),
		pageSize: fc.integer({ min: 3, max: 7 }),
		datesEqual: rarely(false, fc.constant(true)),
		window: rarely<number | null>(null, fc.integer({ min: 5, max: 20 })),
		undatedStock: fc.constantFrom(0, 0, 4, 10),
		daysUntilRenewal: fc.constantFrom(60, 60, 20),
		existing: fc.nat(60),
		sampleEvery: rarely<number | null>(null, fc.integer({ min: 3, max: 9 }), 6),
		seed: fc.nat(1_000_000),
	});

/** Half of all histories are those of a register, the others those of streams. */
export const histories: fc.Arbitrary<History> = fc.record({
	world: world(
		fc.constantFrom<WorldOptions['kind']>('register', 'register', 'byTime', 'byArrival'),
	),
	saving: fc.constantFrom<Saving>('memory', 'scheduler', 'cursors'),
	filters: rarely<Filters>(
		{ kind: 'live', events: ['new_filing'], counties: null, types: null, lookbackDays: 90 },
		filters,
		1,
	),
	startFrom: rarely<number | null>(null, fc.constantFrom(0, 10, 1000), 5),
	steps: fc.array(steps, { minLength: 2, maxLength: 40, size: 'max' }).map((all) => all.flat()),
});
