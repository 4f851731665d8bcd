import { describeValue, isObject, unexpectedAnswer } from './answer';
import { notInData, toLicenses } from './records';
import type { LicensePage, ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';

/** How many records the service sends when the request does not say. */
const DEFAULT_LIMIT = 10;

/** Most servers and proxies accept an address of about this length. */
const SENDABLE = /^[^\p{Cc}\p{Cs}]{0,8000}$/u;

/** The interface has `cursor`; public documentation of like services shows the others. */
const CURSOR_NAMES = ['next_cursor', 'cursor'];
const MORE_NAMES = ['hasMore', 'has_more'];

/** Users may know neither term, but the service's support knows the second. */
const MARKER = 'the marker for the next page (cursor)';
const UNKNOWN_END = 'This node cannot tell whether there are more licenses';

/** Whether a text from the service gives the API key away. */
type Reveals = (text: string) => boolean;

/** Reads the page that a query asked for. */
export function toPage(body: unknown, reveals: Reveals, query: ListQuery): LicensePage {
	if (!isObject(body) || !Array.isArray(body.data)) {
		throw notInData('a list of licenses', body);
	}
	const { data: list, pagination = null, ...beside } = body;
	const { licenses: records, unreadable } = toLicenses(list as unknown[]);
	if (records.length === 0 && unreadable !== undefined) throw unexpectedAnswer(unreadable);
	if (pagination !== null && !isObject(pagination)) {
		throw unexpectedAnswer(`${UNKNOWN_END}: 'pagination' is ${describeValue(pagination)}.`);
	}
	// What `pagination` should hold may stand beside `data` instead.
	const said = pagination ?? beside;
	const given = valueOf(said, CURSOR_NAMES);
	const cursor = readCursor(given, reveals);
	const more = valueOf(said, MORE_NAMES);
	const hasMore = typeof more === 'boolean' ? more : Boolean(cursor);
	if (hasMore && !cursor) {
		throw unexpectedAnswer(`There are more licenses, but ${MARKER} is missing.`);
	}
	// If nothing says whether the list goes on, only a page that is not full can be its last.
	const { limit = DEFAULT_LIMIT } = query;
	const isFull = list.length >= Math.min(limit, countOrUndefined(said.limit) || limit);
	if (typeof more !== 'boolean' && given === undefined && isFull) {
		throw unexpectedAnswer(`${UNKNOWN_END}.`);
	}
	const total = countOrUndefined(said.total);
	if (records.length === 0 && query.cursor === undefined && total) {
		throw unexpectedAnswer(`The service announces ${formatCount(total)} licenses, but sent none.`);
	}
	return { records, cursor: hasMore ? (cursor ?? null) : null, total, unreadable };
}

/** The first of these names that has a value, even if it is null. */
const valueOf = (said: Record<string, unknown>, names: string[]): unknown =>
	names.map((name) => said[name]).find((value) => value !== undefined);

function readCursor(cursor: unknown, reveals: Reveals): string | undefined {
	if (cursor === undefined || cursor === null) return undefined;
	if (typeof cursor !== 'string' || !SENDABLE.test(cursor) || reveals(cursor)) {
		throw unexpectedAnswer(
			`In the answer, ${MARKER} should be text of at most 8000 characters that does not contain the API key. It was not sent.`,
		);
	}
	return cursor;
}

const countOrUndefined = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
