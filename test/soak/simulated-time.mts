import type { Clock } from '../../sandbox/index.mts';

/** Where n8n's own wait is. All other timers guard the network, which is real. */
const WAIT = /n8n-workflow/;

/**
 * Time that passes only when somebody waits: months in minutes. Everything that calls `Date.now()` or waits
 * with n8n's `sleep` lives in it, so the trigger's waits between tries cost its time budget and nothing else.
 */
export class SimulatedTime implements Clock {
	constructor(private time: number) {
		const { setTimeout: start } = globalThis;
		Date.now = () => this.time;
		globalThis.setTimeout = ((
			run: (...given: unknown[]) => void,
			delay = 0,
			...given: unknown[]
		) => {
			const isWait = WAIT.test(new Error().stack ?? '');
			if (isWait) this.pass(delay);
			return start(() => run(...given), isWait ? 0 : delay);
		}) as typeof setTimeout;
	}

	now(): number {
		return this.time;
	}

	pass(milliseconds: number): void {
		this.time += milliseconds;
	}

	async sleep(milliseconds: number): Promise<void> {
		this.pass(milliseconds);
	}
}
