import { decode, LARGEST_ANSWER } from './body';
import { unexpectedAnswer } from '../domain/failure';

/** What comes back from a request, before anyone has looked at it. */
export interface Answer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Undefined if it was too large to read. */
	body: Uint8Array | undefined;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A license has two levels. */
const DEEPEST = 50;

export function readJson(answer: Answer): unknown {
	if (answer.body === undefined)
		throw unexpectedAnswer(
			`The answer is larger than ${LARGEST_ANSWER / 1_000_000} MB, the most that this node reads.`,
		);
	const text = textOf(answer);
	if (text === undefined) {
		throw unexpectedAnswer(
			'The answer is in a character set that this node cannot read. It should be UTF-8.',
		);
	}
	const parsed = parseJson(text);
	if (!parsed) throw unexpectedAnswer(describeText(text, answer.headers['content-type']));
	if (!sanitize(parsed.value)) {
		throw unexpectedAnswer(
			`The answer is nested more than ${DEEPEST} levels deep. A license has two levels.`,
		);
	}
	return parsed.value;
}

export const textOf = ({ body, headers }: Answer): string | undefined =>
	body && decode(body, headers['content-type']);

export function parseJson(text: string): { value: unknown } | undefined {
	try {
		return { value: JSON.parse(text) as unknown };
	} catch {
		return undefined;
	}
}

function describeText(text: string, contentType: unknown): string {
	const start = text.trimStart().slice(0, 200).toLowerCase();
	if (start === '') return 'The answer is empty.';
	if (start.startsWith('<?xml')) return 'The answer is XML instead of JSON.';
	if (/^<(!doctype html|html|head|body)/.test(start) || /html/i.test(String(contentType ?? ''))) {
		return 'The answer is a web page instead of JSON. If your own network asks for a login, tell whoever runs n8n.';
	}
	return /^[[{]/.test(start)
		? 'The answer is JSON that is cut off or not valid.'
		: 'The answer is plain text instead of JSON.';
}

/**
 * Removes `__proto__` keys, which copying by assignment would turn into a prototype. False if the value is
 * nested too deeply for n8n and the nodes that follow, most of which walk their data recursively.
 */
export function sanitize(value: unknown, levels = DEEPEST): boolean {
	if (typeof value !== 'object' || value === null) return true;
	if (levels === 0) return false;
	Reflect.deleteProperty(value, '__proto__');
	for (const inner of Object.values(value)) {
		if (typeof inner === 'object' && !sanitize(inner, levels - 1)) return false;
	}
	return true;
}

const MOST_NAMES = 4;

/** What came, in a few words, for a message about what was expected. */
export function describeValue(value: unknown): string {
	if (value === undefined) return 'missing';
	if (value === null) return 'empty (null)';
	if (typeof value === 'boolean') return String(value);
	if (typeof value === 'number') return 'a number';
	if (typeof value === 'string') return value === '' ? 'an empty text' : 'text';
	if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
	const names = Object.keys(value);
	return names.length === 0 ? 'an empty object' : `an object with ${listNames(names)}`;
}

export function listNames(names: string[]): string {
	const shown = names.slice(0, MOST_NAMES).map((name) => `'${showable(name)}'`);
	const more = names.length - shown.length;
	if (more > 0) return `${shown.join(', ')} and ${more} more`;
	return shown.join(', ').replace(/, ([^,]*)$/, ' and $1');
}

/** A name is not shortened, since half an API key would not be recognized. */
const showable = (name: string): string =>
	name.length > 40 || /[\p{Cc}\p{Cf}\p{Cs}]/u.test(name) ? '…' : name;
