import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import { redactorFor } from './redactor';

export interface Connection {
	baseUrl: string;
	apiKey: string;
}

/** A shorter one is a slip, and hiding it wherever it appears would take letters out of ordinary words. */
const KEY = /^ls_(?:live|test|own)_[\x21-\x7e]{5,}$/;
/** Excludes what only a browser would forgive, such as backslashes, or a line break in the middle. */
const WEB_ADDRESS = /^https?:\/\/[^\s\\/\p{Cc}][^\s\\\p{Cc}]{0,2000}$/iu;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;
/** A private address, or a name that only a network of one's own can have. */
const NEARBY =
	/^([^.:]+|host\.docker\.internal|(10|172\.(1[6-9]|2\d|3[01])|192\.168)(\.\d+)+|\[f[cd][\da-f]{2}:[\da-f:]+\])$/;
/** What is easily copied along with the base. */
const BELOW_BASE = /\/(?:licenses|webhooks)(?:\/(?!v\d+$)[^/]*)?$/i;

/** Turns the credential into an address and a key that are safe to use together. */
export function toConnection(credentials: ICredentialDataDecryptedObject): Connection {
	const apiKey = toApiKey(credentials.apiKey);
	const baseUrl = toBaseUrl(credentials.baseUrl);
	const entered = String(credentials.baseUrl);
	// Addresses are saved and shown where a key must not be.
	if (redactorFor(apiKey).redact(entered) !== entered)
		throw invalidInput(
			"'Base URL' holds an API key",
			"In the Licensing Data credential, the key belongs only in 'API Key'. Remove it from 'Base URL'.",
		);
	expectPrivate(baseUrl, apiKey);
	return { baseUrl: baseUrl.origin + baseUrl.pathname, apiKey };
}

/** True for a key with which the service usually returns the same made-up licenses every time. */
export const isTestKey = (apiKey: string): boolean => apiKey.startsWith('ls_test_');

/** Adds the key to a request of any node that uses a credential of this package, n8n's HTTP Request included. */
export async function authorize(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions & { uri?: string },
): Promise<IHttpRequestOptions> {
	const apiKey = toApiKey(credentials.apiKey);
	expectPrivate(new URL(request.url ?? request.uri ?? '', request.baseURL || undefined), apiKey);
	return {
		...request,
		headers: { ...request.headers, Authorization: `Bearer ${apiKey}` },
		sendCredentialsOnCrossOriginRedirect: false,
	};
}

/** Makes sure that only this machine, its own network, or the holder of the certificate can read what is sent. */
function expectPrivate({ protocol, hostname }: URL, apiKey: string): void {
	const isOwn = apiKey.startsWith('ls_own_');
	if (protocol === 'https:' || LOOPBACK.test(hostname) || isTestKey(apiKey)) return;
	if (isOwn && NEARBY.test(hostname)) return;
	throw invalidInput(
		isOwn
			? 'This key is not sent over plain http to another network'
			: 'A live key is not sent over plain http',
		"Anyone along the way could read it. Use a 'Base URL' that starts with https:// in the Licensing Data credential.",
	);
}

function toApiKey(value: unknown): string {
	const apiKey = typeof value === 'string' ? value.trim() : '';
	if (KEY.test(apiKey)) return apiKey;
	throw invalidInput(
		apiKey === '' ? 'The API key is missing' : 'The API key does not look like a key',
		"A key starts with ls_live_, ls_test_ or ls_own_. Copy the whole key from the account dashboard, or from where your own service shows it, into 'API Key' of the Licensing Data credential.",
	);
}

function toBaseUrl(value: unknown): URL {
	const text = typeof value === 'string' ? value.trim() : '';
	const url = WEB_ADDRESS.test(text) && URL.canParse(text) ? new URL(text) : undefined;
	if (!url)
		throw invalidInput(
			text === '' ? "'Base URL' is empty" : "'Base URL' is not a web address",
			"Enter the service's address in the Licensing Data credential, e.g. https://api.example.com/v1.",
		);
	const base = url.pathname.replace(/(?<!\/)\/+$/, '').replace(BELOW_BASE, '');
	// The version segment is all that the interface puts after the host, so a bare host can only mean this.
	url.pathname = base === '' ? '/v1' : base;
	return url;
}
