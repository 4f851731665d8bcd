import fc from 'fast-check';

import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import type { Fate, Saving } from '../support/poller.mts';
import { COUNTIES, EDITS, TYPES } from './world.mts';

type Valued<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Arbitraries<Values> = { [Name in keyof Values]: fc.Arbitrary<Values[Name]> };

const weighted = <Values extends unknown[]>(
	...all: { [At in keyof Values]: [weight: number, fc.Arbitrary<Values[At]>] }
): fc.Arbitrary<Values[number]> =>
	fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const rarely = <Value,>(other: fc.Arbitrary<Value>, weight = 4) =>
	weighted([weight, fc.constant(undefined)], [1, other]);

const step = <Kind extends string, More>(kind: Kind, more: Arbitraries<More>) =>
	fc.record(more).map((chosen) => ({ kind, ...chosen }));

const oneOf = <Name extends string>(...names: Name[]) => fc.constantFrom(...names);

/** All counties or types, if none are chosen. */
const filters = fc.record({
	kind: weighted([6, oneOf('live')], [1, oneOf('test')]),
	events: fc.constantFrom<string[][]>(
		['new_filing'],
		['new_filing'],
		['new_filing', 'renewal'],
		['renewal', 'cancellation'],
		ALL_EVENT_TYPES.map(({ value }) => value),
	),
	counties: fc.constantFrom(undefined, undefined, [COUNTIES[0]], [...COUNTIES]),
	types: fc.constantFrom(undefined, undefined, [TYPES[0]], [TYPES[0], TYPES[1]]),
	lookbackDays: fc.constantFrom(90, 90, 0, 20),
	maxItems: rarely(fc.integer({ min: 1, max: 9 }), 3),
});

const pick = fc.nat(80);

/** What can happen between two polls, or between two pages of one. */
const change = weighted(
	[
		6,
		step('add', {
			count: weighted([4, fc.integer({ min: 1, max: 3 })], [1, fc.integer({ min: 5, max: 30 })]),
			/** In days. */
			age: weighted([4, fc.constant(0)], [4, fc.nat(60)], [1, fc.constantFrom(-3, 300)]),
			isAtOnce: rarely(fc.constant(true)),
		}),
	],
	[5, step('edit', { pick, what: fc.constantFrom(...EDITS) })],
	[1, step('addSource', { count: fc.integer({ min: 10, max: 60 }), isAtOnce: fc.boolean() })],
	[
		2,
		step('hide', {
			pick,
			count: weighted([4, fc.constant(1)], [1, fc.integer({ min: 2, max: 8 })]),
			days: fc.constantFrom(0.01, 1, 4, 1000),
		}),
	],
	[1, step('expireCursors', {})],
	[5, step('wait', { minutes: fc.constantFrom<number[]>(1, 30, 240, 1440, 1440) })],
);

const down = fc.constantFrom(0, 1, 1, 600);

/** What becomes of a batch. */
const fate = fc.record<Fate>({
	losesState: rarely(fc.constant(true), 3),
	losesExecution: rarely(fc.constant(true), 2),
	isCanceled: fc.boolean(),
	isLate: fc.boolean(),
	stops: fc.boolean(),
});

const poll = step('poll', {
	/** Requests that the time allows, and after which the service wants to wait. */
	pages: rarely(fc.integer({ min: 1, max: 5 }), 2),
	limitedAfter: rarely(fc.nat(6)),
	/** Requests of this poll that fail, by number. */
	faults: rarely(fc.array(fc.nat(6), { minLength: 1, maxLength: 2 }), 6),
	/** What happens right before a request of this poll. It takes minutes at most. */
	during: rarely(
		fc.array(
			fc.record({
				before: fc.nat(8),
				change: change.filter((one) => one.kind !== 'wait' || one.minutes <= 1),
			}),
			{ minLength: 1, maxLength: 3 },
		),
	),
	/** The requests during which the process is lost, and another poll of the node begins. */
	diesAt: rarely(fc.nat(6), 30),
	overlapsAt: rarely(fc.nat(2), 30),
	fate: weighted(
		[360, fc.constant(undefined)],
		[40, fate],
		[9, fc.constant<Fate>({ isDropped: true })],
	),
	/** Minutes until the next process starts, if this one is lost. */
	down,
});

