import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { connect, type Service } from '../transport/request';
import type { PageResult, ReadPage } from './feed/scan';
import { isEqual, type FeedState, type Query } from './feed/state';
import { findTestEvents } from './feed/testEvents';
import type { List } from './feed/types';
import type { ListQuery } from '../domain/licenseList';
import { POLLING_FILTERS, readTriggerFilters } from '../parameters/licenseFilters';
import { withDistance } from '../parameters/territoryFilter';
import { wholeNumber } from '../parameters/values';
import { cannotGoOn, exceedsPlan, type Failure } from '../domain/failure';
import type { License } from '../domain/license';
import { statusesOf } from '../domain/statuses';
import { outputForm } from '../output/outputForm';
import { startBudget } from './timeBudget';
import { instant } from '../parameters/instant';
import { TriggerSessions } from './session';
import { pageReader } from './pageReader';
import { keyOf, NotBefore } from './notBefore';
import { Reports } from './reports';
import { runSession } from './runSession';
import type { Watch } from './watch';
import { accountOf, isMadeUp, readWatch } from './watch';

const RETRIES = 5;
const TIMEOUT = 30_000;
const HOUR = 3_600_000;
const TEST_EVENTS = 5;

const notBefore = new NotBefore();
const sessions = new TriggerSessions();
const reports = new Map<string, Reports>();
/** The triggers and accounts that a line in the log has warned of. */
const warned = new Set<string>();

/** Session, settings, list, and then `runSession`: what is new, the items, and the handover to n8n. */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await fetchTestEvents(context);
	const refused = notBefore.failureFor(await keyOf(context));
	if (refused) {
		// Nothing is watched yet: publishing must not look as if it were.
		if (context.getWorkflowStaticData('node').feed === undefined) throw refused;
		return null;
	}
	const trigger = `${context.getWorkflow().id}:${context.getNode().id}`;
	const session = sessions.begin(trigger, context);
	if (!session) return null;
	try {
		const settings = readSettings(context);
		const account = await accountOf(context);
		if (isMadeUp(account)) warnOfTestKey(context, `${trigger} ${account}`);
		const list = await listFor(context, account, settings.watch, session.lastState);
		const input = { settings, list, session };
		return await runSession(input, context, reportsOf(trigger), settings.toItems);
	} finally {
		session.end();
	}
}

/** Read before any request: a parameter that makes no sense must not cost events. */
function readSettings(context: IPollFunctions) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const hours = wholeNumber('Lookback Hours', options.lookbackHours ?? 24, { most: 720 });
	const watch = readWatch(context);
	return {
		startFrom: instant('Start From', options.startFrom, context.getTimezone()),
		lookback: hours * HOUR,
		maxItems: wholeNumber('Max Items', options.maxItems ?? 1000, { most: 10_000 }),
		matches: watch.matches,
		matchesAll: watch.matchesAll,
		filters: watch.filters,
		watch,
		toItems: itemMaker(context),
	};
}

async function listFor(
	context: IPollFunctions,
	account: string,
	watch: Watch,
	lastState: FeedState | undefined,
): Promise<List<License>> {
	const { timeLeft, hasTime } = startBudget(context, lastState?.account !== account);
	const connected = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft });
	const service = notBefore.noting(await keyOf(context), connected, context);
	const pages = await choosePages(service, watch, lastState?.query);
	return { ...pages, account, hasTime, now: Date.now() };
}

interface Pages {
	query: Query;
	readPage: ReadPage<License>;
}

/** A plan may cover one county alone. Once the service has refused all others, that county is asked for. */
async function choosePages(service: Service, watch: Watch, before?: Query): Promise<Pages> {
	const pagesOf = (query: ListQuery): Pages => ({
		query: asSaved(query),
		readPage: pageReader(service, query),
	});
	const whole = pagesOf(watch.query);
	if (!watch.queryInCounty) return whole;
	const inCounty = pagesOf(watch.queryInCounty);
	if (isEqual(before, inCounty.query)) return inCounty;
	const first = await whole.readPage(null);
	if ('failure' in first && exceedsPlan(first.failure)) return inCounty;
	return { ...whole, readPage: startingWith(first, whole.readPage) };
}

/** What has just been read is not asked for again. */
function startingWith(first: PageResult<License>, readPage: ReadPage<License>): ReadPage<License> {
	let isFirst = true;
	return async (cursor) => {
		const page = isFirst && cursor === null ? first : await readPage(cursor);
		isFirst = false;
		return page;
	};
}

const asSaved = (query: ListQuery): Query =>
	Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));

async function fetchTestEvents(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { timeLeft } = startBudget(context, false);
	const toItems = itemMaker(context);
	const service = await connect(context, { retries: 1, timeout: TIMEOUT, timeLeft });
	const watch = readWatch(context);
	const lists = [
		// Rare events may be far down in the list of all Florida.
		() => pageReader(service, watch.shortestQuery),
		// The service may spell a county in another way.
		async () => (await choosePages(service, watch)).readPage,
	];
	for (const open of lists) {
		const events = await findTestEvents(await open(), watch.matches, TEST_EVENTS);
		if ('failure' in events) throw events.failure;
		if (events.length > 0) return toItems(events);
	}
	if (wantsStatus(context)) {
		const newest = await pageReader(service, watch.query)(null);
		if ('records' in newest) throw noSuchStatus(newest.records);
	}
	// As n8n's own polling triggers do: this is no failure, and n8n says that nothing was found.
	return null;
}

const wantsStatus = (context: IPollFunctions): boolean =>
	readTriggerFilters(POLLING_FILTERS, context).status !== undefined;

/** The interface does not list the statuses, and a trigger that waits for a wrong one would be silent forever. */
const noSuchStatus = (newest: License[]): Failure =>
	cannotGoOn(
		"No event has this 'Status' and matches the other filters",
		`The newest licenses have: ${statusesOf(newest)}. Choose one of these, or publish the workflow and wait.`,
	);

/** Once in each process: a live key may have been swapped for a test key long after publishing. */
function warnOfTestKey(context: IPollFunctions, key: string): void {
	if (warned.has(key)) return;
	warned.add(key);
	context.logger.info(
		`'${context.getNode().name}' of the workflow '${context.getWorkflow().name}' polls with a test key. It always returns the same made-up licenses, so nothing new will ever start the workflow.`,
	);
}

function itemMaker(context: IPollFunctions): (licenses: License[]) => INodeExecutionData[][] {
	const form = outputForm(
		context.getNodeParameter('output'),
		context.getNodeParameter('fields', []),
	);
	const complete = withDistance(readTriggerFilters(POLLING_FILTERS, context));
	return (licenses) => [licenses.map((license) => ({ json: form(complete(license)) }))];
}

function reportsOf(trigger: string): Reports {
	const ofTrigger = reports.get(trigger) ?? new Reports();
	reports.set(trigger, ofTrigger);
	return ofTrigger;
}
