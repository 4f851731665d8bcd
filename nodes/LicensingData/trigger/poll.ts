import { createHash } from 'node:crypto';

import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isTestKey, toConnection } from '../service/connection';
import { CREDENTIAL, redactIn } from '../service/request';
import { pause } from '../service/pause';
import { cannotGoOn, Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { statusesOf } from '../licenses/statuses';
import { instant } from '../filters/instant';
import { strayPlaces, withDistance } from '../filters/territoryFilter';
import { wholeNumber } from '../filters/values';
import { outputForm } from '../output/outputForm';
import { FeedPoll, type Lists, type Settings } from './feed';
import { TriggerSessions } from './handshake';
import {
	earlierSelectionOf,
	findTestEvents,
	placeIn,
	readWatched,
	selectionOf,
	type Watched,
} from './lists';
import { inTriggerWords, TriggerLog } from './log';
import { Pages, waitAskedFor } from './pages';
import { startBudget, type Budget } from './timeBudget';

const TEST_EVENTS = 5;

const sessions = new TriggerSessions();
/** In its default mode, n8n hands what it has made for publishing to each later poll of the process as well. */
const contexts = new WeakSet<IPollFunctions>();
const logs = new Map<string, TriggerLog>();

/** One poll of one trigger, as n8n has asked for it. */
interface Poll {
	context: IPollFunctions;
	log: TriggerLog;
	budget: Budget;
	isPublishing: boolean;
}

/** What is new in the lists, as items, or null. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context);
	const name = nameOf(context);
	const key = JSON.stringify(name);
	const log = logs.get(key) ?? new TriggerLog();
	logs.set(key, log);
	const isWatching = context.getWorkflowStaticData('node').feed !== undefined;
	const isFirst = !contexts.has(context);
	contexts.add(context);
	const isPublishing = isFirst && (context.getActivationMode() === 'activate' || !isWatching);
	const budget = startBudget(context, isPublishing);
	log.redact = await redactIn(context);
	try {
		return await pollOnce({ context, log, budget, isPublishing });
	} catch (error) {
		const isShown = log.isToBeShown(error, context, Date.now());
		if (!isShown && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
	}
}

const nameOf = (context: IPollFunctions) => ({
	id: `${context.getWorkflow().id}:${context.getNode().id}`,
	node: context.getNode().name,
});

async function pollOnce(poll: Poll): Promise<INodeExecutionData[][] | null> {
	const { context, log, isPublishing } = poll;
	const watched = readWatched(context);
	const settings = readSettings(context, watched);
	const toItems = itemMaker(context, watched);
	if (isPublishing) for (const line of strayPlaces(watched.values)) log.say(context, 'warn', line);
	const lists = await listsFor(poll, watched);
	const session = sessions.begin(nameOf(context), context);
	if (!session) return null;
	try {
		if (!session.lastState && !session.isNew)
			log.say(
				context,
				'warn',
				'This version cannot read the memory of this trigger, so it starts over: what is listed now is not reported.',
			);
		const outcome = await new FeedPoll(settings, lists, session).run();
		const { events, failure } = outcome;
		const isLimited = !lists.mayAsk || (failure instanceof Failure && failure.status === 429);
		if (isPublishing && isLimited)
			log.say(
				context,
				'warn',
				'The workflow is published. Reading begins when the service lets it.',
			);
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined && log.isToBeShown(failure, context, lists.now))
			log.show(context, inTriggerWords(failure, false));
		log.aboutPoll(outcome, context, lists.now);
		const items = toItems(events);
		// Last of all: if anything before fails, the events are read again.
		session.commit(outcome);
		return events.length > 0 ? items : null;
	} finally {
		session.end();
	}
}

function readSettings(context: IPollFunctions, { filters }: Watched): Settings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	return {
		filters,
		wanted: selectionOf(filters),
		selectionOf: earlierSelectionOf,
		startFrom: instant('Start From', options.startFrom, context.getTimezone()),
		maxItems: wholeNumber('Max Items', options.maxItems ?? 1000, { most: 10_000 }),
	};
}

async function listsFor(poll: Poll, { events, values }: Watched): Promise<Lists> {
	const { context, log, budget } = poll;
	const { timeLeft, hasTime } = budget;
	const { baseUrl, apiKey } = toConnection(await context.getCredentials(CREDENTIAL));
	/** Tells keys apart without holding them. */
	const key = createHash('sha256').update(`${baseUrl} ${apiKey}`).digest('hex');
	const isTest = context.getMode() === 'manual';
	const wait = isTest ? 0 : waitAskedFor(key);
	// A poll that comes a moment too early would put everything off until the next one.
	const isShort = wait > 0 && wait < timeLeft() / 2;
	if (isShort) await pause(wait);
	const pages = await Pages.of(context, key, timeLeft, ({ message }, until) =>
		log.say(
			context,
			'warn',
			`The service asks to wait (${message}). Until ${new Date(until).toISOString()}, polls with this key ask for nothing.`,
		),
	);
	return {
		kind: isTestKey(apiKey) ? 'test' : 'live',
		watched: events.map(({ event, queries, isOptional }) => ({
			event,
			parts: queries.map((query) => ({
				readPage: pages.reader(query, isOptional),
				place: placeIn(query, values),
			})),
		})),
		hasTime,
		mayAsk: wait === 0 || isShort,
		now: Date.now(),
	};
}

async function fetchTestEvents(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const watched = readWatched(context);
	const toItems = itemMaker(context, watched);
	const { matches } = selectionOf(watched.filters);
	const budget = startBudget(context, false);
	const poll = { context, log: new TriggerLog(), budget, isPublishing: false };
	const lists = await listsFor(poll, watched);
	for (const list of lists.watched) {
		const events = await findTestEvents(list, matches, TEST_EVENTS);
		if (Array.isArray(events) && events.length > 0) return toItems(events);
		if (!Array.isArray(events) && !events.isLacking) throw events.failure;
	}
	if (watched.values.status !== undefined) {
		const newest = await lists.watched[0]?.parts[0]?.readPage(null);
		if (newest && 'records' in newest) throw noSuchStatus(newest.records);
	}
	// As n8n's own polling triggers do: this is no failure, and n8n says that nothing was found.
	return null;
}

/** The interface does not list the statuses, and a trigger that waits for a wrong one would be silent forever. */
const noSuchStatus = (newest: License[]): Failure =>
	cannotGoOn(
		"No event has this 'Status' and matches the other filters",
		`The newest licenses have: ${statusesOf(newest)}. Choose one of these, or publish the workflow and wait.`,
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
