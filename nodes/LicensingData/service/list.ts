import { hash } from 'node:crypto';

import { watchForCircle } from '../licenses/circle';
import { Failure } from '../licenses/failure';
import type { LicensePage, ListQuery } from '../licenses/licenseList';
import { unexpectedAnswer } from './answer';
import { toPage } from './page';
import { isRejected } from './refusals';
import type { Service } from './request';

/** A service that fills pages first and filters them afterwards may send many empty ones. */
const EMPTY_PAGES_IN_A_ROW = 100;

/** In records. Services have pages of ten or more. */
const SMALLEST_PAGE = 10;

/** Four times as many as Florida has. No list has more, and all that are read together have not. */
export const MOST_RECORDS = 500_000;

/** A list may grow while it is read, and its total may be off, but not by this much. */
const longest = (total = MOST_RECORDS): number => Math.min(MOST_RECORDS, 10 * total + 10_000);

/**
 * Reads one page of a list. Why there is none is a value, for whoever can go on without the page. A record that is no
 * license spoils its page, unless it may be left out: then `unreadable` names it.
 */
export async function readPage(
	service: Service,
	query: ListQuery,
	mayLeaveOut = false,
): Promise<LicensePage | Failure> {
	const request = { path: '/licenses', query: { ...query } };
	return await service(request, (body, reveals) => {
		const page = toPage(body, reveals, query);
		if (page.unreadable !== undefined && !mayLeaveOut) throw unexpectedAnswer(page.unreadable);
		return page;
	}).catch((error: unknown) => {
		if (!(error instanceof Failure)) throw error;
		return query.cursor !== undefined && isRejected(error) ? refusedCursor(error) : error;
	});
}

export type Pages = AsyncGenerator<LicensePage | Failure, void>;

/**
 * Walks a list, from its first page or from a cursor, to its last. A failure is the last thing that it yields. A list
 * that begins anew by itself, or leads ever on, would never end, and is a failure.
 */
export async function* walk(service: Service, query: ListQuery): Pages {
	const isCircle = watchForCircle();
	let { cursor } = query;
	for (let number = 1, read = 0, empty = 0; ; number++) {
		const page = await readPage(service, { ...query, cursor });
		yield page;
		if (page instanceof Failure || page.cursor === null) return;
		({ cursor } = page);
		read += page.records.length;
		empty = page.records.length === 0 ? empty + 1 : 0;
		const least = Math.max(read, number * SMALLEST_PAGE);
		const isEndless = empty >= EMPTY_PAGES_IN_A_ROW || least > longest(page.total);
		if (isEndless || isCircle(fingerprintOf(page))) {
			yield endless();
			return;
		}
	}
}

/** For whoever cannot go on without the page. */
export function orThrow(page: LicensePage | Failure): LicensePage {
	if (page instanceof Failure) throw page;
	return page;
}

/** Both ends of a page tell it from any other. */
const fingerprintOf = ({ records, cursor }: LicensePage): string =>
	hash('sha256', JSON.stringify([cursor, records[0], records.at(-1)]), 'base64url');

const endless = (): Failure =>
	new Failure(
		'shape',
		'The list of the service does not end',
		"The markers for the next page (cursors) repeat, or lead to no more licenses. Try again later. If it keeps happening, send this text to the service's support.",
	);

/** Only the first page of a list tells whether the address and the filters are right. */
function refusedCursor({ facts }: Failure): Failure {
	return new Failure(
		'status',
		`The service did not accept its own marker for the next page (HTTP ${facts.status})`,
		`The marker (cursor) may have expired. Ask for less at a time, such as one county, with narrower 'Filters' or more words, so that the list ends sooner. If it happens with short lists, too, send this text to the service's support.`,
		facts,
	);
}
