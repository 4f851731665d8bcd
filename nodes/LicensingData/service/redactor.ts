/** A shorter one would be found in ordinary words. */
const MIN_SECRET = 8;
const KEY_PREFIX = /^[a-z]+_[a-z]+_/;
const LIKE_A_KEY = /\b(?:ls_(?:live|test|own)|whsec)_[\w-]+/gi;

/** What replaces a key. */
const REMOVED = '[hidden API key]';

/** Finds one API key in what the service sends, which may repeat it in a message, a cursor or an ID. */
export interface Redactor {
	/** Tells whether the text gives the key away, as it is or percent-encoded. */
	reveals(text: string): boolean;
	/** The text without the words that hold the key, and without anything that looks like one. */
	redact(text: string): string;
}

export function redactorFor(apiKey: unknown): Redactor {
	const key = typeof apiKey === 'string' ? apiKey.trim() : '';
	const withoutPrefix = key.replace(KEY_PREFIX, '');
	// The prefix is no secret; the part after it is, even by itself.
	const secret = (withoutPrefix.length >= MIN_SECRET ? withoutPrefix : key).toLowerCase();
	const isSecret = secret.length >= MIN_SECRET;
	const reveals = (text: string): boolean =>
		isSecret &&
		[text, withoutPercents(text)].some((one) => visible(one).toLowerCase().includes(secret));
	const redact = (text: string): string => {
		const shown = visible(text);
		const hidden = shown
			.split(/(\s+)/)
			.map((part) => (reveals(part) ? REMOVED : part))
			.join('')
			.replace(LIKE_A_KEY, REMOVED);
		return hidden === shown ? text : hidden;
	};
	return { reveals, redact };
}

/** Without what would split a key, and what nobody sees. */
export const visible = (text: string): string =>
	text.replace(/[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?!\s)\p{Cc}/gu, '');

const withoutPercents = (text: string): string =>
	text.replace(/(?:%[\da-f]{2})+/gi, (codes) =>
		Buffer.from(codes.replaceAll('%', ''), 'hex').toString(),
	);
