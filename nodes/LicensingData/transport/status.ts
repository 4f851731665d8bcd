import type { Answer } from './answer';
import { Failure, notAccepted } from '../domain/failure';
import { formatWait } from '../domain/readableText';
import type { Redactor } from './redaction';
import { LONGEST_RETRY_AFTER, retryAfter } from './retry';
import { saidIn } from './serviceMessage';

const CHECK_BASE_URL =
	"Check 'Base URL' in the Licensing Data credential; it ends in the version, such as /v1.";

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
	402: {
		happened: 'The service asks for payment (HTTP 402)',
		advice:
			"Check in the account dashboard whether the plan of this key is paid for, and what it includes. If all is well there, ask the service's support.",
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
	451: {
		happened: 'The service is not allowed to show this, for legal reasons (HTTP 451)',
		advice:
			"Running the workflow again does not help. Ask the service's support what it is allowed to show you.",
	},
	501: {
		happened: 'The service does not offer this operation (HTTP 501)',
		advice:
			"Choose another operation in the node, or ask the service's support whether and when it will offer this one.",
	},
};

/** Turns every status but success into a failure with words. */
export function failureFor(answer: Answer, url: string, redactor: Redactor, now: number): Failure {
	const { statusCode: status, headers } = answer;
	if (status < 400) return redirectFailure(answer, url, redactor);
	const wait = retryAfter(headers['retry-after'], now);
	const facts = { ...saidIn(answer, redactor), status, retryAfter: wait };
	const lasting = LASTING[status];
	if (lasting) return new Failure('status', lasting.happened, lasting.advice, facts);
	// A proxy gives up with 408 where the connection is slow.
	const isTransient = status === 429 || status >= 500 || status === 408;
	if (!isTransient) return notAccepted(facts);
	const { happened, advice } = wordsFor(status, wait);
	return new Failure('status', happened, advice, { ...facts, isTransient });
}

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

function redirectFailure(
	{ statusCode, headers }: Answer,
	url: string,
	redactor: Redactor,
): Failure {
	const location = String(headers.location ?? '');
	const target =
		location !== '' && URL.canParse(location, url) ? new URL(location, url) : undefined;
	const here = new URL(url);
	const isSameHost = target?.host === here.host;
	const isUpgrade = isSameHost && target.protocol === 'https:' && here.protocol === 'http:';
	const place = (isUpgrade ? target.origin : isSameHost ? target.pathname : target?.host) ?? '';
	const hasKey = redactor.redact(place) !== place;
	return new Failure(
		'redirect',
		`The service redirects to ${hasKey ? 'an address that is hidden here, since it contains an API key' : place || 'another address'}`,
		isUpgrade
			? "Make 'Base URL' in the Licensing Data credential start with https://."
			: "To protect the API key, the redirect was not followed. Ask the service's support for its current address, and enter it as 'Base URL' in the Licensing Data credential: it begins with https:// and ends in the version, such as /v1. If the address has not changed, a proxy or a login page may stand between n8n and the service: ask whoever runs n8n.",
		{ status: statusCode },
	);
}
