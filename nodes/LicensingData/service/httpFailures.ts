import { Failure, type FailureFacts } from '../licenses/failure';
import { isObject, shortened } from '../licenses/text';
import { formatWait } from '../licenses/time';
import { type Answer, parseJson } from './answer';
import { MAX_RETRY_AFTER, retryAfter } from './backoff';
import { visible } from './redactor';

type Words = [happened: string, advice: string];

const CHECK_BASE_URL = "Check 'Base URL' in the Licensing Data credential";
const ASK_SUPPORT = "ask the service's support.";

/** For the statuses that do not pass by themselves. */
const BY_STATUS: Record<number, Words> = {
	401: [
		'The API key was not accepted',
		"Copy the key from the account dashboard into 'API Key' of the Licensing Data credential. A key that was replaced or revoked there no longer works.",
	],
	403: [
		'The API key does not allow this',
		`Check in the account dashboard what the plan of this key includes. If it should include this, ${ASK_SUPPORT}`,
	],
	404: [
		'The service has no such web address (HTTP 404)',
		`This is about the address, not your filters. ${CHECK_BASE_URL}; most base URLs end in a version, such as /v1. If it is right, ${ASK_SUPPORT}`,
	],
	407: [
		'The proxy asks for a user name and a password',
		'Send this text to whoever runs n8n: both belong in the proxy address that n8n is started with, HTTPS_PROXY=http://user:password@host:port.',
	],
};

/** For what fails below HTTP, by the code of the error; the first that fits. */
const BY_CODE: Array<[codes: RegExp, ...Words, isTransient?: boolean]> = [
	[
		/^SsrfBlocked/,
		'n8n does not allow requests to the address of the service',
		"n8n blocks requests to private addresses. If 'Base URL' in the Licensing Data credential is right, ask whoever runs n8n to add its host to N8N_SSRF_ALLOWED_HOSTNAMES, or its address to N8N_SSRF_ALLOWED_IP_RANGES",
	],
	[
		/^ENOTFOUND$/,
		"The service's address does not exist",
		`${CHECK_BASE_URL}, and that n8n can reach the internet`,
	],
	[
		/^ECONNREFUSED$/,
		'Nothing answers at the address of the service',
		`${CHECK_BASE_URL}, and whether the service is running`,
		true,
	],
	[
		// Mostly plain http, or an old version of TLS.
		/EPROTO|WRONG_VERSION|UNSUPPORTED_PROTOCOL|PACKET_LENGTH|HTTP_REQUEST/,
		"The server at the service's address does not use https",
		`${CHECK_BASE_URL}: its host and port. A service on your own network may need http:// instead of https://`,
	],
	[
		/CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/,
		"The service's certificate was not accepted",
		`${CHECK_BASE_URL}, and the proxy that n8n uses, if any`,
	],
	[
		/(?:)/,
		'The connection to the service broke',
		'Try again later, and check the network of the machine that n8n runs on',
		true,
	],
];

/**
 * What went wrong below HTTP. Only the error's code is read: its other properties
 * hold the request, and with it the API key.
 */
