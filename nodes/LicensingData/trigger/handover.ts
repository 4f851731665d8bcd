import type { IPollFunctions } from 'n8n-workflow';

import type { Batch } from './stateFormat';

/** A start of n8n takes 30 to 60 seconds on two cores, and replacing a container about as long. */
const GRACE = 5 * 60_000;

/** n8n takes over what a poll returns, and saves it, within less than this. */
export const HANDOVER = 30_000;

/** How many batches a trigger remembers the fate of. */
const MAX_FATES = 100;

/**
 * Errors of executions that did exist: they say how one ended, not that there was none. By class names, since an error
 * may come from another copy of n8n's packages.
 */
const ENDS_OF_EXECUTIONS = /Execution(Cancelled|NotFound)Error$/;

/** What became of a batch. Where a process has ended, nobody knows whether n8n took over what it emitted. */
export type Fate = 'inFlight' | 'acknowledged' | 'lost' | 'unknown';

/** What is known of a trigger's batches, by ID: what becomes of them if n8n says nothing for so long. */
export type Fates = Map<string, { fate: Fate; after: number }>;
/** The poll has returned it. n8n may drop it without calling `__emit`, and then it tells nobody. */
export const OFFERED = { fate: 'lost', after: HANDOVER } as const;
/** n8n has called `__emit`. It reports an execution that it could not create. */
const TAKEN = { fate: 'acknowledged', after: GRACE } as const;

/** A process that has ended may not have handed over what it emitted. Such a doubt lasts as long as GRACE. */
export function fateOf({ id, at, firstAt }: Batch, fates: Fates, now: number): Fate {
	const { fate, after } = fates.get(id) ?? ({ fate: 'unknown', after: 0 } as const);
	if (Math.abs(now - at) < after) return 'inFlight';
	const isInDoubt = fate === 'unknown' || (fate === 'lost' && firstAt !== at);
	if (isInDoubt) return Math.abs(now - firstAt) < GRACE ? 'unknown' : 'acknowledged';
	return fate;
}

/**
 * n8n calls `__emit` itself once the poll has returned, and would tell nobody if it then could not create the
 * execution. So for this one call it is handed a promise to settle, which it does when the execution ends.
 */
export function watchHandover(
	context: Partial<Pick<IPollFunctions, '__emit'>>,
	id: string,
	fates: Fates,
): void {
	const settle = (fate: Fate) => void fates.set(id, { fate, after: 0 });
	const { __emit: emit } = context;
	const watched: typeof emit = (data, responsePromise, donePromise) => {
		Reflect.set(context, '__emit', emit);
		fates.set(id, TAKEN);
		const done = {
			promise: new Promise<never>(() => {}),
			resolve: () => settle('acknowledged'),
			reject: (error?: Error) =>
				settle(ENDS_OF_EXECUTIONS.test(`${error?.constructor.name}`) ? 'acknowledged' : 'lost'),
		};
		emit?.call(context, data, responsePromise, donePromise ?? done);
	};
	fates.set(id, OFFERED);
	// n8n may come back with an older state, which names batches whose fate is long known.
	for (const old of fates.keys()) if (fates.size > MAX_FATES) fates.delete(old);
	// Another version of n8n may take no such promise, or have no `__emit`. Then nobody says what becomes of the batch.
	const isToldOf = emit?.length === 3 && Reflect.set(context, '__emit', watched);
	if (!isToldOf) settle('acknowledged');
}
