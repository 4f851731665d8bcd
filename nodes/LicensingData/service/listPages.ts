import { hash } from 'node:crypto';

import { Failure } from '../licenses/failure';
import { licenseKey, type LicensePage, type ListPage, type ListQuery } from '../licenses/license';
import { formatCount, isObject } from '../licenses/text';
import { notInData, toLicenses, unexpectedAnswer } from './answer';
import type { Service } from './client';
import { isRejected } from './httpFailures';

/** The most licenses that the service puts on one page. */
export const MAX_PAGE_SIZE = 50;

/** In a row. A service that fills pages first and filters them afterwards may send many empty ones. */
const MAX_EMPTY_PAGES = 100;

/** In records. Services have pages of ten or more. */
const MIN_PAGE_SIZE = 10;

/** Four times as many as Florida has. No list has more, and all that are read together have not. */
export const MAX_RECORDS = 500_000;

/** A list may grow while it is read, and its total may be off, but not by this much. */
const maxLength = (total = MAX_RECORDS): number => Math.min(MAX_RECORDS, 10 * total + 10_000);

/**
 * Reads one page of a list. A record that is no license spoils its page, unless it may be left out: then `unreadable`
 * names it.
 */
export async function readPage(
	service: Service,
	query: ListQuery,
	mayLeaveOut = false,
): Promise<LicensePage> {
	const request = { path: '/licenses', query: { ...query } };
	return await service(request, (body, reveals) => {
		const page = toPage(body, reveals, query);
		const [unreadable] = page.unreadable ?? [];
		if (unreadable !== undefined && !(mayLeaveOut && page.records.length > 0))
			throw unexpectedAnswer(`${unreadable}.`);
		return page;
	}).catch((error: unknown) => {
		throw query.cursor !== undefined && isRejected(error) ? rejectedCursor(error) : error;
	});
}

/** A list whose first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: AsyncGenerator<LicensePage, void>;
}

export async function openList(service: Service, query: ListQuery): Promise<OpenList> {
	const rest = walk(service, query);
	return { query, first: await nextPage(rest), rest };
}

/** Nobody chose these values: a service that does not know one may refuse it, and has nothing under it. */
export const openPart = async (service: Service, query: ListQuery): Promise<OpenList> =>
	await openList(service, query).catch((error: unknown) => {
		if (!isRejected(error)) throw error;
		return { query, first: { records: [], cursor: null, total: 0 }, rest: walk(service, query) };
	});

/** Where the page before says that there is another. */
export const nextPage = async (pages: OpenList['rest']): Promise<LicensePage> =>
	(await pages.next()).value as LicensePage;

/** NaN if the service does not say. A list that ends with its first page needs no total. */
export const totalOf = ({ first: { records, cursor, total } }: OpenList): number =>
	cursor === null ? records.length : (total ?? Number.NaN);

/**
 * Walks a list, from its first page or from a cursor, to its last. A list that begins anew by itself, or leads ever
 * on, would never end, and is a failure.
 */
async function* walk(service: Service, query: ListQuery): OpenList['rest'] {
	const isEndless = endlessDetector(licenseKey);
	for (let { cursor } = query; ; ) {
		const page = await readPage(service, { ...query, cursor });
		if (page.cursor === null) return void (yield page);
		({ cursor } = page);
		const neverEnds = isEndless(page);
		// Whoever takes it may empty it, so that it does not stay in memory until the next one is read.
		yield page;
		if (neverEnds) throw endless();
	}
}

/** Given one page of a walk after another, returns true once it would never end. */
export function endlessDetector<Entry>(
	idOf: (entry: Entry) => unknown,
): (page: ListPage<Entry>) => boolean {
	const isCircle = cycleDetector();
	let [pages, read, empty] = [0, 0, 0];
	return (page) => {
		read += page.records.length;
		empty = page.records.length === 0 ? empty + 1 : 0;
		const min = Math.max(read, ++pages * MIN_PAGE_SIZE);
		const isTooLong = empty >= MAX_EMPTY_PAGES || min > maxLength(page.total);
		// What else a record says may change from one reading to the next.
		const ids = JSON.stringify([page.cursor, page.records.map(idOf)]);
		return isTooLong || isCircle(hash('sha256', ids, 'base64url'));
	};
}