export function networkFailure(error: unknown, timeout: number): Failure {
	const code = codeOf(error as NetworkError);
	if (/^(?:ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/.test(code)) return timeoutFailure(timeout);
	const [, happened = '', advice, isTransient] = BY_CODE.find(([codes]) => codes.test(code)) ?? [];
	return new Failure(happened, `${advice}${code && ` (${code})`}.`, { isTransient });
}

interface NetworkError {
	name?: unknown;
	code?: unknown;
	cause?: NetworkError;
}

/** n8n wraps network errors, sometimes more than once. Its own refusals are known by their names. */
function codeOf({ name, code, cause }: NetworkError, depth = 0): string {
	const said = /^Ssrf/.test(String(name)) ? name : code;
	if (typeof said === 'string' && said !== 'ERR_BAD_REQUEST') return said;
	return cause && depth < 5 ? codeOf(cause, depth + 1) : '';
}

export const timeoutFailure = (timeout: number): Failure =>
	new Failure(
		`The service did not answer within ${Math.ceil(timeout / 100) / 10} seconds`,
		"Try again later. To make a Licensing Data node wait longer, increase 'Timeout' under 'Options'.",
		{ isTransient: true },
	);

/** For a caller with a time budget that is already used up. */
export const noTimeLeft = (): Failure =>
	new Failure(
		'There was no time left to ask the service',
		'The machine of n8n is busy, or many workflows use this API key. Try again later.',
		{ isTransient: true },
	);

/** A failure as it is, or a mistake of this package. What helps to find that is its stack, and only the log has room. */
export function toFailure(error: unknown, log: (line: string) => void): Failure {
	if (error instanceof Failure) return error;
	log(String((error as Partial<Error> | undefined)?.stack ?? error));
	return new Failure(
		`This node made a mistake: ${String(error)}`,
		"Neither your workflow nor the service is to blame. Report it to the maintainers of n8n-nodes-licensing-data, with the lines that n8n's log has about it.",
	);
}

/** Turns every status but success into a failure with words. */
export function statusFailure(answer: Answer, url: string): Failure {
	const { statusCode: status, headers } = answer;
	if (status < 400) return redirectFailure(answer, url);
	const wait = retryAfter(headers['retry-after'], Date.now());
	// A proxy gives up with 408 where the connection is slow.
	const isTransient = status === 429 || status >= 500 || status === 408;
	const facts = { ...readServiceMessage(answer), status, retryAfter: wait, isTransient };
	const [happened, advice] =
		BY_STATUS[status] ??
		(isTransient ? passing(status, wait) : rejected(status, facts.serviceMessage));
	return new Failure(happened, advice, facts);
}

/** The service understood the request and turned it down. */
const rejected = (status: number, reason: string | undefined): Words => [
	`The service did not accept the request (HTTP ${status})`,
	reason === undefined
		? `The service gave no reason. Check the filters and values of this node, then 'Base URL' in the Licensing Data credential. If they are right, ${ASK_SUPPORT}`
		: "If that is about your plan, trial, payment or credit, check the account dashboard. If it is about the key or a token, copy the key from there into 'API Key' of the Licensing Data credential. If it is about a value, correct it in this node. If none of this applies, try again later. If it keeps happening, send this text to the service's support.",
];

/** For what passes by itself, perhaps later than a request waits. */
function passing(status: number, wait = 0): Words {
	const asksToWait = wait > MAX_RETRY_AFTER;
	const when = asksToWait ? `in ${formatWait(wait)}, as the service asks` : 'in a minute';
	if (status === 429)
		return [
			'Too many requests for your plan (HTTP 429)',
			`Run the workflow again ${when}. If it happens often, run the workflow less often, or choose a plan with a higher limit.`,
		];
	const outages = "For short outages, turn on 'Retry On Fail' in the settings of the node. ";
	return [
		`The service could not answer (HTTP ${status})`,
		`The trouble is with the service, not with your workflow. Run the workflow again ${when}. ${asksToWait ? '' : outages}If it keeps happening, ${ASK_SUPPORT}`,
	];
}

function redirectFailure({ statusCode, headers }: Answer, url: string): Failure {
	const location = String(headers.location ?? '');
	const target = location && URL.canParse(location, url) ? new URL(location, url) : undefined;
	return new Failure(
		`The service redirects to ${target ? target.origin + target.pathname : 'another address'}`,
		"To protect the API key, the redirect was not followed. Ask the service's support for its current address, and enter it as 'Base URL' in the Licensing Data credential: it begins with https://. If the address has not changed, a proxy or a login page may stand between n8n and the service: ask whoever runs n8n.",
		{ status: statusCode },
	);
}

const MAX_MESSAGE = 300;
const MAX_REQUEST_ID = 100;
/** Of any text, so many characters are looked at. */
const MAX_READ = 1_000;

/** What the service says about an answer that is not what was asked for. */
export function readServiceMessage({ body, headers }: Answer): FailureFacts {
	const parsed = parseJson(body);
	const { error, requestId, meta } = isObject(parsed) ? parsed : {};
	const { message, code, type, param } = isObject(error) ? error : {};
	const words = [message, type, code].map(clean).find(Boolean) ?? '';
	const field = words && clean(param);
	const said = shortened(field ? `${field}: ${words}` : words, MAX_MESSAGE);
	const ids = [headers['x-request-id'], requestId, isObject(meta) ? meta.request_id : undefined];
	const id = ids.map(clean).find(Boolean);
	return {
		serviceMessage: said.replace(/[^.!?:…]$/, '$&.') || undefined,
		requestId: id && id.length <= MAX_REQUEST_ID ? id : undefined,
	};
}

/**
 * Control characters would break n8n's log lines, and invisible marks could reorder the text. The result is
 * shown in double quotes, so it holds none.
 */
const clean = (words: unknown): string =>
	visible(shortened(typeof words === 'string' ? words : '', MAX_READ))
		.replace(/\s+/g, ' ')
		.replaceAll('"', "'")
		.trim();

/** How a service may turn down a value that it does not know: a filter's, or a cursor that has grown old. */
export const isRejected = (error: unknown): error is Failure => hasStatus(error, 400, 404, 422);

export const hasStatus = (error: unknown, ...statuses: number[]): error is Failure =>
	error instanceof Failure && statuses.includes(error.facts.status ?? 0);
