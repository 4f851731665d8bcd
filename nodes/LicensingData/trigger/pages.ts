import type { IPollFunctions } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../licenses/license';
import { readPage } from '../service/list';
import { pause } from '../service/waiting';
import { isRejected } from '../service/failures';
import { connect } from '../service/client';

/** Why there is no page. */
export interface NoPage {
	failure: unknown;
	isRateLimit?: boolean;
	/** The service does not have this event, and nobody chose it. */
	isLacking?: boolean;
}

/** Reads a page of a list, the first one for null. */
export type ReadPage = (cursor: string | null) => Promise<LicensePage | NoPage>;

/** For versions of n8n that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;
/** Publishing waits for the first poll, and so does the user. */
const PUBLISHING_BUDGET = 60_000;

/** The time that a poll has. */
export function startBudget(context: Partial<IPollFunctions>, isPublishing: boolean) {
	const { getPollBudgetMs: ask } = context;
	const said: unknown = typeof ask === 'function' ? ask.call(context) : undefined;
	const allowed = typeof said === 'number' && said >= 0 ? said : DEFAULT_BUDGET;
	const total = isPublishing ? Math.min(allowed, PUBLISHING_BUDGET) : allowed;
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	/** Whether there is time to ask for another page, and for it to go wrong once. */
	const hasTime = () => timeLeft() > total / 4;
	return { timeLeft, hasTime };
}

/** How the pages of one poll are read, and whether the service may be asked: not while it wants too long a wait. */
export async function connectPages(
	context: IPollFunctions,
	timeLeft: () => number,
	say: (line: string) => void,
) {
	const isShort = (wait: number): boolean => wait < timeLeft() / 2;
	let hasAnswered = false;
	const caller = {
		answered: () => void (hasAnswered = true),
		/** Someone who polls once a day would read a long list for days if a limit ended each poll. */
		async wait(left: number, refusal: Failure) {
			// n8n is told of a limit that a poll begins with.
			if (!hasAnswered || !isShort(left)) throw refusal.withFacts({ retryAfter: left });
			await pause(left);
		},
	};
	const service = await connect(context, { retries: 5, timeout: 30_000, timeLeft, caller });
	const { waitLeft } = service.throttle;
	const mayAsk = waitLeft === 0 || isShort(waitLeft);
	// A poll that comes a moment too early would put everything off until the next one.
	if (mayAsk && waitLeft > 0) await pause(waitLeft);
	const of =
		(query: ListQuery, isOptional: boolean): ReadPage =>
		async (cursor) => {
			const asked = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
			const page = await readPage(service, asked, true);
			if (!(page instanceof Failure)) return page;
			const isRefused = isRejected(page);
			// A marker may have expired. The reading begins again, and needs another one.
			if (cursor !== null && isRefused) return { failure: page.withFacts({ isTransient: true }) };
			if (page.retryAfter) {
				const until = new Date(Date.now() + service.throttle.waitLeft).toISOString();
				const why = `The service asks to wait (${page.message}).`;
				say(`${why} Until ${until}, polls with this key ask for nothing.`);
			}
			const isRateLimit = page.status === 429;
			return { failure: page, isRateLimit, isLacking: isOptional && isRefused };
		};
	return { mayAsk, of };
}
