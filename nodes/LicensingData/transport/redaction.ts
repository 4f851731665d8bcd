/** A shorter one would be found in ordinary words. */
const SHORTEST_SECRET = 8;
const PREFIX = /^[a-z]+_[a-z]+_/;
const LIKE_A_KEY = /\b(?:ls_(?:live|test)|whsec)_[\w-]+/gi;

/** What replaces a key. */
const REMOVED = '[hidden API key]';

/** Finds one API key in what the service sends, which may repeat it in a message, a cursor or an ID. */
export interface Redactor {
	/** Whether the text gives the key away, as it is or in one of the usual encodings. */
	reveals(text: string): boolean;
	/** The text without the key, and without anything that looks like one. */
	redact(text: string): string;
}

export function redactorFor(apiKey: string): Redactor {
	const withoutPrefix = apiKey.replace(PREFIX, '');
	// The prefix is no secret; the part after it is, even by itself.
	const secret = (withoutPrefix.length >= SHORTEST_SECRET ? withoutPrefix : apiKey).toLowerCase();

	const reveals = (text: string, encodings = 2): boolean => {
		const lower = text.toLowerCase();
		if (lower.includes(secret)) return true;
		return encodings > 0 && decodings(text).some((decoded) => reveals(decoded, encodings - 1));
	};

	const redact = (text: string): string => {
		const parts = text
			.split(/([.,;:!?]*(?:\s+|$))/)
			.map((part) => (reveals(part) ? REMOVED : part));
		const rest = parts.join('').replace(LIKE_A_KEY, REMOVED);
		// Spaces or line breaks may split the key.
		return reveals(rest.replace(/\s+/g, '')) ? REMOVED : rest;
	};

	return { reveals: (text) => reveals(text), redact };
}

/** Everything that the text might decode to. */
const decodings = (text: string): string[] =>
	[
		text.replace(/(?:%[\da-f]{2})+/gi, (run) => bytes(run.replaceAll('%', ''), 'hex')),
		// Where an encoded part begins is unknown, and characters before it shift the decoding.
		...[0, 1].map((start) => decodeRuns(text, /[\da-f]{8,}/gi, 'hex', start)),
		...[0, 1, 2, 3].map((start) => decodeRuns(text, /[\w+/-]{8,}/g, 'base64', start)),
	].filter((decoded) => decoded !== '' && decoded !== text);

const decodeRuns = (text: string, run: RegExp, encoding: BufferEncoding, start: number): string =>
	(text.match(run) ?? []).map((found) => bytes(found.slice(start), encoding)).join(' ');

const bytes = (text: string, encoding: BufferEncoding): string =>
	Buffer.from(text, encoding).toString('latin1');
