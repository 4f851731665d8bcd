import { durableScheduler } from '../support/queue/queue.mts';

/** n8n's ways to run polling triggers: the current one, and the one that will be the default. */
export const schedulers = {
	memory: {},
	durable: {
		...durableScheduler,
		// n8n's own pace is made for schedules of minutes.
		N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '2',
		N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	},
};

/** One schedule polls once a minute at most; several of them poll more often. */
export const everyTenSeconds = {
	item: [0, 10, 20, 30, 40, 50].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	})),
};

/** A loaded machine runs late. */
export const patiently = { timeout: 180_000, interval: 500 };
