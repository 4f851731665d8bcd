import type { Answer } from './answer';
import { Failure, notAccepted } from '../domain/failure';
import type { Redactor } from './redaction';
import { inWords, LONGEST_RETRY_AFTER, retryAfter } from './retry';
import { saidIn } from './serviceMessage';

const CHECK_BASE_URL =
	"Check 'Base URL' in the Licensing Data credential; it ends in the version, such as /v1.";

const LONGEST_PLACE = 200;

/** Turns every status but success into a failure with words. */
export function failureFor(answer: Answer, url: string, redactor: Redactor, now: number): Failure {
	const { statusCode: status } = answer;
	const said = saidIn(answer, redactor);
	const wait = retryAfter(answer.headers['retry-after'], now);
	const failure = (message: string, advice: string, isTransient = false) =>
		new Failure('status', message, advice, {
			...said,
			status,
			isTransient,
			retryAfter: wait,
		});
	/** Whether the service asks for a longer wait than a request makes. */
	const asksToWait = wait !== undefined && wait > LONGEST_RETRY_AFTER;
	const when = asksToWait ? `in ${inWords(wait)}, as the service asks` : 'in a minute';

	if (status < 400) return redirectFailure(answer, url, redactor);
	switch (status) {
		case 401:
			return failure(
				'The API key was not accepted',
				"Copy the key from the account dashboard into 'API Key' of the Licensing Data credential. A key that was replaced or revoked there no longer works.",
			);
		case 402:
			return failure(
				'The service asks for payment (HTTP 402)',
				"Check in the account dashboard whether the plan of this key is paid for, and what it includes. If all is well there, ask the service's support.",
			);
		case 403:
			return failure(
				'The API key does not allow this',
				"Check in the account dashboard what the plan of this key includes. If it should include this, ask the service's support.",
			);
		case 404:
			return failure(
				'The service has no such web address (HTTP 404)',
				`This is about the address, not about your filters. ${CHECK_BASE_URL} If it is right, ask the service's support.`,
			);
		case 407:
			return failure(
				'The proxy asks for a user name and a password',
				'Send this text to whoever runs n8n: both belong in the proxy address that n8n is started with, HTTPS_PROXY=http://user:password@host:port.',
			);
		case 429:
			return failure(
				'Too many requests for your plan (HTTP 429)',
				`Run the workflow again ${when}. If it happens often, run the workflow less often, ${asksToWait ? '' : "increase 'Retries' under 'Options' of the Licensing Data node, "}or choose a plan with a higher limit.`,
				true,
			);
		case 451:
			return failure(
				'The service is not allowed to show this, for legal reasons (HTTP 451)',
				"Running the workflow again does not help. Ask the service's support what it is allowed to show you.",
			);
		case 501:
			return failure(
				'The service does not offer this operation (HTTP 501)',
				"Choose another operation in the node, or ask the service's support whether and when it will offer this one.",
			);
	}
	// A proxy gives up with 408 where the connection is slow.
	if (status >= 500 || status === 408) {
		return failure(
			`The service could not answer (HTTP ${status})`,
			`The trouble is with the service, not with your workflow. Run the workflow again ${when}. ${asksToWait ? '' : "For short outages, turn on 'Retry On Fail' in the settings of the node. "}If it keeps happening, ask the service's support.`,
			true,
		);
	}
	return notAccepted({ ...said, status, retryAfter: wait });
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
	const isShown = place !== '' && place.length <= LONGEST_PLACE;
	return new Failure(
		'redirect',
		`The service redirects to ${hasKey ? 'an address that is hidden here, since it contains an API key' : isShown ? place : 'another address'}`,
		isUpgrade
			? "Make 'Base URL' in the Licensing Data credential start with https://."
			: "To protect the API key, the redirect was not followed. Ask the service's support for its current address, and enter it as 'Base URL' in the Licensing Data credential: it begins with https:// and ends in the version, such as /v1. If the address has not changed, a proxy or a login page may stand between n8n and the service: ask whoever runs n8n.",
		{ status: statusCode },
	);
}
