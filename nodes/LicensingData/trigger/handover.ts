import type { IPollFunctions } from 'n8n-workflow';

import type { Batch, Fate } from './feed/state';

/**
 * A new process repeats what was emitted for the first time within this time, as it cannot know whether n8n got to run
 * it. A start of n8n takes 30 to 60 seconds on two cores, and replacing a container about as long.
 */
export const GRACE = 5 * 60_000;

/** n8n takes over what a poll returns, and saves it, within less than this. */
export const HANDOVER = 30_000;

/** How many batches a trigger remembers the fate of. */
const MOST_FATES = 100;

/** Errors of executions that did exist: they say how one ended, not that there was none. */
const ENDS_OF_EXECUTIONS = ['ExecutionCancelledError', 'ExecutionNotFoundError'];

export type EmitContext = Partial<Pick<IPollFunctions, '__emit'>>;

/** What is known of a trigger's batches, by ID. After `inFlightFor` without a word from n8n, the fate is `then`. */
export type Fates = Map<string, Fate | { inFlightFor: number; then: Fate }>;
/** The poll has returned it. n8n may drop it without calling `__emit`, and then it tells nobody. */
const OFFERED = { inFlightFor: HANDOVER, then: 'lost' } as const;
/** n8n has called `__emit`. It reports an execution that it could not create. */
const TAKEN = { inFlightFor: GRACE, then: 'acknowledged' } as const;

/** As far as is known, n8n has neither taken it yet nor dropped it. */
export const isOffered = (id: string, fates: Fates): boolean => fates.get(id) === OFFERED;

/** For what other processes have emitted. They may have ended before n8n took it over. */
export function setUnknown(batches: Batch[], fates: Fates): void {
	for (const { id } of batches) if (!fates.has(id)) fates.set(id, 'unknown');
}

export function fateOf(batch: Batch, fates: Fates, now: number): Fate | 'inFlight' {
	const { id, at, firstAt } = batch;
	const known = fates.get(id);
	const isOpen = typeof known === 'object' && Math.abs(now - at) < known.inFlightFor;
	if (isOpen) return 'inFlight';
	const fate = typeof known === 'object' ? known.then : (known ?? 'acknowledged');
	// However often it was repeated: what kills n8n must not come for ever.
	const isInDoubt = fate === 'unknown' || (fate === 'lost' && firstAt !== at);
	if (isInDoubt) return Math.abs(now - firstAt) < GRACE ? 'unknown' : 'acknowledged';
	return fate;
}

/**
 * n8n calls `__emit` itself once the poll has returned, and would tell nobody if it then could not create the
 * execution. So for this one call it is handed a promise to settle, which it does when the execution ends.
 */
export function watchHandover(context: EmitContext, id: string, fates: Fates): void {
	fates.set(id, OFFERED);
	// n8n may come back with an older state, which names batches whose fate is long known.
	for (const old of fates.keys()) if (fates.size > MOST_FATES) fates.delete(old);
	const emit = context.__emit;
	const acknowledge = () => fates.set(id, 'acknowledged');
	// Another version of n8n may not say what became of the batch.
	if (typeof emit !== 'function') return void acknowledge();
	const watched: typeof emit = (data, responsePromise, donePromise) => {
		Reflect.set(context, '__emit', emit);
		fates.set(id, TAKEN);
		const done = {
			promise: new Promise<never>(() => {}),
			resolve: acknowledge,
			reject: (error: Error) => fates.set(id, didExecutionExist(error) ? 'acknowledged' : 'lost'),
		};
		emit.call(context, data, responsePromise, donePromise ?? done);
		// This version's `__emit` takes no such promise, so nobody settles it.
		if (emit.length < 3) acknowledge();
	};
	if (!Reflect.set(context, '__emit', watched)) acknowledge();
}

/** Goes by class names, since the error may come from another copy of n8n's packages. */
function didExecutionExist(error: Error): boolean {
	for (let at: object | null = error; at; at = Object.getPrototypeOf(at) as object | null)
		if (ENDS_OF_EXECUTIONS.includes(at.constructor.name)) return true;
	return false;
}
