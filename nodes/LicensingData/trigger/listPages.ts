import type { IPollFunctions } from 'n8n-workflow';

import type { FilterValues } from '../filters/filter';
import { eventOf } from '../licenses/eventTypes';
import { Failure, orFailure } from '../licenses/failure';
import type { License, LicensePage, ListPage, ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { countiesOf } from '../places/address';
import { pause } from '../service/backoff';
import { connect, type Credential } from '../service/client';
import { isRejected } from '../service/httpFailures';
import { MAX_PAGE_SIZE, readPage } from '../service/listRequests';

/** How often a page is asked for that another server seems to have answered. */
const MAX_TRIES = 4;

/** A record of a list. */
export interface Placed {
	record: License;
	/**
	 * What filters are applied to: it, with the county that the list was asked for if nobody knows its own. Undefined for
	 * another event, which a service shows that ignores what it was asked for.
	 */
	matched?: License;
	/** The county that it names, if it is left out though it may match. */
	leftOut?: string;
}

/** Asks the service for a page of what a query lists. */
export type AskForPage = (query: ListQuery) => Promise<LicensePage | Failure>;

export type PlacedPage = ListPage<Placed>;

/** Reads a page of a list, the first one for null. */
export type ReadPage = (cursor: string | null) => Promise<PlacedPage | Failure>;

/** How the service is asked for the pages of one poll, and whether the service may be asked: not while it wants too long a wait. */
export async function connectPages(
	context: IPollFunctions,
	credential: Credential,
	timeLeft: () => number,
	onWait: (refusal: Failure, until: number) => void,
) {
	const isShort = (wait: number): boolean => wait < timeLeft() / 2;
	let hasAnswered = false;
	const caller = {
		answered: () => void (hasAnswered = true),
		/** Someone who polls once a day would read a long list for days if a limit ended each poll. */
		async wait(left: number, refusal: Failure) {
			// n8n is told of a limit that a poll begins with.
			if (!hasAnswered || !isShort(left)) throw refusal.withFacts({ retryAfter: left });
			await pause(left);
		},
	};
	const settings = { retries: 5, timeout: 30_000, timeLeft, caller };
	const service = await connect(context, settings, credential);
	const { waitLeft } = service.throttle;
	const mayAsk = waitLeft === 0 || isShort(waitLeft);
	// A poll that comes a moment too early would put everything off until the next one.
	if (mayAsk && waitLeft > 0) await pause(waitLeft);
	const askForPage: AskForPage = async (query) => {
		const asked = readPage(service, { ...query, limit: MAX_PAGE_SIZE }, true);
		const page = await orFailure(asked);
		if (!(page instanceof Failure)) return page;
		// A marker may have expired. The reading begins again, and needs another one.
		if (query.cursor !== undefined && isRejected(page))
			return page.withFacts({ isTransient: true });
		if (page.facts.retryAfter) onWait(page, Date.now() + service.throttle.waitLeft);
		return page;
	};
	return { mayAsk, askForPage };
}

/** What a list that was asked for with this query makes of a record. One that says no known event belongs to it. */
function place(record: License, query: ListQuery, { counties: wanted }: FilterValues): Placed {
	const { county, event_type: event } = query;
	if ((eventOf(record) ?? event) !== event) return { record };
	const assumed = county ?? wanted?.[0];
	if (assumed === undefined || countiesOf(record.address).length > 0)
		return { record, matched: record };
	const matched = { ...record, address: { ...record.address, county: assumed } };
	const leftOut = county === undefined ? String(record.address?.county ?? 'none') : undefined;
	return { record, matched, leftOut };
}

/** Where a query's list goes on, and the total that it gave on its first page. */
type Mark = [cursor: string | null, total?: number];

/** What several queries list as one list: their first pages together, and then one page after another. */
export function joinLists(
	queries: ListQuery[],
	values: FilterValues,
	askForPage: AskForPage,
): ReadPage {
	return async (cursor) => {
		const marks = cursor ? (JSON.parse(cursor) as Mark[]) : queries.map((): Mark => [null]);
		const next = marks.findIndex(([at]) => at !== null);
		const records: Placed[] = [];
		const unreadable: string[] = [];
		for (const [index, query] of queries.entries()) {
			if (cursor !== null && index !== next) continue;
			const [at, total] = marks[index] ?? [null];
			const page = await ofOneServer({ ...query, cursor: at ?? undefined }, total, askForPage);
			if (page instanceof Failure) return page;
			marks[index] = [page.cursor, total ?? page.total];
			records.push(...page.records.map((record) => place(record, query, values)));
			unreadable.push(...(page.unreadable ?? []));
		}
		const hasMore = marks.some(([at]) => at !== null);
		const total = marks.reduce((sum, [, part = 0]) => sum + part, 0);
		return { records, cursor: hasMore ? JSON.stringify(marks) : null, total, unreadable };
	};
}

/** One of several servers may have another list, a sample for instance: then the page is asked for again. */
async function ofOneServer(query: ListQuery, total: number | undefined, askForPage: AskForPage) {
	for (let tries = 1; ; tries++) {
		const page = await askForPage(query);
		if (page instanceof Failure || total === undefined) return page;
		const { total: other = total } = page;
		if (other >= total / 2 && other <= total * 2) return page;
		if (tries < MAX_TRIES) continue;
		const [now, first] = [other, total].map(formatCount);
		return new Failure(
			`A page says that the list has ${now} entries, and its first page said ${first}`,
			'',
			{ isTransient: true },
		);
	}
}
