import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isTestKey, toConnection } from '../service/connection';
import { CREDENTIAL, redactIn } from '../service/request';
import { cannotGoOn, Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { statusesOf } from '../licenses/statuses';
import { matcherOf } from '../filters/filter';
import { POLLING_FILTERS } from '../filters/licenseFilters';
import { strayPlaces, withDistance } from '../filters/placeFilters';
import { toMoment, wholeNumber } from '../filters/values';
import { outputForm } from '../output/outputForm';
import { FeedPoll } from './feed';
import { TriggerSessions, type TriggerSession } from './handshake';
import {
	findTestEvents,
	joinParts,
	placeIn,
	readWatched,
	selectionOf,
	type Placed,
	type Watched,
} from './lists';
import { inTriggerWords, THE_LIST, TriggerLog } from './log';
import { connectPages } from './pages';
import type { FeedInput } from './run';
import { startBudget, type Budget } from './timeBudget';

const TEST_EVENTS = 5;

const sessions = new TriggerSessions();
/** In its default mode, n8n hands what it has made for publishing to each later poll of the process as well. */
const contexts = new WeakSet<IPollFunctions>();
const logs = new Map<string, TriggerLog>();

/** What is new in the lists, as items, or null. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context);
	const name = {
		id: `${context.getWorkflow().id}:${context.getNode().id}`,
		node: context.getNode().name,
	};
	const key = JSON.stringify(name);
	const isKnown = logs.has(key) || context.getWorkflowStaticData('node').feed !== undefined;
	const log = logs.get(key) ?? new TriggerLog(context);
	logs.set(key, log);
	Object.assign(log, { context, now: Date.now(), redact: await redactIn(context) });
	const isFirst = !contexts.has(context);
	contexts.add(context);
	const isPublishing = isFirst && (context.getActivationMode() === 'activate' || !isKnown);
	try {
		const watched = readWatched(context);
		const toItems = itemMaker(context, watched);
		if (isPublishing) for (const line of strayPlaces(watched.values)) log.say(line);
		const input = await inputFor(context, watched, startBudget(context, isPublishing), log);
		const session = sessions.begin(name, context);
		return session ? await runSession(input, session, log, isPublishing, toItems) : null;
	} catch (error) {
		if (!log.isToBeShown(THE_LIST, error) && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
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
				'This version cannot read the memory of this trigger, so it starts over: what is listed now is not reported.',
			);
		const outcome = await new FeedPoll(input, session, log).poll();
		const { events, failure } = outcome;
		const isLimited = !input.mayAsk || (failure instanceof Failure && failure.status === 429);
		if (isPublishing && isLimited)
			log.say('The workflow is published. Reading begins when the service lets it.');
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined && log.isToBeShown(THE_LIST, failure))
			log.show(inTriggerWords(failure, false));
		const items = toItems(events);
		session.commit(outcome);
		return events.length > 0 ? items : null;
	} finally {
		session.end();
	}
}

async function inputFor(
	context: IPollFunctions,
	{ events, filters, values }: Watched,
	{ timeLeft, hasTime }: Budget,
	log: TriggerLog,
): Promise<FeedInput> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const { apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	const startFrom = toMoment('Start From', options.startFrom, context.getTimezone());
	const maxItems = wholeNumber('Max Items', options.maxItems ?? 1000, { most: 10_000 });
	const pages = await connectPages(context, timeLeft, (line) => log.say(line));
	return {
		filters,
		selectionOf,
		startFrom,
		maxItems,
		kind: isTestKey(apiKey) ? 'test' : 'live',
		watched: events.map(({ event, queries, isOptional }) => ({
			event,
			readPage: joinParts(
				queries.map((query) => ({
					readPage: pages.of(query, isOptional),
					place: placeIn(query, values),
				})),
			),
		})),
		mayAsk: pages.mayAsk,
		hasTime,
		now: Date.now(),
	};
}

async function fetchTestEvents(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const watched = readWatched(context);
	const toItems = itemMaker(context, watched);
	const budget = startBudget(context, false);
	const { watched: lists } = await inputFor(context, watched, budget, new TriggerLog(context));
	for (const list of lists) {
		const events = await findTestEvents(
			list,
			matcherOf(POLLING_FILTERS, watched.values),
			TEST_EVENTS,
		);
		if (Array.isArray(events) && events.length > 0) return toItems(events);
		if (!Array.isArray(events) && !events.isLacking) throw events.failure;
	}
	if (watched.values.status !== undefined) {
		const newest = await lists[0]?.readPage(null);
		if (newest && 'records' in newest) throw noSuchStatus(newest.records);
	}
	// As n8n's own polling triggers do: this is no failure, and n8n says that nothing was found.
	return null;
}

/** The interface does not list the statuses, and a trigger that waits for a wrong one would be silent forever. */
const noSuchStatus = (newest: Placed[]): Failure =>
	cannotGoOn(
		"No event has this 'Status' and matches the other filters",
		`The newest licenses have: ${statusesOf(newest.map(({ record }) => record))}. Choose one of these, or publish the workflow and wait.`,
	);

function itemMaker(
	context: IPollFunctions,
	{ values }: Watched,
): (licenses: License[]) => INodeExecutionData[][] {
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	const complete = withDistance(values);
	return (licenses) => [licenses.map((license) => ({ json: form(complete(license)) }))];
}
