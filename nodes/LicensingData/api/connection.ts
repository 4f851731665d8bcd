import { refusal } from './failure';

export interface Connection {
	baseUrl: string;
	apiKey: string;
}

const VERSION_SEGMENT = /\/v\d+(\.\d+)*$/i;
export const LIVE_KEY_PREFIX = 'ls_live_';
/**
 * Addresses to which a live key may go, as they are written and not as they are understood: the credential
 * can only look at the text, and the two must not differ.
 */
export const PRIVATE_WIRE =
	/^(https:\/\/|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$))/i;
/** No other spelling that a browser would forgive, such as backslashes, or a line break in the middle. */
const WEB_ADDRESS = /^https?:\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]{0,2000}$/iu;

/** Turns what stands in the credential into an address and a key that are safe to use together. */
export function toConnection(credentials: { baseUrl?: unknown; apiKey?: unknown }): Connection {
	const apiKey = typeof credentials.apiKey === 'string' ? credentials.apiKey.trim() : '';
	if (!/^[\x21-\x7e]+$/.test(apiKey)) {
		throw refusal(
			apiKey === '' ? 'The API key is missing' : 'The API key has characters that no key has',
			"Copy the key from the account dashboard into 'API Key' of the Licensing Data credential.",
		);
	}
	const baseUrl = toBaseUrl(credentials.baseUrl);
	if (apiKey.startsWith(LIVE_KEY_PREFIX) && !PRIVATE_WIRE.test(baseUrl.written)) {
		throw refusal(
			'A live key is not sent over plain http',
			"Anyone on the way could read it. Use an address that starts with https:// as 'Base URL' of the Licensing Data credential.",
		);
	}
	return { baseUrl: baseUrl.understood, apiKey };
}

function toBaseUrl(value: unknown): { written: string; understood: string } {
	const text = typeof value === 'string' ? value.trim() : '';
	const url = WEB_ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : undefined;
	if (!url) {
		throw refusal(
			text === '' ? "'Base URL' is empty" : "'Base URL' is not a web address",
			"Enter the service's address in the Licensing Data credential, e.g. https://api.example.com/v1.",
		);
	}
	if (url.username || url.password || url.search || url.hash) {
		throw refusal(
			"'Base URL' holds more than an address",
			'Remove user names, question marks and # from it; the key has a field of its own.',
		);
	}
	url.pathname = url.pathname.replace(/\/+$/, '');
	// The version segment is all that the interface puts after the host, so a bare host can only mean this.
	if (url.pathname === '/') url.pathname = '/v1';
	if (!VERSION_SEGMENT.test(url.pathname)) {
		throw refusal(
			"'Base URL' does not end in a version",
			'The address of the service ends in its version, e.g. https://api.example.com/v1. Correct it in the Licensing Data credential.',
		);
	}
	return { written: text, understood: url.origin + url.pathname };
}
