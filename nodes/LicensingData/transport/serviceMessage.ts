import type { Answer } from './answer';
import { isObject, parseJson } from './answer';
import type { FailureFacts } from '../domain/failure';
import type { Redactor } from './redaction';

const LONGEST_MESSAGE = 300;
const LONGEST_ID = 100;

/** What the service says about an answer that is not what was asked for; all of it is safe to show. */
export function readServiceMessage(
	{ body, headers }: Answer,
	{ redact }: Redactor,
): Pick<FailureFacts, 'serviceMessage' | 'requestId'> {
	const parsed = parseJson(body);
	const { error, requestId, meta } = isObject(parsed) ? parsed : {};
	const { message, code, type, param } = isObject(error) ? error : {};
	const [words] = [message, type, code].map(clean).filter(Boolean);
	const field = clean(param);
	// Cut only after the key is removed: half a key would not be recognized.
	const said = redact(words && field ? `${field}: ${words}` : (words ?? ''));
	const isLong = said.length > LONGEST_MESSAGE;
	const ids = [headers['x-request-id'], requestId, isObject(meta) ? meta.request_id : undefined];
	const [id] = ids.map(clean).filter(Boolean);
	return {
		...(said !== '' && {
			serviceMessage: isLong
				? `${said.slice(0, LONGEST_MESSAGE)}…`
				: said.replace(/[^.!?:…]$/, '$&.'),
		}),
		...(id && id.length <= LONGEST_ID && { requestId: redact(id) }),
	};
}

/**
 * Control characters would break n8n's log lines, and invisible marks could reorder the text. The result is
 * shown in double quotes, so it holds none.
 */
const clean = (words: unknown): string =>
	(typeof words === 'string' ? words : '')
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
		.replaceAll('"', "'")
		.trim();
