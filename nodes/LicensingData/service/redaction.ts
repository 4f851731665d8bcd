/** A shorter one would be found in ordinary words. */
const SHORTEST_SECRET = 8;
const PREFIX = /^[a-z]+_[a-z]+_/;
const LIKE_A_KEY = /\b(?:ls_(?:live|test)|whsec)_[\w-]+/gi;

/** What replaces a key. */
const REMOVED = '[hidden API key]';

/** Finds one API key in what the service sends, which may repeat it in a message, a cursor or an ID. */
export interface Redactor {
	/** Whether the text gives the key away, as it is or percent-encoded. */
	reveals(text: string): boolean;
	/** The text without the words that hold the key, and without anything that looks like one. */
	redact(text: string): string;
}

export function redactorFor(apiKey: unknown): Redactor {
	const key = typeof apiKey === 'string' ? apiKey.trim() : '';
	const withoutPrefix = key.replace(PREFIX, '');
	// The prefix is no secret; the part after it is, even by itself.
	const secret = (withoutPrefix.length >= SHORTEST_SECRET ? withoutPrefix : key).toLowerCase();
	const isSecret = secret.length >= SHORTEST_SECRET;
	const reveals = (text: string): boolean =>
		isSecret && [text, withoutPercents(text)].some((one) => one.toLowerCase().includes(secret));
	const redact = (text: string): string =>
		text
			.split(/(\s+)/)
			.map((part) => (reveals(part) ? REMOVED : part))
			.join('')
			.replace(LIKE_A_KEY, REMOVED);
	return { reveals, redact };
}

const withoutPercents = (text: string): string =>
	text.replace(/%([\da-f]{2})/gi, (_, code: string) =>
		String.fromCodePoint(Number.parseInt(code, 16)),
	);
