import type { IPollFunctions } from 'n8n-workflow';

/** For hosts that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;

export interface Budget {
	timeLeft: () => number;
	/** Milliseconds that the first request of a poll may take, where it goes on with what another left off. */
	timeToResume: () => number;
	/** Whether another page may be asked for, with time for it to go wrong once. */
	hasTime: () => boolean;
}

export function startBudget(context: IPollFunctions): Budget {
	const total = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : DEFAULT_BUDGET;
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	return {
		timeLeft,
		timeToResume: () => timeLeft() - total / 2,
		hasTime: () => timeLeft() > total / 4,
	};
}
