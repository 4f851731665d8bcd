import fc from 'fast-check';

import type { FakeServiceOptions } from '../support/fake-service.mts';
import type { BatchFate, Saving } from './fake-n8n.mts';
import type { Filters } from './oracle.mts';

/** What can happen between two polls, or between two pages of one. */
export type Change =
	| {
			/** `age` is in lookbacks: 0 is now, below 0 the future, above 1 too late, 1000 years ago. */
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
	/** The next first page is empty, though the list is not. */
	| { kind: 'blank' }
	/** From now on, pages that start there or below cannot be read; null mends it. */
	| { kind: 'break'; below: number | null }
	| { kind: 'wait'; minutes: number };

export interface PollStep {
	kind: 'poll';
	/** Requests that the time budget allows; null for as many as needed. */
	pages: number | null;
	maxItems: number;
	/** Requests of this poll that fail, by number. */
	faults: number[];
	/** What happens right before a request of this poll, by number. */
	during: Array<{ before: number; change: Change }>;
	/** The request during which another poll starts. */
	overlapsAt: number | null;
	/** The request during which the process is lost. */
	diesAt: number | null;
	isAbandoned: boolean;
	/** Before how many saves n8n had read the cursor for this poll, at most as many as there were this minute. */
	readAhead: number;
	batch: BatchFate;
	/** Minutes until the next process starts, if this one is lost. */
	down: number;
}

type Step =
	| Change
	| PollStep
	| { kind: 'restart'; down: number }
	/** Another of several main processes polls from now on. */
	| { kind: 'lead'; main: number }
	| { kind: 'filters'; filters: Filters; pages: number | null };

/** A complete story: playing it again gives the same result. */
export interface History {
	list: FakeServiceOptions;
	pageSize: number;
	saving: Saving;
	filters: Filters;
	lookbackHours: number;
	/** Timestamps are cut to this many seconds, so that some are equal. */
	grain: number;
	/** Hours before the start from which old events are asked for. */
	startFrom: number | null;
	/** Whether every third record was filed long before its event. */
	filedFar: boolean;
	/** What is listed before the first poll: seconds apart, shuffled by this many lookbacks. */
	existing: { count: number; apart: number; scatter: number; undated: number };
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
	maxItems: 10_000,
	faults: [],
	during: [],
	overlapsAt: null,
	diesAt: null,
	isAbandoned: false,
	readAhead: 0,
	batch: wellEmitted,
	down: 0,
};

/** Nothing is listed, and nothing happens. */
const plainHistory: History = {
	list: {
		sortedBy: 'eventTimestamp',
		ties: 'newFirst',
		undated: 'last',
		cursors: 'key',
		totals: false,
	},
	pageSize: 5,
	saving: 'memory',
	filters: { account: 'live', query: {}, counties: null },
	lookbackHours: 24,
	grain: 1,
	startFrom: null,
	filedFar: false,
	existing: { count: 0, apart: 600, scatter: 0, undated: 0 },
	steps: [],
};

const isPlain = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined if there is no difference. */
function difference(value: unknown, base: unknown): unknown {
	if (!isPlain(value) || !isPlain(base))
		return JSON.stringify(value) === JSON.stringify(base) ? undefined : value;
	const differences = Object.entries(value)
		.map(([name, inner]) => [name, difference(inner, base[name])] as const)
		.filter(([, inner]) => inner !== undefined);
	return differences.length > 0 ? Object.fromEntries(differences) : undefined;
}

function filled(value: unknown, base: unknown): unknown {
	if (!isPlain(value) || !isPlain(base)) return value ?? base;
	const entries = Object.entries(value).map(([name, inner]) => [name, filled(inner, base[name])]);
	return { ...base, ...Object.fromEntries(entries) };
}

/** A history as a regression holds it: only what is not plain, a step in each line. */
export function writeHistory({ steps, ...rest }: History): string {
	const lines = steps.map((step) =>
		JSON.stringify(
			step.kind === 'poll'
				? { kind: 'poll', ...(difference(step, calmPoll) as object | undefined) }
				: step,
		),
	);
	const start = JSON.stringify(difference(rest, plainHistory) ?? {}).slice(0, -1);
	const separator = start === '{' ? '' : ',';
	return `${start}${separator}"steps":[\n${lines.join(',\n')}]}\n`;
}

export function readHistory(text: string): History {
	const { steps, ...rest } = JSON.parse(text) as { steps: Step[] };
	return {
		...(filled(rest, plainHistory) as History),
		steps: steps.map((step) =>
			step.kind === 'poll' ? (filled(step, calmPoll) as PollStep) : step,
		),
	};
}

interface Scale {
	pageSize: fc.Arbitrary<number>;
	existing: fc.Arbitrary<number>;
	existingUndated: fc.Arbitrary<number>;
	/** A usual burst, and a large one. */
	burst: fc.Arbitrary<number>;
	pages: number;
	maxItems: number;
	steps: number;
}

const rarely = <Value,>(often: Value, other: fc.Arbitrary<Value>, weight = 4) =>
	fc.oneof({ weight, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: other });

const filters: fc.Arbitrary<Filters> = fc.record({
	account: rarely('live', fc.constant('test'), 9),
	query: fc.constantFrom<Record<string, string>>(
		{},
		{ county: 'Lee' },
		{ county: 'Bay' },
		{ event_type: 'new_filing' },
		{ county: 'Lee', event_type: 'new_filing' },
	),
	counties: fc.constantFrom(null, ['Lee'], ['Bay'], ['Lee', 'Bay']),
});

const insert = ({ burst }: Scale): fc.Arbitrary<Change> =>
	fc.record({
		kind: fc.constant('insert' as const),
		count: fc.oneof(
			{ weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
			{ weight: 1, arbitrary: burst },
		),
		age: fc.oneof(
			{ weight: 10, arbitrary: fc.constant(0) },
			{ weight: 8, arbitrary: fc.integer({ min: 0, max: 20 }).map((part) => part / 20) },
			{ weight: 1, arbitrary: fc.constantFrom(-1, -0.1, 1.1, 2) },
			{ weight: 1, arbitrary: fc.constant(1000) },
		),
		dated: rarely<'timed' | 'filed' | 'undated'>('timed', fc.constantFrom('filed', 'undated'), 9),
		together: fc.boolean(),
	});

const change = (scale: Scale): fc.Arbitrary<Change> =>
	fc.oneof(
		{ weight: 6, arbitrary: insert(scale) },
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
		{
			weight: 1,
			arbitrary: fc.constantFrom<Change[]>(
				{ kind: 'expire' },
				{ kind: 'expire' },
				{ kind: 'blank' },
			),
		},
		{
			weight: 1,
			arbitrary: fc.record({
				kind: fc.constant('wait' as const),
				minutes: fc.constantFrom(1, 30, 300, 3000),
			}),
		},
	);

const expire: Change = { kind: 'expire' };

const batchFate: fc.Arbitrary<BatchFate> = fc.record({
	savesState: rarely(true, fc.constant(false), 3),
	savesExecution: rarely(true, fc.constant(false), 2),
	isCanceled: fc.boolean(),
	isLate: fc.boolean(),
	stops: fc.boolean(),
});
const down = fc.constantFrom(0, 1, 1, 600);

const poll = (scale: Scale): fc.Arbitrary<PollStep> =>
	fc.record({
		kind: fc.constant('poll' as const),
		pages: rarely<number | null>(null, fc.integer({ min: 1, max: scale.pages }), 2),
		maxItems: rarely(10_000, fc.integer({ min: 1, max: scale.maxItems }), 2),
		faults: rarely<number[]>([], fc.array(fc.nat(5), { minLength: 1, maxLength: 2 }), 6),
		during: fc.oneof(
			{ weight: 40, arbitrary: fc.constant<PollStep['during']>([]) },
			{
				weight: 10,
				arbitrary: fc.array(fc.record({ before: fc.nat(5), change: change(scale) }), {
					minLength: 1,
					maxLength: 3,
				}),
			},
			// Cursors that expire faster than they are used.
			{ weight: 1, arbitrary: fc.constant([1, 3].map((before) => ({ before, change: expire }))) },
		),
		overlapsAt: rarely<number | null>(null, fc.nat(2), 30),
		diesAt: rarely<number | null>(null, fc.nat(4), 30),
		isAbandoned: rarely(false, fc.constant(true), 40),
		readAhead: fc.constant(0),
		batch: rarely(wellEmitted, batchFate, 9),
		down,
	});

const oneMinute: Change = { kind: 'wait', minutes: 1 };
const aMinuteLater = (polls: PollStep[]): Step[] => polls.flatMap((one) => [oneMinute, one]);

function steps(scale: Scale): fc.Arbitrary<Step[]> {
	const limited = fc.record({
		maxItems: fc.integer({ min: 1, max: scale.maxItems }),
		polls: fc.array(poll(scale), { minLength: 2, maxLength: 6 }),
	});
	return fc.oneof(
		{ weight: 10, arbitrary: change(scale).map((one) => [one]) },
		{ weight: 12, arbitrary: poll(scale).map((one) => aMinuteLater([one])) },
		// Several in a row with the same Max Items, as users have it: a backlog that drains.
		{
			weight: 1,
			arbitrary: limited.map(({ maxItems, polls }) =>
				aMinuteLater(polls.map((one) => ({ ...one, maxItems }))),
			),
		},
		// Polls that have piled up follow each other at once.
		{
			weight: 1,
			arbitrary: fc
				.array(
					fc.tuple(
						fc.array(change(scale), { maxLength: 1 }),
						poll(scale),
						fc.nat(3).map((readAhead) => ({ readAhead })),
					),
					{ minLength: 2, maxLength: 5 },
				)
				.map((polls) => [
					oneMinute,
					...polls.flatMap(([changes, one, ahead]) => [...changes, { ...one, ...ahead }]),
				]),
		},
		{ weight: 1, arbitrary: down.map((minutes): Step[] => [{ kind: 'restart', down: minutes }]) },
		// Mains that take turns, and return.
		{
			weight: 1,
			arbitrary: fc
				.array(fc.tuple(fc.nat(2), poll(scale)), { minLength: 1, maxLength: 4 })
				.map((turns) =>
					turns.flatMap(([main, one]) => [{ kind: 'lead' as const, main }, ...aMinuteLater([one])]),
				),
		},
		{
			weight: 1,
			arbitrary: fc
				.record({
					kind: fc.constant('filters' as const),
					filters,
					pages: rarely<number | null>(null, fc.integer({ min: 1, max: scale.pages }), 3),
				})
				.map((one) => [one]),
		},
		{
			weight: 1,
			arbitrary: fc
				.tuple(
					fc.integer({ min: 1, max: 12 }),
					fc.array(poll(scale), { minLength: 2, maxLength: 4 }),
				)
				.map(([below, polls]) => [
					{ kind: 'break' as const, below },
					...aMinuteLater(polls),
					{ kind: 'break' as const, below: null },
				]),
		},
	);
}

const history = (scale: Scale) =>
	fc.record<History>({
		list: fc.record({
			sortedBy: fc.oneof(
				{ weight: 3, arbitrary: fc.constant('eventTimestamp' as const) },
				{ weight: 1, arbitrary: fc.constantFrom('arrival' as const, 'filedDate' as const) },
			),
			ties: fc.constantFrom('newFirst' as const, 'newLast' as const, 'mixed' as const),
			undated: fc.constantFrom('first' as const, 'last' as const),
			cursors: fc.constantFrom('position' as const, 'key' as const),
			totals: fc.boolean(),
		}),
		pageSize: scale.pageSize,
		saving: fc.constantFrom<Saving>('memory', 'scheduler', 'cursors'),
		filters: rarely<Filters>({ account: 'live', query: {}, counties: null }, filters, 1),
		lookbackHours: fc.constantFrom(24, 1, 3),
		grain: fc.constantFrom(1, 3600, 86_400),
		startFrom: rarely<number | null>(null, fc.constantFrom(0, 1, 10, 1000), 5),
		filedFar: rarely(false, fc.constant(true)),
		existing: fc.record({
			count: scale.existing,
			apart: fc.constantFrom(600, 1, 60, 7200),
			scatter: fc.constantFrom(0, 0, 1, 2),
			undated: scale.existingUndated,
		}),
		steps: fc
			.array(steps(scale), { minLength: 2, maxLength: scale.steps, size: 'max' })
			.map((groups) => groups.flat()),
	});

const SMALL: Scale = {
	pageSize: fc.integer({ min: 3, max: 7 }),
	existing: fc.nat(30),
	existingUndated: rarely(0, fc.nat(12)),
	burst: fc.integer({ min: 5, max: 25 }),
	pages: 4,
	maxItems: 9,
	steps: 50,
};

/** Pages of three to seven, so that short stories read many of them. */
export const smallHistory: fc.Arbitrary<History> = history(SMALL);

/** More at once than a small memory holds. */
export const crowdedHistory: fc.Arbitrary<History> = history({
	...SMALL,
	burst: fc.integer({ min: 20, max: 80 }),
	maxItems: 20,
	steps: 25,
});

/** Thousands of events. */
export const largeHistory: fc.Arbitrary<History> = history({
	pageSize: fc.constant(50),
	existing: fc.nat(4000),
	existingUndated: rarely(0, fc.integer({ min: 100, max: 4000 }), 2),
	burst: fc.integer({ min: 500, max: 3000 }),
	pages: 40,
	maxItems: 1000,
	steps: 12,
});
