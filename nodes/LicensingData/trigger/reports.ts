import type { IPollFunctions } from 'n8n-workflow';

import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import { cannotGoOn, Failure } from '../licenses/failure';
import { dayOf } from '../licenses/moment';
import { formatCount } from '../licenses/readableText';
import { singleLine } from '../output/singleLine';
import type { License } from '../licenses/license';
import { toNodeError } from '../service/nodeError';
import { redactorFor } from '../service/redaction';
import { asLine } from '../service/shown';
import type { ListReport, Outcome } from './feed/types';
import { belowIsUnwatched, inTriggerWords } from './words';

/** n8n backs off by these itself, if the poll throws. */
const ALWAYS_SHOWN = [401, 403, 429];
const OUTAGE = 'outage';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Full readings of all lists together take a request a minute, and each should come once a day. */
const REQUESTS_IN_TIME = 24 * 60;

export type ReportContext = Pick<IPollFunctions, 'getNode' | 'logger'> &
	Partial<Pick<IPollFunctions, '__emitError'>>;

/** Reports what a successful poll of one trigger still has to say. */
export class Reports {
	/** When what was last said. */
	private readonly saidAt = new Map<string, number>();
	/** Since when pages of a list could not be read, by event. */
	private readonly failedSince = new Map<string, number>();
	private tooOld = 0;
	private failingSince: number | undefined;
	/** Takes the key out of what the service says. */
	redact = redactorFor('').redact;

	about(outcome: Outcome<License>, context: ReportContext, now: number): void {
		const { waiting, waitingSince, hasUnknownList, held, requestsToReadAll } = outcome;
		const { logger } = context;
		this.aboutEnd(context);
		if (waiting > 0)
			logger.info(`${counted(waiting, 'event')} found and waiting for the next poll`);
		if (now - waitingSince >= DAY)
			this.atMost(DAY, 'waiting', now, () =>
				logger.warn(
					`Events have been waiting since ${iso(waitingSince)}, as more arrive than 'Max Items' lets through.`,
				),
			);
		if (hasUnknownList)
			logger.info(
				'The list is still being read for the first time; the next poll goes on. What it shows until then counts as known.',
			);
		if (requestsToReadAll > REQUESTS_IN_TIME)
			this.atMost(DAY, 'slow', now, () =>
				logger.info(
					`The lists are so long that each is read in full once in ${Math.ceil(requestsToReadAll / 60)} hours. What is new further down comes that much later.`,
				),
			);
		for (const list of outcome.lists) this.aboutList(list, context, now);
		this.aboutTooOld(outcome.lists, context, now);
		this.aboutHeld(held, context, now);
	}

	/** Of polls that fail one after another, n8n shows the first, and one an hour; the others are logged. */
	isToBeShown(error: unknown, { logger }: Pick<ReportContext, 'logger'>, now: number): boolean {
		if (!(error instanceof Failure) || error.kind === 'refused') return true;
		this.failingSince ??= now;
		let isShown = ALWAYS_SHOWN.includes(error.status ?? 0);
		this.atMost(HOUR, OUTAGE, now, () => (isShown = true));
		if (!isShown)
			logger.warn(
				asLine(
					`The list still cannot be read, since ${iso(this.failingSince)}: ${error.message}`,
					this.redact,
				),
			);
		return isShown;
	}

	private aboutEnd({ logger }: ReportContext): void {
		if (this.failingSince === undefined) return;
		logger.info(
			`The list can be read again. It could not be read since ${iso(this.failingSince)}.`,
		);
		this.failingSince = undefined;
		this.saidAt.delete(OUTAGE);
	}

	aboutUnknownState({ logger }: ReportContext): void {
		logger.warn(
			'This version cannot read the memory of this trigger, so it starts over: what is listed now is not reported.',
		);
	}

	/** Nothing fails, but the user waits for what never comes. */
	aboutTestKey(context: ReportContext, now: number): void {
		this.atMost(DAY, 'testKey', now, () =>
			this.show(
				context,
				cannotGoOn(
					'With a test key, nothing new ever comes',
					"The service shows the same made-up licenses to a test key every time. Enter a live key as 'API Key' in the Licensing Data credential.",
				),
			),
		);
	}

