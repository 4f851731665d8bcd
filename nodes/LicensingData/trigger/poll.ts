import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { connect, redactIn } from '../service/request';
import { cannotGoOn, type Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { statusesOf } from '../licenses/statuses';
import { instant } from '../filters/instant';
import { strayPlaces, withDistance } from '../filters/territoryFilter';
import { wholeNumber } from '../filters/values';
import { outputForm } from '../output/outputForm';
import { accountOf, type Account } from './account';
import { findTestEvents } from './feed/testEvents';
import type { Lists, Settings } from './feed/types';
import { notingWaits, waitAskedFor } from './waits';
import { pageReader } from './pageReader';
import { Reports } from './reports';
import { runSession } from './runSession';
import { TriggerSessions } from './session';
import { startBudget, type Budget } from './timeBudget';
import { earlierSelectionOf, listsEvent, readWatch, selectionOf, type Watch } from './watch';
import { inTriggerWords } from './words';

const RETRIES = 5;
const TIMEOUT = 30_000;
const TEST_EVENTS = 5;

const sessions = new TriggerSessions();
/** In its default mode, n8n hands what it has made for publishing to each later poll of the process as well. */
const contexts = new WeakSet<IPollFunctions>();
const triggers = new Map<string, ReturnType<typeof newTrigger>>();

/** Session, settings, lists, and then `runSession`: what is new, the items, and the handover to n8n. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context);
	const trigger = `${context.getWorkflow().id}:${context.getNode().id}`;
	const known = triggers.get(trigger) ?? newTrigger();
	triggers.set(trigger, known);
	const isWatching = context.getWorkflowStaticData('node').feed !== undefined;
	const isFirst = !contexts.has(context);
	contexts.add(context);
	const isPublishing = isFirst && (context.getActivationMode() === 'activate' || !isWatching);
	try {
		return await pollOnce(context, trigger, known, isPublishing);
	} catch (error) {
		const isShown = known.reports.isToBeShown(error, context, Date.now());
		if (!isShown && !isPublishing) return null;
		throw inTriggerWords(error, isPublishing);
	}
}

const newTrigger = () => ({
	reports: new Reports(),
});

async function pollOnce(
	context: IPollFunctions,
	trigger: string,
	{ reports }: ReturnType<typeof newTrigger>,
	isPublishing: boolean,
): Promise<INodeExecutionData[][] | null> {
	const account = await accountOf(context);
	reports.redact = await redactIn(context);
	const wait = waitAskedFor(account.keyHash);
	if (wait) {
		// Publishing must not look as if something were watched.
		if (isPublishing) throw wait;
		return null;
	}
	const session = sessions.begin(trigger, context);
	if (!session) return null;
	try {
		const watch = readWatch(context);
		if (isPublishing) for (const line of strayPlaces(watch.values)) context.logger.warn(line);
		const settings = readSettings(context, watch, account);
		const toItems = itemMaker(context, watch);
		const budget = startBudget(context, isPublishing);
		const lists = await listsFor(context, account, watch, budget);
		if (account.isMadeUp) reports.aboutTestKey(context, lists.now);
		return await runSession({ settings, lists, session }, context, reports, toItems);
	} finally {
		session.end();
	}
}

function readSettings(
	context: IPollFunctions,
	{ filters }: Watch,
	{ isMadeUp }: Account,
): Settings<License> {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const startFrom = instant('Start From', options.startFrom, context.getTimezone());
	return {
		filters,
		wanted: selectionOf(filters),
		selectionOf: earlierSelectionOf,
		// Samples with recent dates would look like leads.
		startFrom: isMadeUp ? undefined : startFrom,
		maxItems: wholeNumber('Max Items', options.maxItems ?? 1000, { most: 10_000 }),
	};
}

async function listsFor(
	context: IPollFunctions,
	{ name, keyHash }: Account,
	{ events }: Watch,
	{ timeLeft, hasTime }: Budget,
): Promise<Lists<License>> {
	const connected = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft });
	const service = notingWaits(keyHash, connected, context);
	const now = Date.now();
	return {
		account: name,
		watched: events.map(({ event, query, isOptional }) => {
			const readPage = pageReader(service, query, timeLeft, isOptional);
			return { event, readPage, lists: listsEvent(event) };
		}),
		hasTime,
		now,
	};
}

async function fetchTestEvents(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const budget = startBudget(context, false);
	const watch = readWatch(context);
	const toItems = itemMaker(context, watch);
	const { matches } = selectionOf(watch.filters);
	const account = await accountOf(context);
	const { watched } = await listsFor(context, account, watch, budget);
	for (const list of watched) {
		const events = await findTestEvents(list, matches, TEST_EVENTS);
		if (Array.isArray(events) && events.length > 0) return toItems(events);
		if (!Array.isArray(events) && !events.isLacking) throw events.failure;
	}
	if (watch.values.status !== undefined) {
		const newest = await watched[0]?.readPage(null);
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
	{ values }: Watch,
): (licenses: License[]) => INodeExecutionData[][] {
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	const complete = withDistance(values);
	return (licenses) => [licenses.map((license) => ({ json: form(complete(license)) }))];
}
