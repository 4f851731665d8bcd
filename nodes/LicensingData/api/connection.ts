import { refusal } from './failure';

export interface Connection {
	baseUrl: string;
	apiKey: string;
}

const VERSION_SEGMENT = /\/v\d+$/i;
const LIVE_KEY_PREFIX = 'ls_live_';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

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
	if (
		apiKey.startsWith(LIVE_KEY_PREFIX) &&
		baseUrl.protocol === 'http:' &&
		!LOOPBACK.test(baseUrl.hostname)
	) {
		throw refusal(
			'A live key is not sent over plain http',
			"Anyone on the way could read it. Use an address that starts with https:// as 'Base URL' of the Licensing Data credential.",
		);
	}
	return { baseUrl: baseUrl.origin + baseUrl.pathname, apiKey };
}

function toBaseUrl(value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !/^https?:$/.test(url.protocol)) {
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
	return url;
}
