import type { IPollFunctions } from 'n8n-workflow';

import { sayLack } from './hostSupport';

/** For hosts that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;

/** Publishing waits for the first poll, and so does the user. */
const FIRST_BUDGET = 60_000;

export interface Budget {
	timeLeft: () => number;
	/** Whether there is time to ask for another page, and for it to go wrong once. */
	hasTime: () => boolean;
}

export function startBudget(context: IPollFunctions, isFirst: boolean): Budget {
	const allowed = budgetOf(context) ?? DEFAULT_BUDGET;
	const total = isFirst ? Math.min(allowed, FIRST_BUDGET) : allowed;
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	return { timeLeft, hasTime: () => timeLeft() > total / 4 };
}

/** Older hosts have no such function. */
function budgetOf(context: IPollFunctions): number | undefined {
	const { getPollBudgetMs }: Partial<IPollFunctions> = context;
	if (getPollBudgetMs === undefined) return undefined;
	const budget: unknown =
		typeof getPollBudgetMs === 'function' ? getPollBudgetMs.call(context) : undefined;
	if (typeof budget === 'number' && budget >= 0) return budget;
	sayLack(context, 'pollBudget');
	return undefined;
}
