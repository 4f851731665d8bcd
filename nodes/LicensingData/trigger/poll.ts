import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isTestKey, toConnection } from '../service/connection';
import { redactIn, type Credential } from '../service/client';
import { isRejected } from '../service/failures';
import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { statusesOf } from '../licenses/knownValues';
import { momentOf } from '../licenses/text';
import { strayPlaces, withDistance } from '../filters/placeFilters';
import { toMoment, numberWithin } from '../filters/values';
import { outputForm } from '../output/outputForms';
import { TriggerSessions, type TriggerSession } from './handshake';
import { selectionOf, watchLists } from './watchedLists';
import { inTriggerWords, THE_LIST, TriggerLog } from './messages';
import { pollLists } from './listReader';
import { PollRun, type FeedInput } from './run';

/** Of each event's list, where n8n asks for examples. */
const MOST_TESTED = { events: 5, pages: 10 };

const sessions = new TriggerSessions();
const logs = new Map<string, TriggerLog>();

/** What is new in the lists, as items, or null. */
export async function poll(
	context: IPollFunctions,
	credential: Credential,
): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context, credential);
	const { id, name: node } = context.getNode();
	const name = { id: `${context.getWorkflow().id}:${id}`, node };
	const key = JSON.stringify(name);
	const known = logs.get(key);
	// In its default mode, n8n hands what it has made for publishing to each later poll of the process as well.
	// Its durable scheduler makes it anew for each poll, and says 'update' each time.
	const isPublishing = known?.context !== context && context.getActivationMode() === 'activate';
	const log = known ?? new TriggerLog(context);
	logs.set(key, log);
	Object.assign(log, { context, now: Date.now(), redact: await redactIn(credential) });
	try {
		const { input, values, toItems } = await prepare(context, credential, log, isPublishing);
		if (isPublishing) for (const line of strayPlaces(values)) log.say(line);
		const session = sessions.begin(name, context);
		return session ? await runSession(input, session, log, isPublishing, toItems) : null;
	} catch (error) {
		if (!log.isToBeShown(THE_LIST, error) && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing ? 'publishing' : 'poll');
	}
}

/** What is new, ready to be handed to n8n, or null. What was seen is committed last: if anything fails, it is read again. */
export async function runSession<Items>(
	input: FeedInput,
	session: TriggerSession,
	log: TriggerLog,
	isPublishing: boolean,
	toItems: (events: License[]) => Items,
): Promise<Items | null> {
	try {
		if (!session.lastState && !session.isNew)
			log.say(
				'This node version cannot read what the trigger has saved, and begins anew: what is listed now is not reported.',
			);
		const outcome = await pollLists(new PollRun(input, session, log));
		const { events, failure } = outcome;
		const isLimited = !input.mayAsk || failure?.facts.status === 429;
		if (isPublishing && isLimited)
			log.say('The workflow is published. The trigger begins to read when the rate limit allows.');
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined && log.isToBeShown(THE_LIST, failure))
			log.show(inTriggerWords(failure, 'poll'));
		const items = toItems(events);
		session.commit(outcome);
		return events.length > 0 ? items : null;
	} finally {
		session.end();
	}
}

/** All parameters are read before any request: one that makes no sense must not cost events. */
async function prepare(
	context: IPollFunctions,
	credential: Credential,
	log: TriggerLog,
	isPublishing: boolean,
) {
	const fields = context.getNodeParameter('fields', []);
	const form = outputForm(context.getNodeParameter('output'), fields);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const startFrom = toMoment('Start From', options.startFrom, context.getTimezone());
	const maxItems = numberWithin('Max Items', options.maxItems ?? 1000, { most: 10_000 });
	const { apiKey } = toConnection(await credential());
	const { timeLeft, hasTime } = startBudget(context, isPublishing);
	const { values, ...lists } = await watchLists(context, credential, timeLeft, (line) =>
		log.say(line),
	);
	const chosen = { selectionOf, startFrom, maxItems, hasTime, now: Date.now() };
	const input: FeedInput = { ...lists, ...chosen, kind: isTestKey(apiKey) ? 'test' : 'live' };
	const complete = withDistance(values);
	const toItems = (events: License[]) => [events.map((one) => ({ json: form(complete(one)) }))];
	return { input, values, toItems };
}

/** For versions of n8n that do not say: less than the minute after which the next poll may come. */
const DEFAULT_BUDGET = 45_000;
/** Publishing waits for the first poll, and so does the user. */
const PUBLISHING_BUDGET = 60_000;

/** The time that a poll has. */
export function startBudget(context: Partial<IPollFunctions>, isPublishing: boolean) {
	const said = Number(context.getPollBudgetMs?.());
	const allowed = said >= 0 ? said : DEFAULT_BUDGET;
	// Without any time, the poll must fail: it would do nothing, and say nothing.
	const total = Math.max(1, isPublishing ? Math.min(allowed, PUBLISHING_BUDGET) : allowed);
	const end = Date.now() + total;
	const timeLeft = () => end - Date.now();
	/** Whether there is time to ask for another page, and for it to go wrong once. */
	const hasTime = () => timeLeft() > total / 4;
	return { timeLeft, hasTime };
}

const timeOf = ({ eventTimestamp }: License): number => momentOf(eventTimestamp) ?? 0;

/** A few of the latest events to build a workflow with, the newest last. Reads no state and writes none. */
async function fetchTestEvents(
	context: IPollFunctions,
	credential: Credential,
): Promise<INodeExecutionData[][] | null> {
	const { input, values, toItems } = await prepare(
		context,
		credential,
		new TriggerLog(context),
		false,
	);
	const listed: License[] = [];
	for (const { readPage, isOptional } of input.watched) {
		const found: License[] = [];
		let cursor: string | null = null;
		for (let pages = 0; pages < MOST_TESTED.pages && found.length < MOST_TESTED.events; pages++) {
			const page = await readPage(cursor);
			if (found.length > 0 && page instanceof Failure) break;
			if (isOptional && isRejected(page)) break;
			if (page instanceof Failure) throw page;
			listed.push(...page.records.map(({ record }) => record));
			for (const { record, matched, leftOut } of page.records)
				if (leftOut === undefined && input.wanted.matches(matched)) found.push(record);
			cursor = page.cursor;
			if (cursor === null) break;
		}
		// Where the list has parts, each county for instance, a page holds one part after another.
		const inTime = found.reverse().sort((one, other) => timeOf(one) - timeOf(other));
		if (inTime.length > 0) return toItems(inTime.slice(-MOST_TESTED.events));
	}
	// As n8n's own polling triggers do: this is no failure, and n8n says that nothing was found.
	if (values.status === undefined || listed.length === 0) return null;
	// The interface does not list the statuses, and a trigger that waits for a wrong one would be silent forever.
	throw new Failure(
		"No event with this 'Status' matches the other filters",
		`The newest licenses have: ${statusesOf(listed)}. Choose one of these, or publish the workflow and wait.`,
	);
}
