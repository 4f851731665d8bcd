import type { IPollFunctions } from 'n8n-workflow';

import { Failure, orFailure } from '../licenses/failure';
import type { AskForPage } from '../listing/joinLists';
import { pause } from '../service/backoff';
import { connect, type Credential } from '../service/client';
import { isRejected } from '../service/httpFailures';
import { MAX_PAGE_SIZE, readPage } from '../service/listPages';
import type { TriggerLog } from './triggerLog';

/** How the pages of one poll are read, and whether the service may be asked: not while it wants too long a wait. */
export async function connectPages(
	context: IPollFunctions,
	credential: Credential,
	timeLeft: () => number,
	log: TriggerLog,
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
	const settings = { retries: 5, timeout: 30_000, timeLeft, caller };
	const service = await connect(context, settings, credential);
	const { waitLeft } = service.throttle;
	const mayAsk = waitLeft === 0 || isShort(waitLeft);
	// A poll that comes a moment too early would put everything off until the next one.
	if (mayAsk && waitLeft > 0) await pause(waitLeft);
	const askForPage: AskForPage = async (query) => {
		const asked = readPage(service, { ...query, limit: MAX_PAGE_SIZE }, true);
		const page = await orFailure(asked);
		if (!(page instanceof Failure)) return page;
		// A marker may have expired. The reading begins again, and needs another one.
		if (query.cursor !== undefined && isRejected(page))
			return page.withFacts({ isTransient: true });
		const until = new Date(Date.now() + service.throttle.waitLeft).toISOString();
		const rest = `Until ${until}, polls with this key send no requests.`;
		if (page.facts.retryAfter) log.say(`The service asks to wait (${page.message}). ${rest}`);
		return page;
	};
	return { mayAsk, askForPage };
}
