import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { Failure, refusal } from '../api/failure';
import { connect } from '../api/request';
import type { License } from '../api/types';
import { UNDATED } from '../feed/event';
import { latest } from '../feed/latest';
import { pollFeed } from '../feed/poll';
import { restore } from '../feed/state';
import { wholeNumber, yesOrNo } from '../fields/values';
import { outputForm } from '../output';
import { startBudget } from './budget';
import { instant } from './instant';
import { openMemory } from './memory';
import { pageReader } from './reader';
import { inTurn } from './turn';
import { readWatch } from './watch';

const RETRIES = 5;
const TIMEOUT = 30_000;
const HOUR = 3_600_000;
const TEST_EVENTS = 5;

export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context);
	const trigger = `${context.getWorkflow().id}:${context.getNode().id}`;
	return await inTurn(trigger, async () => await fetchNews(context, trigger));
}

async function fetchNews(
	context: IPollFunctions,
	trigger: string,
): Promise<INodeExecutionData[][] | null> {
	const memory = openMemory(context, trigger);
	if (memory === undefined) return null;
	const { saved } = memory;
	const { timeLeft, withReserve, hasTime } = startBudget(context);
	const watch = await readWatch(context);
	const isFirstLook = restore(saved, watch.fingerprint) === undefined;
	const toItems = itemMaker(context);
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const repeats = yesOrNo('Repeat After Restart', options.repeatAfterRestart);
	const service = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft });

	const outcome = await pollFeed({
		saved,
		filters: watch.fingerprint,
		readPage: pageReader(service, watch.query, withReserve),
		matches: watch.matches,
		startFrom: instant('Start From', options.startFrom, context.getTimezone()),
		lookback: wholeNumber('Lookback Hours', options.lookbackHours ?? 24, { most: 720 }) * HOUR,
		maxItems: wholeNumber('Max Items', options.maxItems ?? 1000, { most: 10_000 }),
		now: Date.now(),
		hasTime,
	});
	if ('failure' in outcome) throw told(outcome.failure);

	const { events, state, shrunkTo, unread } = outcome;
	warnOfShrinking(context, shrunkTo);
	if (unread) warnOfUnread(context, told(unread.failure));
	if (events.length === 0) {
		memory.learn(state);
		// With durable cursors, n8n forgets what a silent poll learned when the workflow was published. The quiet
		// start would then come with the first scheduled poll, and swallow what was filed until then. n8n means
		// this for its own engine; there is no other way to have a silent look saved.
		if (isFirstLook) await context.__commitCursor?.();
		return null;
	}
	if (repeats) memory.emitUntilRestart(state);
	else memory.emit(state);
	return toItems(events);
}

async function fetchTestEvents(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const { timeLeft, withReserve } = startBudget(context);
	const { query, matches } = await readWatch(context);
	const toItems = itemMaker(context);
	const service = await connect(context, { retries: 1, timeout: TIMEOUT, timeLeft });
	const events = await latest(pageReader(service, query, withReserve), matches, TEST_EVENTS);
	if ('failure' in events) throw told(events.failure);
	if (events.length === 0) {
		throw refusal(
			'No license matches yet',
			"The trigger is fine; nothing recent fits 'Event Types' and 'Filters'. Widen them to see an example, or publish the workflow and wait.",
		);
	}
	return toItems(events);
}

/** Read before anything is asked: a parameter that makes no sense must not cost events. */
function itemMaker(context: IPollFunctions): (licenses: License[]) => INodeExecutionData[][] {
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	return (licenses) => [licenses.map((license) => ({ json: form(license) }))];
}

/** Promise 14. */
function warnOfShrinking(context: IPollFunctions, shrunkTo: number | undefined): void {
	if (shrunkTo === undefined) return;
	const whichOnes = shrunkTo >= UNDATED ? 'without a date' : 'from before the given time';
	context.logger.warn(
		`More events arrived than the trigger can remember. Events that turn up late, ${whichOnes}, may be missed.`,
		{ time: new Date(shrunkTo).toISOString() },
	);
}

/** A page that fails for good would never be heard of, as what stands above it still comes. */
function warnOfUnread(context: IPollFunctions, failure: unknown): void {
	const { message } = failure as Error;
	context.logger.warn(`The list was not read to its end, and the next poll goes on: ${message}`);
}

/** The feed knows no failure of its own but a service that takes back its cursors faster than they are used. */
function told(failure: unknown): unknown {
	return (
		failure ??
		new Failure('shape', 'The list of the service cannot be read to its end', 'Try again later.')
	);
}
