import { Failure } from '../licenses/failure';

const TIMED_OUT = /^(?:ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/;
const CHECK_BASE_URL = "Check 'Base URL' in the Licensing Data credential";

interface Kind {
	codes: RegExp;
	happened: string;
	advice: string;
	isTransient?: boolean;
}

/** By the code of the error; the first that fits. */
const KINDS: Kind[] = [
	{
		codes: /^SsrfBlocked/,
		happened: 'n8n does not allow requests to the address of the service',
		advice:
			"Its protection against requests to private addresses is on. If 'Base URL' in the Licensing Data credential is right, ask whoever runs n8n to add its host to N8N_SSRF_ALLOWED_HOSTNAMES, or its address to N8N_SSRF_ALLOWED_IP_RANGES",
	},
	{
		codes: /^ENOTFOUND$/,
		happened: "The service's address does not exist",
		advice: `${CHECK_BASE_URL}, and that n8n can reach the internet`,
	},
	{
		codes: /^ECONNREFUSED$/,
		happened: 'Nothing answers at the address of the service',
		advice: `${CHECK_BASE_URL}, and whether the service is running`,
		isTransient: true,
	},
	{
		// Mostly plain http, or an old version of TLS.
		codes: /EPROTO|WRONG_VERSION|UNSUPPORTED_PROTOCOL|PACKET_LENGTH|HTTP_REQUEST/,
		happened: "What answers at the service's address does not speak https",
		advice: `${CHECK_BASE_URL}: its host and port. A service on your own network may need http:// instead of https://`,
	},
	{
		codes: /CERT|SELF_SIGNED|UNABLE_TO_|TLS|SSL/,
		happened: "The service's certificate was not accepted",
		advice: `${CHECK_BASE_URL}, and the proxy that n8n uses, if any`,
	},
];

const BROKEN: Omit<Kind, 'codes'> = {
	happened: 'The connection to the service broke',
	advice: 'Try again later, and check the network of the machine that n8n runs on',
	isTransient: true,
};

/**
 * What went wrong below HTTP. Only the error's code is read: its other properties
 * hold the request, and with it the API key.
 */
export function networkFailure(error: unknown, timeout: number): Failure {
	const code = codeOf(error);
	if (TIMED_OUT.test(code)) return timeoutFailure(timeout);
	const kind = KINDS.find(({ codes }) => codes.test(code)) ?? BROKEN;
	const { happened, advice, isTransient } = kind;
	return new Failure('network', happened, `${advice}${code && ` (${code})`}.`, { isTransient });
}

export const timeoutFailure = (timeout: number): Failure =>
	new Failure(
		'timeout',
		`The service did not answer within ${Math.ceil(timeout / 100) / 10} seconds`,
		"Try again later. To make a Licensing Data node wait longer, increase 'Timeout' under 'Options'.",
		{ isTransient: true },
	);

/** For a caller with a time budget that is already used up. */
export const noTimeLeft = (): Failure =>
	new Failure(
		'timeout',
		'There was no time left to ask the service',
		'n8n gives each poll a limited time, and its machine was too busy. The next poll catches up.',
		{ isTransient: true },
	);

interface NetworkError {
	name?: unknown;
	code?: unknown;
	cause?: NetworkError;
}

/** n8n wraps network errors, sometimes more than once. Its own refusals are known by their names. */
function codeOf(error: unknown): string {
	const chain: NetworkError[] = [];
	for (let at = error as NetworkError | undefined; at && chain.length < 5; at = at.cause)
		chain.push(at);
	const said = chain.flatMap(({ name, code }) => (/^Ssrf/.test(String(name)) ? name : code));
	return String(said.find((one) => typeof one === 'string' && one !== 'ERR_BAD_REQUEST') ?? '');
}
