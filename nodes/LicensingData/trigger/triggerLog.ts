import type { IPollFunctions } from 'n8n-workflow';

import { eventName, NEW_FILING } from '../licenses/eventTypes';
import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { DAY, formatWait, HOUR } from '../licenses/time';
import { asLine, toNodeError, whereIn } from '../service/nodeError';
import { redactorFor } from '../service/redactor';
import { countyOf, dateOf, typeOf } from './bulkAdditions';
import type { Scan } from './scan';
import type { Listed } from './stateFormat';

/** How many left-out records are told apart. */
const MAX_LEFT_OUT = 10_000;

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

	/** A failed execution beside a poll that goes well. */
	show(failure: unknown, about = ''): void {
		const error = toNodeError(this.context.getNode(), failure, undefined, this.redact);
		this.say(`${about}${error.message}. ${error.description ?? ''}`);
		this.context.__emitError?.(error);
	}

	/** Notes what fails in poll after poll, and returns whether to show it now. Else it is logged. */
	noteUnreadable(what: string, error: unknown, every = HOUR, mayPass = false): boolean {
		if (!(error instanceof Failure) || error.facts.isInvalidInput) return true;
		const since = this.unreadable.get(what) ?? this.now;
		this.unreadable.set(what, since);
		// What may be over by the next poll is no reason to alarm anyone.
		const isYoung = mayPass && error.facts.isTransient && Math.abs(this.now - since) < HOUR;
		if (!isYoung && this.isDue(every, what)) return true;
		this.say(`${what} has been unreadable since ${iso(since)}: ${error.message}`);
		return false;
	}

	/** Notes the same beside a poll that goes well. */
	unreadableBeside(what: string, error: Failure, mayPass = true): void {
		const isDue = this.noteUnreadable(what, error, HOUR, mayPass);
		if (isDue) this.show(inTriggerWords(error), `${what} could not be read: `);
	}

	/** A page below the first is a matter of days. It is said what is missing, since when, and until when. */
	pageFailed(event: string, error: Failure, hasEnded: boolean, readAt?: number): void {
		if (!this.noteUnreadable(pageOf(event), error, DAY, !hasEnded)) return;
		const missing =
			readAt === undefined
				? 'What stands below this page is not known yet, and is not sent.'
				: `What is new below this page has been missing since ${iso(readAt)}, when the list was last read to its end. It comes once a poll can read that far.`;
		this.show(withNext(error, missing), `${pageOf(event)} could not be read: `);
	}

	/** Says that it can be read again, if it could not. */
	noteReadable(what: string): void {
		const since = this.unreadable.get(what);
		if (since === undefined) return;
		this.say(`${what} can be read again. It had been unreadable since ${iso(since)}.`, 'info');
		this.unreadable.delete(what);
		this.saidAt.delete(what);
	}

	leaveOut(record: string, reason: string): void {
		const records = this.leftOut.get(reason) ?? new Set();
		this.leftOut.set(reason, records);
		if (records.size < MAX_LEFT_OUT) records.add(record);
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

	aboutAdditions(event: string, additions: License[]): void {
		const some = (of: (record: License) => string) =>
			[...new Set(additions.map(of))].slice(0, 8).join(', ');
		const dates = additions.flatMap((one) => dateOf(one, event) ?? []).sort((a, b) => a - b);
		const days = dates.map((date) => iso(date).slice(0, 10));
		const [first] = days;
		const dated = first ? `are dated from ${first} to ${days.at(-1)}` : 'have no date';
		const since = first && event === NEW_FILING ? ` and 'Filed On or After' ${first}` : '';
		const failure = new Failure(
			`Licenses that appeared in the list all at once are not reported as new (${formatCount(additions.length)})`,
			`The service may have added a source or a county. These licenses ${dated} (${some(typeOf)}; ${some(countyOf)}). If you want them, get them once with Get Many, 'Events' ${eventLabel(event)}${since}. Everything else that is new comes as usual.`,
		);
		this.show(failure);
	}

	aboutLongReading(): void {
		const line =
			"The list is being read for the first time, and the next poll continues. Only new entries, or events since 'Start From', are sent.";
		this.say(line, 'info');
	}

	/** Once the first full reading of a list has ended. */
	aboutFirstReading(event: string, { listed: { records }, total, hasMissed }: Scan): void {
		const missed = ` It showed ${formatCount(records)} of ${formatCount(total)} entries. If the others appear later, they come as new.`;
		const nothing = ' So far, this list is empty. Ask your provider whether it has this event.';
		const more = hasMissed ? missed : records === 0 ? nothing : '';
		const line = `${eventLabel(event)}: the list has been read for the first time. From now on, the trigger reports what is new in it.${more}`;
		this.say(line, records === 0 ? 'warn' : 'info');
	}

	/** A list that is longer than what can be read or remembered. */
	aboutCut(event: string, isLong: boolean): void {
		const help = isLong
			? "can be read. Choose at most four 'Counties' or 'License Types', for which the service has shorter lists."
			: "can be remembered, or could not be read to its end. Choose fewer 'Counties' or 'License Types', or fewer events under 'Trigger On'.";
		const line = `${eventLabel(event)}: the list is longer than what ${help} What stands below is not watched.`;
		if (this.isDue(DAY, line)) this.say(line);
	}

	aboutEmpty(event: string, { records, readAt }: Listed): void {
		const advice = `It had ${formatCount(records)} entries on ${iso(readAt).slice(0, 10)}. Nothing new can come until it has entries again. If that lasts, ask the service's support.`;
		this.show(new Failure(`${eventLabel(event)}: the list is empty`, advice));
	}

	aboutStandstill(): void {
		const advice =
			"With a test key, most services show the same made-up licenses every time. To get real ones, enter a live key as 'API Key' in the Licensing Data credential.";
		this.show(new Failure('Nothing at all has changed for seven days', advice));
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
export function inTriggerWords(error: unknown, isPublishing = false): unknown {
	const { retryAfter, isTransient } = error instanceof Failure ? error.facts : {};
	const when = retryAfter === undefined ? undefined : `in ${formatWait(retryAfter)}`;
	const next = isPublishing
		? `The workflow is not published. Publish it again ${when ?? (isTransient ? 'in a while' : 'after that')}.`
		: `Nothing is lost: the trigger tries again ${when ?? 'with its next poll'}, and then returns what was filed in the meantime.`;
	return withNext(error, next);
}

function withNext(error: unknown, next: string): unknown {
	if (!(error instanceof Failure) || error.facts.isInvalidInput) return error;
	const { isTransient, status } = error.facts;
	const ask = "If it keeps happening, ask the service's support.";
	const slow = 'If it happens often, poll less often, or choose a plan with a higher limit.';
	const lasting = status === 429 ? slow : ask;
	return error.withWords((advice) => (isTransient ? `${next} ${lasting}` : `${advice} ${next}`));
}

export const UNREADABLE_STATE =
	'This node version cannot read what the trigger has saved, and begins anew: what is listed now is not reported.';
export const OTHER_FILTERS =
	'The filters have changed, so the lists are read anew. New licenses that the old filters selected, too, are sent. Those that only the new filters select, and that are listed now, are not.';
export const BEGINS_LATER =
	'The workflow is published. The trigger begins to read when the rate limit allows.';

export const THE_LIST = 'The list';
export const firstPageOf = (event: string): string => `${eventLabel(event)}: The list`;
export const pageOf = (event: string): string => `${eventLabel(event)}: A page of the list`;
export const eventLabel = (event: string): string => eventName(event) ?? event;

const iso = (time: number): string => new Date(time).toISOString();
