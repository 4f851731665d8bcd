import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isTestKey, toConnection } from '../service/connection';
import { redactIn, type Credential } from '../service/client';
import { Failure, invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { DAY } from '../licenses/text';
import { strayPlaces, withDistance } from '../filters/placeFilters';
import { toMoment, numberWithin } from '../filters/values';
import { outputForm } from '../output/outputForms';
import { TriggerSessions, type TriggerSession } from './handshake';
import { readLists, type ListReader } from './listReader';
import { inTriggerWords, THE_LIST, TriggerLog } from './messages';
import { restore, type FeedInput, type PollRun } from './run';
import { findTestEvents } from './testEvents';
import { connectPages, selectionOf, watchLists } from './watchedLists';

/**
 * One poll: what is new in my lists, ready to be handed to n8n, or null. It depends only on the saved state, on what the
 * process holds, and on the pages. What was seen is committed last: if anything fails, it is read again.
 */
export async function runPoll<Items>(
	input: FeedInput,
	session: TriggerSession,
	log: TriggerLog,
	isPublishing: boolean,
	toItems: (events: License[]) => Items,
): Promise<Items | null> {
	try {
		const run = restore(input, session, log);
		const readers = await readLists(run);
		const failure = decide(readers, run);
		const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
		const isLimited = !input.mayAsk || failure?.facts.status === 429;
		if (isPublishing && isLimited) log.say(BEGINS_LATER);
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined && log.noteUnreadable(THE_LIST, failure))
			log.show(inTriggerWords(failure));
		const items = toItems(events);
		session.commit({ batchId, state: run.nextState(), progress: run.progress });
		return events.length > 0 ? items : null;
	} finally {
		session.end();
	}
}

/** What of the unseen is no news, and what is to be said. Returns why not even one first page could be read. */
function decide(readers: ListReader[], run: PollRun): Failure | undefined {
	for (const reader of readers) {
		reader.judge();
		reader.conclude();
	}
	// Nothing has changed then, except what is emitted.
	if (!readers.some(({ hasRead }) => hasRead))
		return readers.find(({ topFailure }) => topFailure)?.topFailure;
	run.log.noteReadable(THE_LIST);
	for (const { list, topFailure } of readers)
		if (topFailure) run.log.pageFailed(list.event, topFailure, { isFirst: true });
	for (const { list, state, isEmptied, hasRead } of readers) {
		if (!hasRead) continue;
		if (isEmptied && state.listed && !state.isEmpty) run.log.aboutEmpty(list.event, state.listed);
		state.isEmpty = isEmptied || undefined;
	}
	if (readers.some(({ isFirstReading }) => isFirstReading)) run.log.say(STILL_READING, 'info');
	run.log.aboutLeftOut();
	watchForStandstill(readers, run);
	return undefined;
}

/** So long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * DAY;

function watchForStandstill(readers: ListReader[], { input, log, memory }: PollRun): void {
	// A clock that was ahead must not put it off.
	const isAhead = Number(memory.unchangedSince) > input.now;
	if (isAhead || readers.some(({ hasChanged }) => hasChanged)) memory.unchangedSince = input.now;
	if (input.kind === 'live' || !(input.now - Number(memory.unchangedSince) >= STANDSTILL)) return;
	log.aboutStandstill();
	// Until something changes, it is not said again.
	delete memory.unchangedSince;
}

const BEGINS_LATER =
	'The workflow is published. The trigger begins to read when the rate limit allows.';
const STILL_READING =
	"The list is being read for the first time, and the next poll continues. Only new entries, or events since 'Start From', are sent.";

const sessions = new TriggerSessions();
const logs = new Map<string, TriggerLog>();

/** What n8n calls. */
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
		return session ? await runPoll(input, session, log, isPublishing, toItems) : null;
	} catch (error) {
		if (!log.noteUnreadable(THE_LIST, error) && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
	}
}

async function fetchTestEvents(context: IPollFunctions, credential: Credential) {
	const log = new TriggerLog(context);
	const { input, values, toItems } = await prepare(context, credential, log, false);
	const events = await findTestEvents(input, values);
	return events.length > 0 ? toItems(events) : null;
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
	if (Number(startFrom) > Date.now())
		throw invalidInput(
			"'Start From' is in the future",
			"The trigger returns everything that is new from now on. Leave 'Start From' empty, or enter a time in the past to get earlier events as well.",
		);
	const maxItems = numberWithin('Max Items', options.maxItems ?? 1000, { most: 10_000 });
	const { apiKey } = toConnection(await credential());
	const { timeLeft, hasTime } = startBudget(context, isPublishing);
	const { values, listsFrom, ...selected } = watchLists(context);
	const say = (line: string) => log.say(line);
	const { mayAsk, askForPage } = await connectPages(context, credential, timeLeft, say);
	const chosen = { ...selected, selectionOf, startFrom, maxItems };
	const read = { watched: listsFrom(askForPage), mayAsk, hasTime, now: Date.now() };
	const input: FeedInput = { ...chosen, ...read, kind: isTestKey(apiKey) ? 'test' : 'live' };
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