const restart = step('restart', { down });
/** Another of several main processes polls from now on. */
const lead = step('lead', { main: fc.nat(2) });
const otherFilters = step('filters', { filters });
const standStill = step('standStill', { days: fc.constantFrom(3, 42) });
/** From now on, pages below that one cannot be read. */
const breakList = step('break', { below: fc.nat(6) });

type Chosen = Valued<typeof filters>;
export type Filters = Pick<Chosen, 'kind' | 'events' | 'lookbackDays'> & Partial<Chosen>;
export type Change = Valued<typeof change | typeof standStill>;
export type PollStep = Partial<Valued<typeof poll>>;
type Step =
	| Change
	| ({ kind: 'poll' } & PollStep)
	| Valued<typeof restart | typeof lead | typeof otherFilters>
	| { kind: 'break'; below?: number };

const after = (minutes: number, ...polls: Step[]): Step[] =>
	polls.flatMap((one): Step[] => [{ kind: 'wait', minutes }, one]);

const steps: fc.Arbitrary<Step[]> = weighted<Step[][]>(
	[12, weighted([10, change], [1, restart], [1, otherFilters]).map((one) => [one])],
	[12, fc.tuple(fc.constantFrom(1, 5, 30), poll).map(([minutes, one]) => after(minutes, one))],
	// The list stands still, polled or not, and is then replaced.
	[
		1,
		fc
			.tuple(standStill, fc.array(change, { maxLength: 4 }), poll, poll)
			.map(([still, changes, one, other]) => [
				still,
				...changes.filter(({ kind }) => kind !== 'wait'),
				...after(60, one),
				...after(still.days * 1440, other),
			]),
	],
	// Polls that have piled up follow each other at once.
	[1, fc.array(poll, { minLength: 2, maxLength: 4 })],
	// Main processes that take turns, and return.
	[
		1,
		fc
			.array(fc.tuple(lead, poll), { minLength: 1, maxLength: 4 })
			.map((turns) => turns.flatMap(([one, polled]): Step[] => [one, ...after(1, polled)])),
	],
	[
		1,
		fc
			.tuple(breakList, fc.array(poll, { minLength: 2, maxLength: 5 }))
			.map(([one, polls]) => [one, ...after(5, ...polls), { kind: 'break' }]),
	],
);

const world = fc.record({
	/** A register lists new filings first, by filing date. A stream is sorted by the event's time, or by arrival. */
	kind: oneOf('register', 'register', 'byTime', 'byArrival'),
	/** Entries of one rank, in which order. */
	ties: oneOf('newFirst', 'newLast', 'mixed'),
	/** What a cursor stands for. */
	cursors: oneOf('position', 'position', 'key'),
	hidesTotals: rarely(fc.constant(true)),
	pageSize: fc.integer({ min: 3, max: 7 }),
	/** All dates are of one day. */
	datesEqual: rarely(fc.constant(true)),
	/** How many records of a type are shown, if not all. */
	window: rarely(fc.integer({ min: 5, max: 20 })),
	/** How many records without a date get today's every day. */
	undatedStock: fc.constantFrom(0, 0, 4, 10),
	/** After how many days a filing is called a renewal. */
	daysUntilRenewal: fc.constantFrom(60, 60, 20),
	existing: fc.nat(60),
	/** Every so many requests, another server answers, which has a sample. */
	sampleEvery: rarely(fc.integer({ min: 3, max: 9 }), 6),
	seed: fc.nat(1_000_000),
});

/** Complete stories: playing one again gives the same result. */
export const histories = fc.record({
	world,
	/** How much the trigger may remember: lists of sixty fit, or are cut. */
	limits: weighted(
		[4, fc.constant({ events: 3_000, pages: 400 })],
		[1, fc.constant({ events: 40, pages: 8 })],
	),
	saving: fc.constantFrom<Saving[]>('memory', 'scheduler', 'durable'),
	filters: weighted(
		[1, fc.constant<Filters>({ kind: 'live', events: ['new_filing'], lookbackDays: 90 })],
		[1, filters],
	),
	/** Days before the start from which old events are asked for. */
	startFrom: rarely(fc.constantFrom(0, 10, 1000), 5),
	steps: fc.array(steps, { minLength: 2, maxLength: 40, size: 'max' }).map((all) => all.flat()),
});

export type History = Valued<typeof histories>;
export type WorldOptions = History['world'];
