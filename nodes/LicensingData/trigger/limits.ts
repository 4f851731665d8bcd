import type { IPollFunctions } from 'n8n-workflow';

/** How many events a poll emits. */
export const MAX_ITEMS = { usual: 1000, max: 10_000 };

/** How many events are remembered of all lists together, as long as they are listed, and how many pages of a list read. */
export const LIMITS = { events: 15_000, pages: 400 };

/** An event has two keys at most, and what has left the lists for a while stays known: a fifth more. */
export const KEYS_PER_EVENT = 2.4;

/** For versions of n8n that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;
/** Publishing waits for the first poll, and so does the user. */
const PUBLISHING_BUDGET = 60_000;

/** The time that a poll has. */
export function startBudget(context: Partial<IPollFunctions>, isPublishing: boolean) {
	const said = Math.floor(Number(context.getPollBudgetMs?.()));
	const allowed = said >= 0 ? said : DEFAULT_BUDGET;
	// Without any time, the poll must fail: it would do nothing, and say nothing.
	const total = Math.max(1, isPublishing ? Math.min(allowed, PUBLISHING_BUDGET) : allowed);
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	// Whether there is time to ask for another page, and for it to go wrong once.
	return { timeLeft, hasTime: () => timeLeft() > total / 4 };
}
