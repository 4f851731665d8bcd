import { describeValue, isObject, listNames } from './answer';
import { unexpectedAnswer } from '../domain/failure';
import { notInData, toLicenses } from './records';
import type { LicensePage, Pagination } from '../domain/licenseList';

/** How many records the service sends when the request does not say. */
const DEFAULT_LIMIT = 10;

/** In characters of an address. Most servers and proxies accept about this many. */
const LONGEST_CURSOR = 8_000;

/** What other services call the interface's `cursor` and `hasMore`. */
const OTHER_NAMES = /cursor|next|more/i;

/** Users may know neither term, but the service's support knows the second. */
const MARKER = 'the marker for the next page (cursor)';
const UNKNOWN_END = 'This node cannot tell whether there are more licenses';

/** Whether a text from the service gives the API key away. */
type Reveals = (text: string) => boolean;

/** Reads the answer to a request for up to `limit` records. */
export function toPage(body: unknown, reveals: Reveals, limit = DEFAULT_LIMIT): LicensePage {
	const { data: list, pagination } = isObject(body) ? body : {};
	if (!Array.isArray(list)) {
		throw notInData('a list of licenses', body);
	}
	const data = toLicenses(list);
	if (!isObject(pagination)) {
		throw unexpectedAnswer(`${UNKNOWN_END}: 'pagination' is ${describeValue(pagination)}.`);
	}
	return { data, pagination: readPagination(pagination, reveals, data.length, limit) };
}

function readPagination(
	pagination: Record<string, unknown>,
	reveals: Reveals,
	length: number,
	asked: number,
): Pagination {
	const { hasMore, total } = pagination;
	const cursor = readCursor(pagination.cursor, reveals);
	const hasNext = typeof hasMore === 'boolean' ? hasMore : Boolean(cursor);
	if (hasNext && !cursor) {
		throw unexpectedAnswer(`There are more licenses, but ${MARKER} is missing.`);
	}
	// The interface ends a list with a cursor that is null, not with one that is missing.
	if (typeof hasMore !== 'boolean' && pagination.cursor === undefined) {
		expectLastPage(pagination, length, asked);
	}
	return {
		cursor: hasNext ? (cursor ?? null) : null,
		hasMore: hasNext,
		total: countOrUndefined(total),
	};
}

function readCursor(cursor: unknown, reveals: Reveals): string | undefined {
	if (cursor === undefined || cursor === null) return undefined;
	if (typeof cursor !== 'string') {
		throw unexpectedAnswer(
			`In the answer, ${MARKER} should be text, but is ${describeValue(cursor)}.`,
		);
	}
	if (/[\p{Cc}\p{Cs}]/u.test(cursor)) {
		throw unexpectedAnswer(`In the answer, ${MARKER} has characters that cannot be sent.`);
	}
	const { length } = encodeURIComponent(cursor);
	if (length > LONGEST_CURSOR) {
		throw unexpectedAnswer(
			`In the answer, ${MARKER} is longer than an address can be: ${length} characters, of at most ${LONGEST_CURSOR}.`,
		);
	}
	if (reveals(cursor)) {
		throw unexpectedAnswer(
			`In the answer, ${MARKER} contains the API key, so the marker was not sent.`,
		);
	}
	return cursor;
}

/** If nothing says whether the list goes on, only a page that is not full can be its last. */
function expectLastPage(
	{ hasMore, limit, ...others }: Record<string, unknown>,
	length: number,
	asked: number,
): void {
	if (hasMore !== undefined && hasMore !== null) {
		throw unexpectedAnswer(
			`${UNKNOWN_END}: 'hasMore' should be true or false, but is ${describeValue(hasMore)}.`,
		);
	}
	const names = Object.keys(others).filter((name) => OTHER_NAMES.test(name));
	if (names.length > 0) {
		throw unexpectedAnswer(
			`${UNKNOWN_END}: instead of 'cursor' and 'hasMore', 'pagination' has ${listNames(names)}.`,
		);
	}
	if (length >= Math.min(asked, countOrUndefined(limit) || asked)) {
		throw unexpectedAnswer(
			`${UNKNOWN_END}: the page is full, and 'pagination' has neither 'cursor' nor 'hasMore'.`,
		);
	}
}

const countOrUndefined = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
