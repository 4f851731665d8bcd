import { Failure } from '../licenses/failure';
import { FINDINGS, type License, licenseKey } from '../licenses/license';
import { formatCount, isObject, textOf } from '../licenses/text';

/** What comes back from a request, before anyone has looked at it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Undefined if it was too large to read. */
	body: Uint8Array | undefined;
}

/*
 * Whatever a service sends is bounded by these numbers. What comes behind relies on them, and defends itself no second
 * time.
 */

/**
 * In bytes, unpacked. Fifty licenses take about 50 KB, and with long texts ten times as much. Up to a hundred lists are
 * read side by side, with two answers each.
 */
const MAX_ANSWER = 1_000_000;
/** A license has two levels, and whatever follows in n8n walks its data recursively. */
const MAX_LEVELS = 50;
/** In one answer. A page of fifty licenses has about two thousand. */
const MAX_VALUES = 20_000;
/** In characters of JSON. A license is about a thousand. */
const MAX_RECORD = 100_000;
/** In characters. */
export const MAX_ID = 300;

/** What n8n returns as the body for `encoding: 'stream'`. */
type Stream = AsyncIterable<Uint8Array> & {
	destroy(): void;
	once(event: 'data', listener: () => void): void;
	readableDidRead: boolean;
};

/**
 * The bytes of an answer, or undefined if there are too many. n8n sets no limit of its own. Leaving the
 * stream before its end closes the connection.
 */
export async function readBytes(body: unknown): Promise<Uint8Array | undefined> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of body as Stream) {
		size += part.length;
		if (size > MAX_ANSWER) return undefined;
		parts.push(part);
	}
	return Buffer.concat(parts, size);
}

/** For an answer that nobody is waiting for anymore: it would go on filling memory. */
export function discard(body: unknown): void {
	const stream = body as Stream;
	// n8n's stream releases the connection only once something has been read from it.
	if (stream.readableDidRead) stream.destroy();
	else stream.once('data', () => stream.destroy());
}

/** What a JSON text says. */
export function readJson({ body, headers }: Pick<Answer, 'body' | 'headers'>): unknown {
	if (body === undefined) throw tooMuch(`is larger than ${MAX_ANSWER / 1_000_000} MB`);
	let value: unknown;
	try {
		value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
	} catch {
		throw unexpectedAnswer(describeText(body, headers['content-type']));
	}
	expectBounds(value);
	return value;
}

/** What a text says that may not be JSON: undefined then, or if it is out of bounds. */
export function parseJson(body: Uint8Array | undefined): unknown {
	try {
		return readJson({ body, headers: {} });
	} catch {
		return undefined;
	}
}

/** Keys that copying by assignment would turn into a prototype go on the way. */
function expectBounds(value: unknown, level = 0, seen = { values: 0 }): void {
	if (++seen.values > MAX_VALUES) throw tooMuch(`has more than ${formatCount(MAX_VALUES)} values`);
	if (typeof value !== 'object' || value === null) return;
	if (level >= MAX_LEVELS) throw tooMuch(`is nested more than ${MAX_LEVELS} levels deep`);
	Reflect.deleteProperty(value, '__proto__');
	for (const inner of Object.values(value)) expectBounds(inner, level + 1, seen);
}

function describeText(body: Uint8Array, contentType: unknown): string {
	const start = Buffer.from(body.subarray(0, 200)).toString().trimStart();
	if (/^<(!doctype html|html|head|body)/i.test(start) || /html/i.test(String(contentType)))
		return 'The answer is a web page instead of JSON. If your own network asks for a login, tell whoever runs n8n.';
	return 'The answer is not JSON, or is cut off or not in UTF-8.';
}

/**
 * For an answer that cannot be understood. It must never look the same as an empty list: an empty list is a
 * result, and an unreadable answer would hide one.
 */
export const unexpectedAnswer = (what: string): Failure =>
	new Failure(
		'The service sent an answer this node cannot read',
		`${what} Check 'Base URL' and 'API Key' in the Licensing Data credential. If they are right, try again later. If it keeps happening, send this text to the service's support.`,
	);

const tooMuch = (what: string): Failure =>
	unexpectedAnswer(`The answer ${what}, the most that this node reads.`);

/** For an answer whose `data` is not what it should be. */
export const notInData = (what: string, fault = 'is not'): Failure =>
	unexpectedAnswer(`In the answer, 'data' should be ${what}, but ${fault}.`);

/**
 * Sorts out what is no license, which would come out as an item of nulls. `unreadable` is what is wrong with each
 * of them.
 */
export function toLicenses(list: unknown[]): { records: License[]; unreadable: string[] } {
	const records: License[] = [];
	const unreadable: string[] = [];
	list.forEach((value, index) => {
		const fault = faultOf(value);
		if (fault === undefined) return void records.push(value as License);
		const name = isObject(value) ? licenseKey(value) : undefined;
		const record = `Record ${index + 1} of ${list.length}${name ? ` (${name})` : ''}`;
		unreadable.push(`${record} should be a license, but ${fault}`);
	});
	return { records, unreadable };
}

/**
 * Why a value is no license; undefined for one. A text that is too long to be an ID is none, and goes; so does what
 * would pass for a finding of the node.
 */
export function faultOf(value: unknown): string | undefined {
	if (!isObject(value)) return 'is not an object';
	for (const name of ['id', 'licenseNumber'])
		if (textOf(value[name]).length > MAX_ID) Reflect.deleteProperty(value, name);
	for (const name of FINDINGS) Reflect.deleteProperty(value, name);
	const { businessName, licenseType, status, address } = value;
	const saysMore = [businessName, licenseType, status, ...Object.values(address ?? {})].some(
		textOf,
	);
	if (!textOf(value.id) && !textOf(value.licenseNumber))
		return "has neither an 'id' nor a 'licenseNumber'";
	if (!saysMore) return 'has no name, type, status or address';
	return JSON.stringify(value).length > MAX_RECORD
		? `is larger than ${MAX_RECORD / 1000} KB`
		: undefined;
}
