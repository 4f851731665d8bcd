import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { numberWithin, toMoment } from '../filters/enteredValues';
import { strayPlaces, withDistance } from '../filters/placeFilters';
import { type Failure, invalidInput } from '../licenses/failure';
import type { License } from '../licenses/license';
import { DAY } from '../licenses/time';
import { outputForm } from '../output/outputForms';
import { type Credential, redactIn } from '../service/client';
import { isTestKey, toConnection } from '../service/connection';
import { connectPages, joinLists } from './listPages';
import { type ListReader, readWatchedLists } from './listReader';
import { LIMITS } from './memoryLimits';
import { nextState, type PollInput, type PollRun, restore } from './pollRun';
import { type TriggerSession, TriggerSessions } from './savedState';
import { findTestEvents } from './testEvents';
import { startBudget } from './timeBudget';
import { firstPageOf, inTriggerWords, SAID, THE_LIST, TriggerLog } from './triggerLog';
import { savedSelection, watchedLists } from './watchedLists';

/**
 * One poll: what is new in my lists, ready to be handed to n8n, or null. It depends only on the saved state, on what the
 * process holds, and on the pages. What was seen is committed last: if anything fails, it is read again.
 */
export async function runPoll<Items>(
	input: PollInput,
	session: TriggerSession,
	log: TriggerLog,
	isPublishing: boolean,
	toItems: (events: License[]) => Items,
): Promise<Items> {
	try {
		const run = restore(input, session, log);
		const readers = await readWatchedLists(run);
		const failure = decide(readers, run);
		const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
		const isLimited = !input.mayAsk || failure?.facts.status === 429;
		if (isPublishing && isLimited) log.say(SAID.beginsLater);
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined) log.unreadableBeside(THE_LIST, failure, false);
		const items = toItems(events);
		session.commit({ batchId, state: nextState(run, session), progress: run.progress });
		return items;
	} finally {
		session.end();
	}
}

/** What of the unseen is no news, and what is to be said. Returns why not even one first page could be read. */
function decide(readers: ListReader[], run: PollRun): Failure | undefined {
	for (const reader of readers) reader.conclude();
	// Nothing has changed then, except what is emitted.
	if (!run.hasRead) return readers.find(({ topFailure }) => topFailure)?.topFailure;
	run.log.noteReadable(THE_LIST);
	for (const { list, topFailure } of readers)
		if (topFailure) run.log.unreadableBeside(firstPageOf(list.event), topFailure);
	if (readers.some(({ isFirstReading }) => isFirstReading)) run.log.say(SAID.stillReading, 'info');
	run.log.aboutLeftOut();
	if (run.kind === 'test' && run.now - Number(run.memory.unchangedSince) >= STANDSTILL) {
		run.log.aboutStandstill();
		// Until something changes, it is not said again.
		delete run.memory.unchangedSince;
	}
	return undefined;
}

/** After this long without any change, a test key is said to show the same every time. */
const STANDSTILL = 7 * DAY;

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
	const maxItems = numberWithin('Max Items', options.maxItems ?? 1000, { max: 10_000 });
	const { apiKey } = toConnection(await credential());
	const kind = isTestKey(apiKey) ? 'test' : 'live';
	const { timeLeft, hasTime } = startBudget(context, isPublishing);
	const { values, lists, ...selected } = watchedLists(context, options);
	const { mayAsk, askForPage } = await connectPages(context, credential, timeLeft, log.aboutWait);
	const watched = lists.map(({ queries, ...list }) => ({
		...list,
		readPage: joinLists(queries, values, askForPage),
	}));
	const chosen = { ...selected, savedSelection, startFrom, maxItems, limits: LIMITS };
	const input: PollInput = { ...chosen, kind, watched, mayAsk, hasTime, now: Date.now() };
	const complete = withDistance(values);
	const toItems = (events: License[]) =>
		events.length > 0 ? [events.map((one) => ({ json: form(complete(one)) }))] : null;
	return { input, values, toItems };
}

const sessions = new TriggerSessions();
const logs = new Map<string, TriggerLog>();

/** What n8n calls. */
export async function poll(
	context: IPollFunctions,
	credential: Credential,
): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const log = new TriggerLog(context);
		const { input, values, toItems } = await prepare(context, credential, log, false);
		return toItems(await findTestEvents(input, values));
	}
	const { id, name } = context.getNode();
	const trigger = JSON.stringify([context.getWorkflow().id, id, name]);
	const known = logs.get(trigger);
	// In its default mode, n8n hands what it has made for publishing to each later poll of the process as well.
	// Its durable scheduler makes it anew for each poll, and says 'update' each time.
	const isPublishing = known?.context !== context && context.getActivationMode() === 'activate';
	const log = known ?? new TriggerLog(context);
	logs.set(trigger, log);
	Object.assign(log, { context, now: Date.now(), redact: await redactIn(credential) });
	try {
		const { input, values, toItems } = await prepare(context, credential, log, isPublishing);
		if (isPublishing) for (const line of strayPlaces(values)) log.say(line);
		const session = sessions.begin(trigger, context);
		return session ? await runPoll(input, session, log, isPublishing, toItems) : null;
	} catch (error) {
		if (!log.noteUnreadable(THE_LIST, error) && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
	}
}
