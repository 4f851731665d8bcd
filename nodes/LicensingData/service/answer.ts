import { MOST_VALUES } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { Failure } from '../licenses/failure';
import { LARGEST_ANSWER } from './body';

/** What comes back from a request, before anyone has looked at it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Undefined if it was too large to read. */
	body: Uint8Array | undefined;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A license has two levels, and whatever follows in n8n walks its data recursively. */
const DEEPEST = 50;

/** What a JSON text says. */
export function readJson({ body, headers }: Answer): unknown {
	if (body === undefined)
		throw unexpectedAnswer(
			`The answer is larger than ${LARGEST_ANSWER / 1_000_000} MB, the most that this node reads.`,
		);
	const { values, levels } = measure(body);
	if (levels > DEEPEST)
		throw unexpectedAnswer(
			`The answer is nested more than ${DEEPEST} levels deep. A license has two levels.`,
		);
	if (values > MOST_VALUES)
		throw unexpectedAnswer(
			`The answer has more than ${formatCount(MOST_VALUES)} values, the most that this node reads.`,
		);
	const value = parse(body);
	if (value === undefined) throw unexpectedAnswer(describeText(body, headers['content-type']));
	return value;
}

/** The same for whatever may be no JSON at all: undefined then, or if it is out of bounds. */
export function parseJson(body: Uint8Array = new Uint8Array()): unknown {
	const { values, levels } = measure(body);
	return values > MOST_VALUES || levels > DEEPEST ? undefined : parse(body);
}

function parse(body: Uint8Array): unknown {
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
		const value: unknown = JSON.parse(text);
		removePrototypes(value);
		return value;
	} catch {
		return undefined;
	}
}

/** Copying by assignment would turn such a key into a prototype. */
function removePrototypes(value: unknown): void {
	if (typeof value !== 'object' || value === null) return;
	Reflect.deleteProperty(value, '__proto__');
	for (const inner of Object.values(value)) removePrototypes(inner);
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
const SPACE = 0x20;

/** How many values a JSON text holds, and how deep they are nested, before anything is made of it. */
function measure(bytes: Uint8Array): { values: number; levels: number } {
	let values = 1;
	let [level, levels] = [0, 0];
	let isInText = false;
	let hasJustOpened = false;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (isInText) {
			if (byte === BACKSLASH) at++;
			else if (byte === QUOTE) isInText = false;
			continue;
		}
		if (byte <= SPACE) continue;
		if (CLOSING.has(byte)) level--;
		else if (hasJustOpened) values++;
		hasJustOpened = OPENING.has(byte);
		if (hasJustOpened) levels = Math.max(levels, ++level);
		else if (byte === COMMA) values++;
		else if (byte === QUOTE) isInText = true;
	}
	return { values, levels };
}

function describeText(body: Uint8Array, contentType: unknown): string {
	const start = Buffer.from(body.subarray(0, 200)).toString().trimStart();
	if (/^<(!doctype html|html|head|body)/i.test(start) || /html/i.test(String(contentType))) {
		return 'The answer is a web page instead of JSON. If your own network asks for a login, tell whoever runs n8n.';
	}
	return /^[[{]/.test(start)
		? 'The answer is JSON that is cut off, not valid or not in UTF-8.'
		: 'The answer is not JSON.';
}

/**
 * For an answer that cannot be understood. It must never look the same as an empty list: an empty list is a
 * result, and an unreadable answer would hide one.
 */
export const unexpectedAnswer = (what: string): Failure =>
	new Failure(
		'shape',
		'The service sent an answer this node cannot read',
		`${what} Check 'Base URL' and 'API Key' in the Licensing Data credential. If they are right, try again later. If it keeps happening, send this text to the service's support.`,
	);

/** Anything else that is thrown while an answer is read comes from something in it that nobody foresaw. */
export const toFailure = (error: unknown): Failure =>
	error instanceof Failure
		? error
		: unexpectedAnswer('Something in the answer is not as expected.');

/** What came, in a word, for a message about what was expected. */
export function describeValue(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'empty (null)';
	if (typeof value === 'string') return 'text';
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
