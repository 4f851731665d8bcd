import type { Answer } from './answer';
import { Failure } from '../licenses/failure';
import { formatWait } from '../licenses/text';
import { LONGEST_RETRY_AFTER, retryAfter } from './retry';
import { readServiceMessage } from './serviceMessage';

const CHECK_BASE_URL =
	"Check 'Base URL' in the Licensing Data credential; most end in a version, such as /v1.";

interface Words {
	happened: string;
	advice: string;
}

/** For the statuses that do not pass by themselves. */
const LASTING: Record<number, Words> = {
	401: {
		happened: 'The API key was not accepted',
		advice:
			"Copy the key from the account dashboard into 'API Key' of the Licensing Data credential. A key that was replaced or revoked there no longer works.",
	},
	403: {
		happened: 'The API key does not allow this',
		advice:
			"Check in the account dashboard what the plan of this key includes. If it should include this, ask the service's support.",
	},
	404: {
		happened: 'The service has no such web address (HTTP 404)',
		advice: `This is about the address, not about your filters. ${CHECK_BASE_URL} If it is right, ask the service's support.`,
	},
	407: {
		happened: 'The proxy asks for a user name and a password',
		advice:
			'Send this text to whoever runs n8n: both belong in the proxy address that n8n is started with, HTTPS_PROXY=http://user:password@host:port.',
	},
};

/** Turns every status but success into a failure with words. */
export function failureFor(answer: Answer, url: string, now: number): Failure {
	const { statusCode: status, headers } = answer;
	if (status < 400) return redirectFailure(answer, url);
	const wait = retryAfter(headers['retry-after'], now);
	const facts = { ...readServiceMessage(answer), status, retryAfter: wait };
	const lasting = LASTING[status];
	if (lasting) return new Failure('status', lasting.happened, lasting.advice, facts);
	// A proxy gives up with 408 where the connection is slow.
	const isTransient = status === 429 || status >= 500 || status === 408;
	const { happened, advice } = isTransient ? wordsFor(status, wait) : refusalOf(status, facts);
	return new Failure('status', happened, advice, { ...facts, isTransient });
}

/** The service understood the request and turned it down. */
const refusalOf = (status: number, { serviceMessage }: { serviceMessage?: string }): Words => ({
	happened: `The service did not accept the request (HTTP ${status})`,
	advice:
		serviceMessage === undefined
			? "The service gave no reason. Check the filters and values of this node, then 'Base URL' in the Licensing Data credential. If they are right, ask the service's support."
			: "If that is about your plan, trial, payment or credit, check the account dashboard. If it is about the key or a token, copy the key from there into 'API Key' of the Licensing Data credential. If it is about a value, correct it in this node. If none of this applies, try again later. If it keeps happening, send this text to the service's support.",
});

/** For what passes by itself, perhaps later than a request waits. */
function wordsFor(status: number, wait = 0): Words {
	const asksToWait = wait > LONGEST_RETRY_AFTER;
	const when = asksToWait ? `in ${formatWait(wait)}, as the service asks` : 'in a minute';
	if (status === 429) {
		return {
			happened: 'Too many requests for your plan (HTTP 429)',
			advice: `Run the workflow again ${when}. If it happens often, run the workflow less often, or choose a plan with a higher limit.`,
		};
	}
	return {
		happened: `The service could not answer (HTTP ${status})`,
		advice: `The trouble is with the service, not with your workflow. Run the workflow again ${when}. ${asksToWait ? '' : "For short outages, turn on 'Retry On Fail' in the settings of the node. "}If it keeps happening, ask the service's support.`,
	};
}

function redirectFailure({ statusCode, headers }: Answer, url: string): Failure {
	const location = String(headers.location ?? '');
	const target = location && URL.canParse(location, url) ? new URL(location, url) : undefined;
	return new Failure(
		'redirect',
		`The service redirects to ${target ? target.origin + target.pathname : 'another address'}`,
		"To protect the API key, the redirect was not followed. Ask the service's support for its current address, and enter it as 'Base URL' in the Licensing Data credential: it begins with https://. If the address has not changed, a proxy or a login page may stand between n8n and the service: ask whoever runs n8n.",
		{ status: statusCode },
	);
}
