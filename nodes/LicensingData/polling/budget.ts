import type { IPollFunctions } from 'n8n-workflow';

/** For hosts that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;

export interface Budget {
	timeLeft: () => number;
	/** Does what may fail slowly, and keeps half of the time for what comes after it. */
	withReserve: <Result>(work: () => Promise<Result>) => Promise<Result>;
	/** Whether another page may be asked for, with time for it to go wrong once. */
	hasTime: () => boolean;
}

export function startBudget(context: IPollFunctions): Budget {
	const total = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : DEFAULT_BUDGET;
	const end = Date.now() + total;
	let reserve = 0;
	const timeLeft = () => end - reserve - Date.now();
	return {
		timeLeft,
		async withReserve(work) {
			reserve = total / 2;
			return await work().finally(() => (reserve = 0));
		},
		hasTime: () => timeLeft() > total / 4,
	};
}
