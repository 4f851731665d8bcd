import { Failure } from './failure';
import type { License, LicensePage } from './types';

/** What a request brings back, before anyone has looked at it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const isListOfRecords = (value: unknown): value is License[] =>
	Array.isArray(value) && value.every(isObject);

export function misshapen(what: string): Failure {
	return new Failure(
		'shape',
		'The answer was not what the service describes',
		`${what} If 'Base URL' in the Licensing Data credential is right, try again later, and tell the service's support if it lasts.`,
	);
}

/**
 * An empty list and an answer that makes no sense must never look the same: the first is news,
 * the second would hide it.
 */
export function readJson(answer: Answer): unknown {
	const text = typeof answer.body === 'string' ? answer.body.replace(/^\uFEFF/, '') : '';
	if (text.trim() === '') throw misshapen('It was empty.');
	try {
		return JSON.parse(text);
	} catch {
		const type = String(answer.headers['content-type'] ?? '');
		throw misshapen(
			/html/i.test(type) ? 'It was a web page, not data.' : 'It was not complete JSON.',
		);
	}
}

export function readPage(body: unknown): LicensePage {
	if (!isObject(body) || !isListOfRecords(body.data)) {
		throw misshapen("It held no list of licenses in 'data'.");
	}
	if (!isObject(body.pagination)) throw misshapen("It held no 'pagination'.");
	const { cursor = null, hasMore, total, limit } = body.pagination;
	if (cursor !== null && typeof cursor !== 'string') {
		throw misshapen('Its cursor was not a text.');
	}
	const more = typeof hasMore === 'boolean' ? hasMore : cursor !== null && cursor !== '';
	if (more && !cursor) {
		throw misshapen('It announced a further page but gave no cursor to read it with.');
	}
	return {
		data: body.data,
		pagination: {
			cursor: more ? cursor : null,
			hasMore: more,
			total: countOrUndefined(total),
			limit: countOrUndefined(limit),
		},
	};
}

export function readRecord(body: unknown): License {
	if (!isObject(body) || !isObject(body.data)) throw misshapen("It held no license in 'data'.");
	return body.data;
}

/** The interface does not show this answer's shape, so a page, a bare `data` and a bare array all count. */
export function readSearch(body: unknown): License[] {
	const list = isObject(body) ? body.data : body;
	if (!isListOfRecords(list)) throw misshapen('It held no list of licenses.');
	return list;
}

const countOrUndefined = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The service's own words, where an Error body has some. */
export function serviceMessage(answer: Answer): string | undefined {
	try {
		const body = JSON.parse(String(answer.body)) as unknown;
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
