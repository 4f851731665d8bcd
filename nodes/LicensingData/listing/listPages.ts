import { hash } from 'node:crypto';

import { MOST_WAITING } from '../licenses/bounds';
import { watchForCircle } from '../licenses/circle';
import { cannotGoOn, Failure } from '../licenses/failure';
import type { FetchPage, LicensePage, ListQuery } from '../licenses/licenseList';
import type { HeldBytes } from '../licenses/waitingBytes';

/** A list whose first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: AsyncGenerator<LicensePage, void>;
}

export async function openList(
	fetchPage: FetchPage,
	query: ListQuery,
	held: HeldBytes,
): Promise<OpenList> {
	const rest = readPages(fetchPage, query);
	const { value: first } = (await rest.next()) as IteratorYieldResult<LicensePage>;
	held.add(first.bytes ?? 0);
	if (held.bytes > MOST_WAITING) throw tooMuch();
	return { query, first, rest };
}

/** NaN if the service does not say. */
export const totalOf = ({ first }: OpenList): number => first.total ?? Number.NaN;

/** A service that fills pages first and filters them afterwards may send many empty ones. */
const EMPTY_PAGES_IN_A_ROW = 100;

/** In records. Services have pages of ten or more. */
const SMALLEST_PAGE = 10;

/** More than Florida has. A list may grow while it is read, and its total may be off, but not by this much. */
const LONGEST_LIST = 2_000_000;
const longest = (total = LONGEST_LIST): number => Math.min(LONGEST_LIST, 10 * total + 10_000);

/** Reads a list from its first page to its last. One that begins anew by itself would never end, and is a failure. */
async function* readPages(
	fetchPage: FetchPage,
	query: ListQuery,
): AsyncGenerator<LicensePage, void> {
	const isCircle = watchForCircle();
	let cursor: string | undefined;
	for (let number = 1, read = 0, empty = 0; ; number++) {
		const page = await fetchPage({ ...query, cursor });
		yield page;
		if (page.cursor === null) return;
		({ cursor } = page);
		read += page.records.length;
		empty = page.records.length === 0 ? empty + 1 : 0;
		const least = Math.max(read, number * SMALLEST_PAGE);
		const isEndless = empty >= EMPTY_PAGES_IN_A_ROW || least > longest(page.total);
		if (isEndless || isCircle(fingerprintOf(page))) throw endless();
	}
}

const fingerprintOf = ({ records, cursor }: LicensePage): string =>
	hash('sha256', JSON.stringify([cursor, records]), 'base64url');

const endless = (): Failure =>
	new Failure(
		'shape',
		'The list of the service does not end',
		"The markers for the next page (cursors) repeat, or lead to no more licenses. Try again later. If it keeps happening, send this text to the service's support.",
	);

const tooMuch = (): Failure =>
	cannotGoOn(
		'The lists are too large to be read side by side',
		`Their first pages alone take more than ${MOST_WAITING / 1_000_000} MB. Choose fewer values in 'Filters'.`,
	);
