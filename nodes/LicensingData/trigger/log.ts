import type { IPollFunctions } from 'n8n-workflow';

import { ALL_EVENT_TYPES } from '../licenses/eventTypes';
import { cannotGoOn, Failure } from '../licenses/failure';
import { formatCount, formatWait } from '../licenses/readableText';
import { toNodeError } from '../service/nodeError';
import { redactorFor } from '../service/redaction';
import { asLine } from '../service/shown';
import type { Unseen } from './bulk';
import type { Outcome } from './feed';
import type { ListReport } from './scan';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Full readings of all lists together take a request a minute, and each should come once a day. */
const REQUESTS_IN_TIME = 24 * 60;

/** How many left-out records are told apart. */
const MOST_LEFT_OUT = 10_000;

const OUTAGE = 'outage';

export type LogContext = Pick<IPollFunctions, 'getNode' | 'getWorkflow' | 'logger'> &
	Partial<Pick<IPollFunctions, '__emitError'>>;

/** What one trigger says in n8n's log, and as failed executions beside polls that go well. */
export class TriggerLog {
	/** When what was last said. */
	private readonly saidAt = new Map<string, number>();
	/** Since when pages of a list could not be read, by event. */
	private readonly failedSince = new Map<string, number>();
	private failingSince: number | undefined;
	private tooOld = 0;
	/** What was left out since it was last said, and why. */
	private readonly leftOut = new Map<string, string>();
	/** Takes the key out of what the service says. */
	redact = redactorFor('').redact;

	/** Every line names workflow and node. */
	say(context: LogContext, level: 'info' | 'warn', line: string): void {
		const { name, id } = context.getWorkflow();
		const where = `Workflow "${name ?? id}", node "${context.getNode().name}": `;
		context.logger[level](asLine(where + line, this.redact));
	}

	aboutPoll(outcome: Outcome, context: LogContext, now: number): void {
		const { waiting, waitingSince, isFirstReading, requestsToReadAll, lists } = outcome;
		if (outcome.failure === undefined) this.aboutEnd(context);
		if (waiting > 0)
			this.say(context, 'info', `${counted(waiting, 'event')} found and waiting for the next poll`);
		if (now - waitingSince >= DAY)
			this.daily(
				'waiting',
				context,
				now,
				() =>
					`Events have been waiting since ${iso(waitingSince)}, as more arrive than 'Max Items' lets through.`,
			);
		if (isFirstReading)
			this.say(
				context,
				'info',
				'The list is still being read for the first time; the next poll goes on. What it shows until then counts as known.',
			);
		if (requestsToReadAll > REQUESTS_IN_TIME)
			this.daily(
				'slow',
				context,
				now,
				() =>
					`The lists are so long that each is read in full once in ${Math.ceil(requestsToReadAll / 60)} hours. What is new further down comes that much later.`,
			);
		for (const list of lists) this.aboutList(list, context, now);
		this.aboutLeftOut(lists, context, now);
		this.aboutAdditions(outcome.additions, context);
		if (outcome.standsStill) this.aboutStandstill(context);
	}

	/** Whether to show a poll that failed: the first one, and then one an hour. The others are logged. */
	isToBeShown(error: unknown, context: LogContext, now: number): boolean {
		if (!(error instanceof Failure) || error.kind === 'refused') return true;
		this.failingSince ??= now;
		const isShown = this.isDue(HOUR, OUTAGE, now);
		if (!isShown)
			this.say(
				context,
				'warn',
				`The list still cannot be read, since ${iso(this.failingSince)}: ${error.message}`,
			);
		return isShown;
	}

	/** A failed execution beside a poll that goes well. */
	show(context: LogContext, failure: unknown, about = ''): void {
		const error = toNodeError(context.getNode(), failure, undefined, this.redact);
		this.say(context, 'warn', `${about}${error.message}. ${error.description ?? ''}`);
		context.__emitError?.(error);
	}

	private aboutEnd(context: LogContext): void {
		if (this.failingSince === undefined) return;
		this.say(
			context,
			'info',
			`The list can be read again. It could not be read since ${iso(this.failingSince)}.`,
		);
		this.failingSince = undefined;
		this.saidAt.delete(OUTAGE);
	}

	private aboutList(list: ListReport, context: LogContext, now: number): void {
		const { event, isNewlyKnown, keptChanging, isEmpty, isCut } = list;
		const name = nameOf(event);
		if (isNewlyKnown)
			this.say(
				context,
				'info',
				`${name}: the list is known from now on, and whatever is new in it is reported.`,
			);
		if (isEmpty)
			this.say(
				context,
				'warn',
				`${name}: the service lists no record of this event for your filters. Ask your provider whether it has this event at all.`,
			);
		if (keptChanging)
			this.say(
				context,
				'warn',
				`${name}: the list changed while it was read. Some of what it showed before may be reported as new.`,
			);
		if (isCut && !list.failed?.hasEnded)
			this.daily(
				`cut ${event}`,
				context,
				now,
				() =>
					`${name}: the list is longer than the trigger can remember, or could not be read to its end. Only what is dated within a week of its newest date is reported. Choose fewer 'Counties', 'License Types' or 'Events'.`,
			);
		this.aboutFailedPage(list, context, now);
	}

