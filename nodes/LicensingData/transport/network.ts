import { Failure } from '../domain/failure';

/** What answered speaks another protocol: mostly plain http, or an old version of TLS. */
const NOT_HTTPS = /EPROTO|WRONG_VERSION|UNSUPPORTED_PROTOCOL|PACKET_LENGTH|HTTP_REQUEST/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/;
const TIMED_OUT = new Set(['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT']);

/**
 * What went wrong below HTTP. Only the error's code is read: its other properties
 * hold the request, and with it the API key.
 */
export function networkFailure(error: unknown, timeout: number): Failure {
	if (isBlocked(error)) {
		return new Failure(
			'network',
			'n8n does not allow requests to the address of the service',
			"Its protection against requests to private addresses is on. If 'Base URL' in the Licensing Data credential is right, ask whoever runs n8n to add its host to N8N_SSRF_ALLOWED_HOSTNAMES, or its address to N8N_SSRF_ALLOWED_IP_RANGES.",
		);
	}
	const code = errorCode(error);
	if (TIMED_OUT.has(code)) return timeoutFailure(timeout);
	if (code === 'ENOTFOUND') {
		return new Failure(
			'network',
			"The service's address does not exist",
			"Check 'Base URL' in the Licensing Data credential, and that n8n can reach the internet.",
		);
	}
	if (code === 'ECONNREFUSED') {
		return new Failure(
			'network',
			'Nothing answers at the address of the service',
			"Check 'Base URL' in the Licensing Data credential, and whether the service is running.",
			{ isTransient: true },
		);
	}
	if (NOT_HTTPS.test(code)) {
		return new Failure(
			'network',
			"What answers at the service's address does not speak https",
			`Check the host and port of 'Base URL' in the Licensing Data credential. A service on your own network may need http:// instead of https:// (${code}).`,
		);
	}
	if (CERTIFICATE.test(code)) {
		return new Failure(
			'network',
			"The service's certificate was not accepted",
			`Check 'Base URL' in the Licensing Data credential, and the proxy that n8n uses, if any (${code}).`,
		);
	}
	return new Failure(
		'network',
		'The connection to the service broke',
		`Try again later, and check the network of the machine that n8n runs on${code ? ` (${code})` : ''}.`,
		{ isTransient: true },
	);
}

export function timeoutFailure(timeout: number): Failure {
	const limit =
		timeout < 1000
			? `${Math.round(timeout)} milliseconds`
			: `${Number((timeout / 1000).toFixed(1))} seconds`;
	return new Failure(
		'timeout',
		`The service did not answer within ${limit}`,
		"Try again later. To make a Licensing Data node wait longer, increase 'Timeout' under 'Options'.",
		{ isTransient: true },
	);
}

/** For a caller with a time budget that is already used up. */
export function noTimeLeft(): Failure {
	return new Failure(
		'timeout',
		'There was no time left to ask the service',
		'n8n gives each poll a limited time, and its machine was too busy. The next poll catches up.',
		{ isTransient: true },
	);
}

/** n8n's own refusals are known by their names; their texts name addresses of the network that n8n runs in. */
const isBlocked = (error: unknown): boolean =>
	chainOf(error).some(({ name }) => String(name).startsWith('SsrfBlocked'));

function errorCode(error: unknown): string {
	const codes = chainOf(error).map(({ code }) => code);
	return String(codes.find((code) => typeof code === 'string' && code !== 'ERR_BAD_REQUEST') ?? '');
}

interface NetworkError {
	name?: unknown;
	code?: unknown;
	cause?: unknown;
}

/** n8n wraps network errors, sometimes more than once. */
function chainOf(error: unknown): NetworkError[] {
	const chain: NetworkError[] = [];
	let at = error as NetworkError | undefined;
	while (at && chain.length < 5) {
		chain.push(at);
		at = at.cause as NetworkError | undefined;
	}
	return chain;
}
