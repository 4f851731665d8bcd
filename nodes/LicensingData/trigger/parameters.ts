import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { withDistance } from '../filters/placeFilters';
import { numberWithin, toMoment } from '../filters/enteredValues';
import { Failure, invalidInput, orFailure } from '../licenses/failure';
import type { License } from '../licenses/license';
import type { AskForPage } from '../listing/joinLists';
import { outputForm } from '../output/outputForms';
import { pause } from '../service/backoff';
import { connect, type Credential } from '../service/client';
import { isTestKey, toConnection } from '../service/connection';
import { isRejected } from '../service/httpFailures';
import { MAX_PAGE_SIZE, readPage } from '../service/listRequests';
import { startBudget } from './limits';
import type { KeyKind } from './stateFormat';
import type { TriggerLog } from './triggerLog';
import { watchLists } from './watchedLists';

/** What the user has chosen, what the service shows, and how long a poll may read it. */
export type PollInput = Awaited<ReturnType<typeof prepare>>['input'];

/** All parameters are read before any request: one that makes no sense must not cost events. */
export async function prepare(
	context: IPollFunctions,
	credential: Credential,
	log: TriggerLog,
	isPublishing: boolean,
) {
	const fields = context.getNodeParameter('fields', []);
	const form = outputForm(context.getNodeParameter('output'), fields);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const startFrom = toMoment('Start From', options.startFrom, context.getTimezone());
	if (Number(startFrom) > Date.now())
		throw invalidInput(
			"'Start From' is in the future",
			"The trigger returns everything that is new from now on. Leave 'Start From' empty, or enter a time in the past to get earlier events as well.",
		);
	const maxItems = numberWithin('Max Items', options.maxItems ?? 1000, {
		max: 10_000,
	});
	const { apiKey } = toConnection(await credential());
	const kind: KeyKind = isTestKey(apiKey) ? 'test' : 'live';
	const { timeLeft, hasTime } = startBudget(context, isPublishing);
	const { values, listsFrom, ...selected } = watchLists(context, options);
	const { mayAsk, askForPage } = await connectPages(context, credential, timeLeft, log);
	const complete = withDistance(values);
	const toItems = (events: License[]) =>
		events.length > 0 ? [events.map((one) => ({ json: form(complete(one)) }))] : null;
	const chosen = { ...selected, startFrom, maxItems, kind, toItems };
	const input = { ...chosen, watched: listsFrom(askForPage), mayAsk, hasTime, now: Date.now() };
	return { input, values };
}

/** How the pages of one poll are read, and whether the service may be asked: not while it wants too long a wait. */
async function connectPages(
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
