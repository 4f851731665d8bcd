import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { toMoment } from '../filters/enteredDays';
import { numberWithin } from '../filters/enteredValues';
import { withDistance } from '../filters/placeFilters';
import { invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { outputForm } from '../output/outputForms';
import type { Credential } from '../service/client';
import { isTestKey, toConnection } from '../service/credential';
import { MAX_ITEMS, startBudget } from './limits';
import { connectPages } from './pages';
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
	const maxItems = numberWithin('Max Items', options.maxItems ?? MAX_ITEMS.usual, MAX_ITEMS);
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