	/** The poll itself went well. */
	private aboutFailedPage({ event, failed }: ListReport, context: LogContext, now: number): void {
		if (!failed) return void this.failedSince.delete(event);
		const since = this.failedSince.get(event) ?? now;
		this.failedSince.set(event, since);
		const { failure, isFirst, hasEnded } = failed;
		// What may be over by the next poll is no reason to alarm anyone.
		const isTransient = !(failure instanceof Failure) || failure.isTransient;
		if (!hasEnded && isTransient && Math.abs(now - since) < HOUR) return;
		if (!this.isDue(isFirst ? HOUR : DAY, `failed ${event} ${isFirst}`, now)) return;
		const what = isFirst ? 'The list' : 'A page of the list';
		const inWords = isFirst ? inTriggerWords(failure, false) : belowIsUnwatched(failure);
		this.show(
			context,
			inWords,
			`${nameOf(event)}: ${what} could not be read, since ${iso(since)}: `,
		);
	}

	private aboutLeftOut(lists: ListReport[], context: LogContext, now: number): void {
		for (const list of lists) {
			this.tooOld += list.tooOld;
			for (const [name, reason] of list.leftOut)
				if (this.leftOut.size < MOST_LEFT_OUT) this.leftOut.set(name, reason);
		}
		if (this.tooOld > 0)
			this.daily('tooOld', context, now, () => {
				const count = counted(this.tooOld, 'license');
				this.tooOld = 0;
				return `${count} new in the list, but left out as older than 'Lookback Days' allows.`;
			});
		const [example] = this.leftOut;
		if (example)
			this.daily('leftOut', context, now, () => {
				const count = counted(this.leftOut.size, 'record');
				this.leftOut.clear();
				return `${count} left out, for example ${example.join(': ')}`;
			});
	}

	private aboutAdditions(additions: Unseen[], context: LogContext): void {
		if (additions.length === 0) return;
		const days = additions
			.flatMap(({ filedAt }) => (filedAt === undefined ? [] : iso(filedAt).slice(0, 10)))
			.sort();
		const span = days.length > 0 ? ` filed from ${days[0]} to ${days.at(-1)}` : '';
		const some = (values: string[]) => [...new Set(values)].slice(0, 8).join(', ');
		const types = some(additions.map(({ type }) => type));
		const counties = some(additions.map(({ county }) => county));
		this.show(
			context,
			cannotGoOn(
				`${counted(additions.length, 'license')} were added to the list at once, and are not reported as new`,
				`The service has added a source or a county, for example, or shows all of a list of which it showed a part. The licenses${span} (${types}; ${counties}) count as known. If you want them, get them once with Get Many and 'Filed On or After'${days.length > 0 ? ` ${days[0]}` : ''}. Everything else that is new comes as usual.`,
			),
		);
	}

	private aboutStandstill(context: LogContext): void {
		this.show(
			context,
			cannotGoOn(
				'Nothing at all has changed for seven days',
				"With a test key, most services show the same made-up licenses every time. To get real ones, enter a live key as 'API Key' in the Licensing Data credential.",
			),
		);
	}

	private daily(what: string, context: LogContext, now: number, line: () => string): void {
		if (this.isDue(DAY, what, now)) this.say(context, 'warn', line());
	}

	/** A clock that was set back must not silence anything. */
	private isDue(every: number, what: string, now: number): boolean {
		const saidAt = this.saidAt.get(what);
		if (saidAt !== undefined && Math.abs(now - saidAt) < every) return false;
		this.saidAt.set(what, now);
		return true;
	}
}

/** A trigger asks again by itself. What an operation says of running the workflow again does not fit it. */
export function inTriggerWords(error: unknown, isPublishing: boolean): unknown {
	if (!(error instanceof Failure) || error.kind === 'refused') return error;
	const { retryAfter, isTransient, status } = error;
	const when = retryAfter === undefined ? undefined : `in ${formatWait(retryAfter)}`;
	const next = isPublishing
		? `The workflow is not published. Publish it again${when ? ` ${when}` : ''}${isTransient ? '' : ', once that is settled'}.`
		: `Nothing is lost: the trigger asks again ${when ?? 'with its next poll'}, and what is filed meanwhile comes then.`;
	const lasting =
		status === 429
			? 'If it happens often, poll less often, or choose a plan with a higher limit.'
			: "If it keeps happening, ask the service's support.";
	return error.withWords((advice) => (isTransient ? `${next} ${lasting}` : `${advice} ${next}`));
}

/** A page further down that fails in one poll after the other. */
function belowIsUnwatched(error: unknown): unknown {
	if (!(error instanceof Failure)) return error;
	return error.withWords(
		(advice) =>
			`${error.isTransient ? '' : `${advice} `}What stands below this page is not watched until it can be read; what is new above it comes. If it keeps happening, ask the service's support.`,
	);
}

const nameOf = (event: string): string =>
	ALL_EVENT_TYPES.find(({ value }) => value === event)?.name ?? event;

const iso = (time: number): string => new Date(time).toISOString();

const counted = (number: number, what: string): string =>
	`${formatCount(number)} ${what}${number === 1 ? '' : 's'}`;
