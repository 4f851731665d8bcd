import { Failure } from '../domain/failure';
import type { IPollFunctions } from 'n8n-workflow';

const HOUR = 3_600_000;

/** n8n backs off by these itself, if the poll throws. */
const ALWAYS_SHOWN = [401, 403, 429];

/**
 * Polls that fail one after another. n8n shows each poll that throws as a failed execution; of an outage, the first is
 * enough, and one an hour.
 */
export class Outage {
	private since: number | undefined;
	private shownAt: number | undefined;

	/** Whether n8n is to show it. If not, it is logged. */
	isToBeShown(error: unknown, { logger }: Pick<IPollFunctions, 'logger'>, now: number): boolean {
		if (!(error instanceof Failure) || error.kind === 'refused') return true;
		this.since ??= now;
		const isDue = this.shownAt === undefined || Math.abs(now - this.shownAt) >= HOUR;
		const isShown = isDue || ALWAYS_SHOWN.includes(error.status ?? 0);
		if (isShown) this.shownAt = now;
		else logger.warn(`The list still cannot be read, since ${iso(this.since)}: ${error.message}`);
		return isShown;
	}

	end({ logger }: Pick<IPollFunctions, 'logger'>): void {
		if (this.since === undefined) return;
		logger.info(`The list can be read again. It could not be read since ${iso(this.since)}.`);
		this.since = undefined;
		this.shownAt = undefined;
	}
}

const iso = (time: number): string => new Date(time).toISOString();
