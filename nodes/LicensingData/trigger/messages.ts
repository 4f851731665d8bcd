import type { IPollFunctions } from 'n8n-workflow';

import { eventName } from '../licenses/knownValues';
import { Failure } from '../licenses/failure';
import { DAY, formatCount, formatWait, HOUR } from '../licenses/text';
import { asLine, toNodeError, whereIn } from '../service/nodeError';
import { redactorFor } from '../service/connection';
import type { Unseen } from './news';

/** How many left-out records are told apart. */
const MOST_LEFT_OUT = 10_000;

export type LogContext = Pick<IPollFunctions, 'getNode' | 'getWorkflow' | 'logger'> &
	Partial<Pick<IPollFunctions, '__emitError'>>;

/** What one trigger says in n8n's log, and as failed executions beside polls that go well. */
export class TriggerLog {
	now = 0;
	/** Takes the key out of what the service says. */
	redact = redactorFor('').redact;
	/** When what was last said. */
	private readonly saidAt = new Map<string, number>();
	/** Since when what cannot be read. */
	private readonly unreadable = new Map<string, number>();
	/** What was left out since that was last said, by reason. */
	private readonly leftOut = new Map<string, Set<string>>();

	constructor(public context: LogContext) {}

	say(line: string, level: 'info' | 'warn' = 'warn'): void {
		this.context.logger[level](asLine(whereIn(this.context) + line, this.redact));
	}

	daily(line: string): void {
		if (this.isDue(DAY, line)) this.say(line);
	}

	/** A failed execution beside a poll that goes well. */
	show(failure: unknown, about = ''): void {
		const error = toNodeError(this.context.getNode(), failure, undefined, this.redact);
		this.say(`${about}${error.message}. ${error.description ?? ''}`);
		this.context.__emitError?.(error);
	}

	/** Whether to show what fails in poll after poll. In between, it is logged. */
	isToBeShown(what: string, error: unknown, every = HOUR, mayPass = false): boolean {
		if (!(error instanceof Failure) || error.facts.isInvalidInput) return true;
		const since = this.unreadable.get(what) ?? this.now;
		this.unreadable.set(what, since);
		// What may be over by the next poll is no reason to alarm anyone.
		const isYoung = mayPass && error.facts.isTransient && Math.abs(this.now - since) < HOUR;
		if (!isYoung && this.isDue(every, what)) return true;
		this.say(`${what} has been unreadable since ${iso(since)}: ${error.message}`);
		return false;
	}

	isReadable(what: string): void {
		const since = this.unreadable.get(what);
		if (since === undefined) return;
		this.say(`${what} can be read again. It had been unreadable since ${iso(since)}.`, 'info');
		this.unreadable.delete(what);
		this.saidAt.delete(what);
	}

	/** A page of a list, where the poll itself goes well. One below the first is a matter of days. */
	pageFailed(event: string, error: unknown, { isFirst = false, hasEnded = false }): void {
		const what = isFirst ? firstPageOf(event) : pageOf(event);
		if (this.isToBeShown(what, error, isFirst ? HOUR : DAY, !hasEnded))
			this.show(inTriggerWords(error, isFirst ? 'poll' : 'below'), `${what} could not be read: `);
	}

	leaveOut(record: string, reason: string): void {
		const records = this.leftOut.get(reason) ?? new Set();
		this.leftOut.set(reason, records);
		if (records.size < MOST_LEFT_OUT) records.add(record);
	}

	/** Once a day: how many, an example, why. */
	aboutLeftOut(): void {
		for (const [reason, records] of this.leftOut) {
			if (!this.isDue(DAY, reason)) continue;
			const [example] = records;
			this.say(`Records left out: ${formatCount(records.size)} (${reason}). Example: ${example}.`);
			this.leftOut.delete(reason);
		}
	}

	aboutAdditions(additions: Unseen[]): void {
		const some = (of: 'type' | 'county') =>
			[...new Set(additions.map((one) => one[of]))].slice(0, 8).join(', ');
		const days = additions.flatMap(({ filedAt }) => (filedAt ? iso(filedAt).slice(0, 10) : []));
		const [first = '', last = ''] = [days.sort()[0], days.at(-1)];
		this.show(
			new Failure(
				`Licenses that appeared in the list all at once are not reported as new (${formatCount(additions.length)})`,
				`The service may have added a source or a county. These licenses were filed from ${first} to ${last} (${some('type')}; ${some('county')}). If you want them, get them once with Get Many and 'Filed On or After' ${first}. Everything else that is new comes as usual.`,
			),
		);
	}

	/** A clock that was set back must not silence anything. */
	private isDue(every: number, what: string): boolean {
		const saidAt = this.saidAt.get(what);
		const isDue = saidAt === undefined || Math.abs(this.now - saidAt) >= every;
		if (isDue) this.saidAt.set(what, this.now);
		return isDue;
	}
}

/** A trigger asks again by itself. What an operation says of running the workflow again does not fit it. */
export function inTriggerWords(error: unknown, at: 'publishing' | 'poll' | 'below'): unknown {
	if (!(error instanceof Failure) || error.facts.isInvalidInput) return error;
	const { retryAfter, isTransient, status } = error.facts;
	const when = retryAfter === undefined ? undefined : `in ${formatWait(retryAfter)}`;
	const next = {
		publishing: `The workflow is not published. Publish it again ${when ?? (isTransient ? 'in a while' : 'after that')}.`,
		poll: `Nothing is lost: the trigger tries again ${when ?? 'with its next poll'}, and then returns what was filed in the meantime.`,
		below: 'A page cannot be read. Only new licenses further down the list are delayed.',
	}[at];
	const ask = "If it keeps happening, ask the service's support.";
	const slow = 'If it happens often, poll less often, or choose a plan with a higher limit.';
	const lasting = status === 429 ? slow : ask;
	return error.withWords((advice) => (isTransient ? `${next} ${lasting}` : `${advice} ${next}`));
}

export const THE_LIST = 'The list';
export const firstPageOf = (event: string): string => `${nameOf(event)}: The list`;
export const pageOf = (event: string): string => `${nameOf(event)}: A page of the list`;
export const nameOf = (event: string): string => eventName(event) ?? event;

const iso = (time: number): string => new Date(time).toISOString();
