import type { IPollFunctions } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../licenses/licenseList';
import { readPage } from '../service/list';
import { pause } from '../service/waiting';
import { isRejected } from '../service/failures';
import { connect } from '../service/client';

const RETRIES = 5;
const TIMEOUT = 30_000;

/** Why there is no page. */
export interface NoPage {
	failure: unknown;
	isRateLimit?: boolean;
	/** The service does not have this event, and nobody chose it. */
	isLacking?: boolean;
}

/** Reads a page of a list, the first one for null. */
export type ReadPage = (cursor: string | null) => Promise<LicensePage | NoPage>;

interface Pages {
	/** Whether the service may be asked at all: not while it has asked for a wait that is too long for this poll. */
	mayAsk: boolean;
	of: (query: ListQuery, isOptional: boolean) => ReadPage;
}

/** How the pages of one poll are read. */
export async function connectPages(
	context: IPollFunctions,
	timeLeft: () => number,
	say: (line: string) => void,
): Promise<Pages> {
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
	const service = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft, caller });
	const { waitLeft } = service.throttle;
	const mayAsk = waitLeft === 0 || isShort(waitLeft);
	// A poll that comes a moment too early would put everything off until the next one.
	if (mayAsk && waitLeft > 0) await pause(waitLeft);
	const of: Pages['of'] = (query, isOptional) => async (cursor) => {
		const asked = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
		const page = await readPage(service, asked, true);
		if (!(page instanceof Failure)) return page;
		const isRefused = isRejected(page);
		// A marker may have expired. The reading begins again, and needs another one.
		if (cursor !== null && isRefused) return { failure: page.withFacts({ isTransient: true }) };
		if (page.retryAfter) say(announcement(page, service.throttle.waitLeft));
		const isRateLimit = page.status === 429;
		return { failure: page, isRateLimit, isLacking: isOptional && isRefused };
	};
	return { mayAsk, of };
}

function announcement({ message }: Failure, wait: number): string {
	const until = new Date(Date.now() + wait).toISOString();
	return `The service asks to wait (${message}). Until ${until}, polls with this key ask for nothing.`;
}
