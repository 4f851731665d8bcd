import type { IPollFunctions } from 'n8n-workflow';

import { Failure } from '../domain/failure';
import { formatCount } from '../domain/readableText';
import { toNodeError } from '../transport/nodeError';
import { timeOf } from './feed/sortKey';
import { sayLack } from './hostSupport';
import type { Outcome } from './feed/types';
import type { License } from '../domain/license';

const HOUR = 3_600_000;

export type ReportContext = Pick<IPollFunctions, 'getNode' | 'logger'> &
	Partial<Pick<IPollFunctions, '__emitError'>>;

/** What may last for many polls. */
type Name = 'unread' | 'short' | 'undated' | 'dated';

interface Condition {
	/** When it began; undefined if it is over. */
	since?: number;
	reportedAt?: number;
}

/** Reports what a successful poll of one trigger still has to say (promises 8, 14, 15 and 16). */
export class Reports {
	private readonly conditions = new Map<Name, Condition>();

	about(outcome: Outcome<License>, context: ReportContext, now: number): void {
		const { waiting, isReadingBaseline, unread, shortBy, forgotten } = outcome;
		const { logger } = context;
		if (waiting > 0)
			logger.info(`${counted(waiting, 'event')} found and waiting for the next poll`);
		if (isReadingBaseline)
			logger.info('The baseline is still being read; the next poll goes on with it');
		this.aboutUnread(unread, context, now);
		this.warn('short', shortBy > 0, now, context, () => {
			return `The list ended ${counted(shortBy, 'license')} short of the total that the service gives.`;
		});
		this.warn('undated', forgotten.undated, now, context, () => {
			return 'More licenses without a date have come than the trigger can remember. One that turns up further down than the newest may be missed.';
		});
		this.warn('dated', forgotten.datedUpTo !== undefined, now, context, () => {
			return `More events arrived than the trigger can remember. Events from before ${iso(timeOf(forgotten.datedUpTo ?? ''))} that turn up late may be missed.`;
		});
	}

	aboutUnknownState({ logger }: ReportContext): void {
		logger.warn(
			'This version cannot read the memory of this trigger, so it starts over: events already listed are not reported.',
		);
	}

	/** Promise 8: the poll itself went well, so the failed execution is reported on the side. */
	private aboutUnread(
		unread: Outcome<License>['unread'],
		context: ReportContext,
		now: number,
	): void {
		const condition = this.note('unread', unread !== undefined, now);
		if (!unread) return;
		// What may be over by the next poll is no reason to alarm anyone.
		const isPassing = unread.failure instanceof Failure && unread.failure.isTransient;
		if (isPassing && !unread.isStuck) return;
		const error = toNodeError(context.getNode(), unread.failure);
		atMostHourly(condition, now, () => {
			context.logger.warn(
				`A page of the list could not be read since ${iso(condition.since ?? now)}. What it lists, and what stands below it, is missing until it can be read: ${error.message}`,
			);
			if (typeof context.__emitError === 'function') context.__emitError(error);
			else sayLack(context, 'emitError');
		});
	}

	private warn(
		name: Name,
		lasts: boolean,
		now: number,
		{ logger }: ReportContext,
		words: () => string,
	): void {
		const condition = this.note(name, lasts, now);
		if (lasts) atMostHourly(condition, now, () => logger.warn(words()));
	}

	private note(name: Name, lasts: boolean, now: number): Condition {
		const condition: Condition = this.conditions.get(name) ?? {};
		this.conditions.set(name, condition);
		condition.since = lasts ? (condition.since ?? now) : undefined;
		return condition;
	}
}

/** Also what comes and goes: a second time within the hour is not reported. */
function atMostHourly(condition: Condition, now: number, report: () => void): void {
	const { reportedAt } = condition;
	if (reportedAt !== undefined && Math.abs(now - reportedAt) < HOUR) return;
	condition.reportedAt = now;
	report();
}

const iso = (time: number): string => new Date(time).toISOString();

const counted = (number: number, what: string): string =>
	`${formatCount(number)} ${what}${number === 1 ? '' : 's'}`;
