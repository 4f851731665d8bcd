import type { IPollFunctions } from 'n8n-workflow';

/** For versions of n8n that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;

/** Publishing waits for the first poll, and so does the user. */
const PUBLISHING_BUDGET = 60_000;

export interface Budget {
	timeLeft: () => number;
	/** Whether there is time to ask for another page, and for it to go wrong once. */
	hasTime: () => boolean;
}

export function startBudget(context: IPollFunctions, isPublishing: boolean): Budget {
	const allowed = budgetOf(context);
	const total = isPublishing ? Math.min(allowed, PUBLISHING_BUDGET) : allowed;
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	return { timeLeft, hasTime: () => timeLeft() > total / 4 };
}

function budgetOf(context: Partial<IPollFunctions>): number {
	const { getPollBudgetMs } = context;
	const budget: unknown =
		typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(context) : undefined;
	return typeof budget === 'number' && budget >= 0 ? budget : DEFAULT_BUDGET;
}
