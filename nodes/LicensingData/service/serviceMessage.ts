import { type Answer, isObject, parseJson } from './answer';
import type { FailureFacts } from '../licenses/failure';
import { shortened } from '../licenses/text';

const LONGEST_MESSAGE = 300;
const LONGEST_ID = 100;
/** Of any text, so many characters are looked at. */
const MOST_READ = 1_000;

/** What the service says about an answer that is not what was asked for. */
export function readServiceMessage({
	body,
	headers,
}: Answer): Pick<FailureFacts, 'serviceMessage' | 'requestId'> {
	const parsed = parseJson(body);
	const { error, requestId, meta } = isObject(parsed) ? parsed : {};
	const { message, code, type, param } = isObject(error) ? error : {};
	const [words] = [message, type, code].map(clean).filter(Boolean);
	const field = clean(param);
	const said = shortened(words && field ? `${field}: ${words}` : (words ?? ''), LONGEST_MESSAGE);
	const ids = [headers['x-request-id'], requestId, isObject(meta) ? meta.request_id : undefined];
	const [id] = ids.map(clean).filter(Boolean);
	return {
		...(said !== '' && { serviceMessage: said.replace(/[^.!?:…]$/, '$&.') }),
		...(id && id.length <= LONGEST_ID && { requestId: id }),
	};
}

/**
 * Control characters would break n8n's log lines, and invisible marks could reorder the text. The result is
 * shown in double quotes, so it holds none.
 */
const clean = (words: unknown): string =>
	shortened(typeof words === 'string' ? words : '', MOST_READ)
		.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
		.replaceAll('"', "'")
		.trim();
