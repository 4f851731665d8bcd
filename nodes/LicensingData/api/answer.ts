import { Failure } from './failure';
import type { License, LicensePage } from './types';

/** What a request brings back, before anyone has looked at it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Undefined where it was too large to be read. */
	body: string | undefined;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A license has two levels. */
const DEEPEST = 50;

/** The interface allows fifty; a service that gives more is believed, within reason. */
const MOST_RECORDS = 1_000;

/** It goes into an address, and most servers take no longer ones. */
const LONGEST_CURSOR = 8_000;

function toRecords(list: unknown, otherwise: string): License[] {
	if (!Array.isArray(list) || !list.every(isObject)) throw misshapen(otherwise);
	if (list.length > MOST_RECORDS) throw misshapen('It held far more licenses than a page can.');
	return list as License[];
}

export function misshapen(what: string, said?: string): Failure {
	return new Failure(
		'shape',
		'The answer was not what the service describes',
		`${what} If 'Base URL' in the Licensing Data credential is right, try again later, and tell the service's support if it lasts.`,
		{ said },
	);
}

/**
 * An empty list and an answer that makes no sense must never look the same: the first is news,
 * the second would hide it.
 */
export function readJson(answer: Answer): unknown {
	if (answer.body === undefined) throw misshapen('It was far larger than a page of licenses.');
	const text = answer.body.replace(/^\uFEFF/, '');
	if (text.trim() === '') throw misshapen('It was empty.');
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		const type = String(answer.headers['content-type'] ?? '');
		throw misshapen(
			/html/i.test(type) ? 'It was a web page, not data.' : 'It was not complete JSON.',
		);
	}
	if (!tame(body)) throw misshapen('It was nested far deeper than a license.');
	return body;
}

/**
 * Takes out `__proto__` keys, which a copy made by assignment would take for a prototype. False where the
 * value is too deep for n8n and the nodes that follow, most of which walk through their data by recursion.
 */
export function tame(value: unknown, levels = DEEPEST): boolean {
	if (typeof value !== 'object' || value === null) return true;
	if (levels === 0) return false;
	Reflect.deleteProperty(value, '__proto__');
	return Object.values(value).every((inner) => tame(inner, levels - 1));
}

export function readPage(body: unknown): LicensePage {
	const { data: list, pagination } = isObject(body) ? body : {};
	const data = toRecords(list, "It held no list of licenses in 'data'.");
	if (!isObject(pagination)) throw misshapen("It held no 'pagination'.");
	const { cursor = null, hasMore, total } = pagination;
	if (cursor !== null && typeof cursor !== 'string') {
		throw misshapen('Its cursor was not a text.');
	}
	if (cursor !== null && (cursor.length > LONGEST_CURSOR || /\p{Cs}/u.test(cursor))) {
		throw misshapen('Its cursor was a text that cannot be sent.');
	}
	const more = typeof hasMore === 'boolean' ? hasMore : cursor !== null && cursor !== '';
	if (more && !cursor) {
		throw misshapen('It announced a further page but gave no cursor to read it with.');
	}
	return {
		data,
		pagination: {
			cursor: more ? cursor : null,
			hasMore: more,
			total: countOrUndefined(total),
		},
	};
}

export function readRecord(body: unknown): License {
	if (!isObject(body) || !isObject(body.data)) throw misshapen("It held no license in 'data'.");
	return body.data;
}

/** The interface does not show this answer's shape, so a page, a bare `data` and a bare array all count. */
export function readSearch(body: unknown): License[] {
	return toRecords(isObject(body) ? body.data : body, 'It held no list of licenses.');
}

const countOrUndefined = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The service's own words, where an Error body has some. */
export function serviceMessage(answer: Answer): string | undefined {
	try {
		const body = JSON.parse(answer.body ?? '') as unknown;
		const error = isObject(body) ? body.error : undefined;
		const message = isObject(error) ? error.message : error;
		if (typeof message !== 'string') return undefined;
		// Control characters would break n8n's log lines.
		const words = message.replace(/[\p{Cc}\s]+/gu, ' ').trim();
		return words === '' ? undefined : words;
	} catch {
		return undefined;
	}
}