	private aboutList(list: ListReport, context: ReportContext, now: number): void {
		const { event, isNewlyKnown, keptChanging, isCut } = list;
		const { logger } = context;
		const name = nameOf(event);
		if (isNewlyKnown)
			logger.info(`${name}: the list is known from now on, and whatever is new in it is reported.`);
		if (keptChanging)
			logger.warn(
				`${name}: the list changed whenever it was read. Some of what it showed before may be reported as new.`,
			);
		if (isCut && !list.failed?.end)
			this.atMost(DAY, `cut ${event}`, now, () =>
				logger.warn(
					`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only what is dated within a week of its newest date is reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
				),
			);
		const { unreadable: fault } = list;
		if (fault !== undefined)
			this.atMost(DAY, `unreadable ${event}`, now, () =>
				logger.warn(
					asLine(`${name}: what is no license was left out of the list. ${fault}`, this.redact),
				),
			);
		this.aboutFailedPage(list, context, now);
	}

	/** The poll itself went well, so the failed execution is reported on the side. */
	private aboutFailedPage(
		{ event, failed }: ListReport,
		context: ReportContext,
		now: number,
	): void {
		if (!failed) {
			this.failedSince.delete(event);
			return;
		}
		const since = this.failedSince.get(event) ?? now;
		this.failedSince.set(event, since);
		const { failure, isFirst, end } = failed;
		// What may be over by the next poll is no reason to alarm anyone.
		const isTransient = !(failure instanceof Failure) || failure.isTransient;
		const isPassing = !end && isTransient && Math.abs(now - since) < HOUR;
		if (isPassing) return;
		const what = isFirst
			? 'The list could not be read'
			: `A page of the list could not be read${end ? ' in three polls' : ''}`;
		this.atMost(HOUR, `failed ${event} ${end}`, now, () => {
			const inWords = end
				? belowIsUnwatched(failure, end === 'cut')
				: inTriggerWords(failure, false);
			const error = toNodeError(context.getNode(), inWords, undefined, this.redact);
			context.logger.warn(`${nameOf(event)}: ${what}, since ${iso(since)}: ${error.message}`);
			context.__emitError?.(error);
		});
	}

	private aboutTooOld(lists: ListReport[], { logger }: ReportContext, now: number): void {
		this.tooOld += lists.reduce((sum, { tooOld }) => sum + tooOld, 0);
		if (this.tooOld === 0) return;
		this.atMost(DAY, 'tooOld', now, () => {
			logger.warn(
				`${counted(this.tooOld, 'license')} new in the list, but left out as older than 'Lookback Days' allows.`,
			);
			this.tooOld = 0;
		});
	}

	private aboutHeld(held: License[], context: ReportContext, now: number): void {
		const [first] = held;
		if (!first) return;
		this.atMost(DAY, 'held', now, () => {
			const dates = held.flatMap(({ filedDate }) => dayOf(filedDate) ?? []).sort();
			const span = dates.length > 0 ? `, filed from ${dates[0]} to ${dates.at(-1)}` : '';
			const types = [
				...new Set(held.map(({ licenseType }) => singleLine(licenseType) ?? '?')),
			].slice(0, 8);
			this.show(
				context,
				cannotGoOn(
					`${counted(held.length, 'license')} are new at once, which is more than half of what was read`,
					`Something has happened to the list: its IDs have changed, for example, or it was empty when the workflow was published. So these licenses (${types.join(', ')}${span}) wait for a day, and come then. If you do not want them, delete this node and add it anew: a new node starts with what is filed from then on.`,
				),
			);
		});
	}

	/** A clock that was set back must not silence anything. */
	private atMost(every: number, what: string, now: number, say: () => void): void {
		const saidAt = this.saidAt.get(what);
		if (saidAt !== undefined && Math.abs(now - saidAt) < every) return;
		this.saidAt.set(what, now);
		say();
	}

	private show(context: ReportContext, failure: Failure): void {
		const error = toNodeError(context.getNode(), failure, undefined, this.redact);
		context.logger.warn(`${error.message}. ${error.description}`);
		context.__emitError?.(error);
	}
}

const nameOf = (event: string): string =>
	ALL_EVENT_TYPES.find(({ value }) => value === event)?.name ?? event;

const iso = (time: number): string => new Date(time).toISOString();

const counted = (number: number, what: string): string =>
	`${formatCount(number)} ${what}${number === 1 ? '' : 's'}`;
