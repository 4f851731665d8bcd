import type { Answer } from './answer';
import { isObject, parseJson, textOf } from './answer';
import type { Redactor } from './redaction';

const LONGEST_MESSAGE = 300;
/** Anything longer is not a message, and searching it for a key would take long. */
const LONGEST_TEXT = 2_000;
const MOST_DETAILS = 5;
const LONGEST_ID = 100;

/** Where services name the field that a message refers to. */
const FIELDS = ['field', 'param', 'parameter', 'pointer', 'loc', 'source'];

/** Where services commonly put what they have to say, in the order in which it reads best. */
const PLACES = [
	...['error', 'title', 'message', 'error_description', 'detail', 'details', 'msg', 'reason'],
	'description',
];

/** What the service says about an answer that is not what was asked for; all of it is safe to show. */
export function saidIn(answer: Answer, { redact }: Redactor): Said {
	const text = textOf(answer) ?? '';
	const parsed = parseJson(text);
	const { error, meta, ...body } = isObject(parsed?.value) ? parsed.value : {};
	const found = parsed === undefined ? plainText(text) : wordsIn(parsed.value);
	// Without words, the kind of the error is better than nothing.
	const kind = isObject(error) ? (error.type ?? error.code) : undefined;
	const words = sentencesOf(found) || sentencesOf(typeof kind === 'string' ? [kind] : []);
	const ids = [{ requestId: answer.headers['x-request-id'] }, body, error, meta].map((place) =>
		isObject(place) ? (place.requestId ?? place.request_id) : undefined,
	);
	const id = clean(String(ids.find((given) => typeof given === 'string') ?? ''));
	// Cut only after the key is removed: half a key would not be recognized.
	const said = redact(words);
	return {
		...(said !== '' && {
			serviceMessage: said.length > LONGEST_MESSAGE ? `${said.slice(0, LONGEST_MESSAGE)}…` : said,
		}),
		...(id !== '' && id.length <= LONGEST_ID && { requestId: redact(id) }),
	};
}

interface Said {
	serviceMessage?: string;
	/** What the service calls the request. */
	requestId?: string;
}

function sentencesOf(found: string[]): string {
	const sentences = new Set(found.slice(0, 2 * MOST_DETAILS).map(clean));
	sentences.delete('');
	return [...sentences].map((one) => (/[.!?:]$/.test(one) ? one : `${one}.`)).join(' ');
}

/** A proxy or a gateway may send plain text, but a web page says nothing that helps. */
const plainText = (text: string): string[] =>
	text.length > LONGEST_MESSAGE || /[<{[\ufffd]/.test(text) ? [] : [text];

function wordsIn(value: unknown, levels = 5): string[] {
	if (typeof value === 'string') return [value];
	if (levels === 0 || typeof value !== 'object' || value === null) return [];
	if (Array.isArray(value)) {
		return value.slice(0, MOST_DETAILS).flatMap((inner) => wordsIn(inner, levels - 1));
	}
	const found = PLACES.flatMap((place) => wordsIn(ownValue(value, place), levels - 1));
	const [field] = FIELDS.flatMap((name) => fieldIn(ownValue(value, name)));
	if (field !== undefined) return found.map((words) => `${field}: ${words}`);
	const errors = ownValue(value, 'errors');
	return [
		...found,
		...(isObject(errors) ? wordsByField(errors, levels) : wordsIn(errors, levels - 1)),
	];
}

/** What is wrong with each field: `{ "county": ["is unknown"] }`. */
const wordsByField = (errors: object, levels: number): string[] =>
	Object.entries(errors)
		.slice(0, MOST_DETAILS)
		.flatMap(([field, inner]) => wordsIn(inner, levels - 1).map((words) => `${field}: ${words}`));

/** `"limit"`, `["query", "limit"]`, or `{ "parameter": "limit" }`, of which the last part is what the user knows. */
function fieldIn(value: unknown): string[] {
	if (Array.isArray(value)) return fieldIn(value.findLast((part) => typeof part === 'string'));
	if (isObject(value)) return FIELDS.flatMap((name) => fieldIn(ownValue(value, name)));
	const name = typeof value === 'string' ? value.split('/').at(-1) : '';
	return name ? [name] : [];
}

const ownValue = (value: object, name: string): unknown =>
	Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;

/**
 * Control characters would break n8n's log lines, and invisible marks could reorder the text. The result is
 * shown in double quotes, so it holds none.
 */
const clean = (words: string): string =>
	withoutHalfWord(words)
		.replace(/<[^<>]*>/g, ' ')
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
		.replaceAll('"', "'")
		.trim();

/** Cuts a long text after its last whole word, since half a key would not be recognized. */
const withoutHalfWord = (text: string): string =>
	text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT).replace(/\S*$/, '') : text;
