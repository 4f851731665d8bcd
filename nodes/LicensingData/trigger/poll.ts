import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { strayPlaces } from '../filters/placeFilters';
import type { Failure } from '../licenses/failure';
import { DAY } from '../licenses/time';
import { type Credential, redactIn } from '../service/client';
import { type ListReader, readWatchedLists } from './listReader';
import { type PollInput, prepare } from './parameters';
import { nextState, type PollRun, restore } from './pollRun';
import { type TriggerSession, TriggerSessions } from './sessions';
import { findTestEvents } from './testEvents';
import { BEGINS_LATER, firstPageOf, inTriggerWords, THE_LIST, TriggerLog } from './triggerLog';

/**
 * One poll: what is new in my lists, ready to be handed to n8n, or null. It depends only on the saved state, on what the
 * process holds, and on the pages. What was seen is committed last: if anything fails, it is read again.
 */
async function runPoll(
	input: PollInput,
	session: TriggerSession,
	log: TriggerLog,
	isPublishing: boolean,
): Promise<INodeExecutionData[][] | null> {
	try {
		const run = restore(input, session, log);
		const readers = await readWatchedLists(run);
		const failure = decide(readers, run);
		const { events, batchId } = run.queue.take(input.maxItems, session.newBatch);
		const isLimited = !input.mayAsk || failure?.facts.status === 429;
		if (isPublishing && isLimited) log.say(BEGINS_LATER);
		// What was found goes out all the same. Without anything, n8n is told, and nothing is saved.
		else if (failure !== undefined && events.length === 0) throw failure;
		else if (failure !== undefined) log.unreadableBeside(THE_LIST, failure, false);
		const items = input.toItems(events);
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
	if (readers.some(({ isFirstReading }) => isFirstReading)) run.log.aboutLongReading();
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
const sessions = new TriggerSessions();
const logs = new Map<string, TriggerLog>();

/** What n8n calls. */
export async function poll(
	context: IPollFunctions,
	credential: Credential,
): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') {
		const log = new TriggerLog(context);
		const { input, values } = await prepare(context, credential, log, false);
		return input.toItems(await findTestEvents(input, values));
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
		const { input, values } = await prepare(context, credential, log, isPublishing);
		if (isPublishing) for (const line of strayPlaces(values)) log.say(line);
		const session = sessions.begin(trigger, context);
		return session ? await runPoll(input, session, log, isPublishing) : null;
	} catch (error) {
		if (!log.noteUnreadable(THE_LIST, error) && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
	}
}