/**
 * Given one page of a walk after another, returns true once the walk repeats itself. It is Brent's algorithm: it
 * keeps one page to compare with, and takes a later one twice as far on, so it finds a cycle of any length
 * within three times that length.
 */
function cycleDetector(): (page: string) => boolean {
	let [kept, power, steps] = ['', 1, 0];
	return (page) => {
		if (page === kept) return true;
		if (++steps === power) [kept, power, steps] = [page, power * 2, 0];
		return false;
	};
}

export const endless = (): Failure =>
	new Failure(
		"The service's list never ends",
		"The markers for the next page (cursors) repeat, or lead to empty pages. Try again later. If it keeps happening, send this text to the service's support.",
	);

/** Only the first page of a list tells whether the address and the filters are right. */
const rejectedCursor = ({ facts }: Failure): Failure =>
	new Failure(
		`The service did not accept its own marker for the next page (HTTP ${facts.status})`,
		`The marker (cursor) may have expired. Narrow 'Filters', for example to one county, or add words to the search, so that the list ends sooner. If it happens with short lists, too, send this text to the service's support.`,
		facts,
	);

/** How many records the service sends when the request does not say. */
const DEFAULT_LIMIT = 10;

/** Most servers and proxies accept an address of about this length. */
const SENDABLE = /^[^\p{Cc}\p{Cs}]{0,8000}$/u;

/** Users may know neither term, but the service's support knows the second. */
const MARKER = 'the marker for the next page (cursor)';
const UNKNOWN_END = 'This node cannot tell whether there are more licenses';

/** Tells whether a text from the service gives the API key away. */
type Reveals = (text: string) => boolean;

function toPage(body: unknown, reveals: Reveals, query: ListQuery): LicensePage {
	if (!isObject(body) || !Array.isArray(body.data)) throw notInData('a list of licenses');
	const { data: list, pagination = null, ...beside } = body;
	const { records, unreadable } = toLicenses(list as unknown[]);
	if (pagination !== null && !isObject(pagination))
		throw unexpectedAnswer(`${UNKNOWN_END}: 'pagination' is not an object.`);
	// What `pagination` should hold may stand beside `data` instead. The interface has `cursor` and `hasMore`; public
	// documentation of like services shows the other names.
	const said = pagination ?? beside;
	const given = 'next_cursor' in said ? said.next_cursor : said.cursor;
	const cursor = readCursor(given, reveals);
	const more = said.hasMore ?? said.has_more;
	const hasMore = typeof more === 'boolean' ? more : Boolean(cursor);
	if (hasMore && !cursor)
		throw unexpectedAnswer(`There are more licenses, but ${MARKER} is missing.`);
	// If nothing says whether the list goes on, only a page that is not full can be its last.
	const { limit = DEFAULT_LIMIT } = query;
	const isFull = list.length >= Math.min(limit, countOrUndefined(said.limit) || limit);
	if (typeof more !== 'boolean' && given === undefined && isFull)
		throw unexpectedAnswer(`${UNKNOWN_END}.`);
	const total = countOrUndefined(said.total);
	if (list.length === 0 && query.cursor === undefined && total)
		throw unexpectedAnswer(`The service announces ${formatCount(total)} licenses, but sent none.`);
	return { records, cursor: hasMore ? cursor : null, total, unreadable };
}

/** Null if there is none. */
function readCursor(cursor: unknown, reveals: Reveals): string | null {
	if (cursor === undefined || cursor === null) return null;
	if (typeof cursor !== 'string' || !SENDABLE.test(cursor) || reveals(cursor))
		throw unexpectedAnswer(
			`In the answer, ${MARKER} is not plain text, is longer than 8000 characters, or contains the API key. The node did not use it.`,
		);
	return cursor;
}

const countOrUndefined = (value: unknown): number | undefined =>
	Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
