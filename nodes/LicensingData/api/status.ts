import { serviceMessage, type Answer } from './answer';
import { Failure } from './failure';
import { LONGEST_RETRY_AFTER, retryAfter } from './retry';

const LONGEST_WORDS = 300;
const KEY_LIKE = /\b(ls_(?:live|test)_|whsec_)[\w-]+/g;

/** A service that echoes the key must not carry it into an execution's data, nor half of it. */
function withoutKey(words: string, apiKey: string): string {
	const forms = [apiKey, encodeURIComponent(apiKey), ...inBase64(apiKey)];
	return forms.reduce((rest, form) => rest.replaceAll(form, '…'), words).replace(KEY_LIKE, '$1…');
}

/** Three ways, by what stands before it: a few bits at either end belong to its neighbors. */
const inBase64 = (text: string): string[] =>
	[0, 1, 2].map((shift) =>
		Buffer.from(' '.repeat(shift) + text)
			.toString('base64')
			.slice(shift && shift + 1)
			.replace(/.?=*$/, ''),
	);

/** The service's own words, as they may be shown. */
export function saidIn(answer: Answer, apiKey: string): string | undefined {
	const words = serviceMessage(answer);
	return words && withoutKey(words, apiKey).slice(0, LONGEST_WORDS);
}

/** Turns every status but success into words. */
export function failureFor(answer: Answer, apiKey: string, now: number): Failure {
	const { statusCode: status } = answer;
	const said = saidIn(answer, apiKey);
	const wait = retryAfter(answer.headers['retry-after'], now);
	const failure = (message: string, advice: string, passing = false) =>
		new Failure('status', message, advice, { status, said, passing, retryAfter: wait });

	if (status >= 300 && status < 400) {
		return new Failure(
			'redirect',
			'The service has moved to another address',
			"The key is not carried along to it. Find the service's present address and enter it as 'Base URL' in the Licensing Data credential.",
			{ status },
		);
	}
	switch (status) {
		case 401:
			return failure(
				'The API key was not accepted',
				'Check the key in the Licensing Data credential; a compromised key is rotated in the account dashboard.',
			);
		case 403:
			return failure(
				'The API key does not allow this',
				'Check in the account dashboard what the plan of this key includes.',
			);
		case 404:
			return failure(
				'Nothing was found at this address',
				"Check 'Base URL' in the Licensing Data credential; it ends in the version, such as /v1.",
			);
		case 429:
			return failure(
				'The rate limit of the plan was reached',
				wait !== undefined && wait > LONGEST_RETRY_AFTER
					? `The service asks to wait ${Math.ceil(wait / 60_000)} minutes. Run the workflow less often, or move to a larger plan.`
					: "Run the workflow less often, or move to a larger plan. A Licensing Data node waits longer with more 'Retries' under 'Options'.",
				true,
			);
		case 408:
		case 425:
			return failure(`The service did not wait (HTTP ${status})`, 'Try again later.', true);
		case 501:
			return failure('The service cannot do this', 'It does not offer this operation.');
	}
	if (status >= 500) {
		return failure(
			`The service could not answer (HTTP ${status})`,
			'The cause lies with the service. Try again later; a Licensing Data node repeats by itself with Retry On Fail in its settings.',
			true,
		);
	}
	return failure(
		`The service did not accept the request (HTTP ${status})`,
		'Check the filters and values of the node.',
	);
}
