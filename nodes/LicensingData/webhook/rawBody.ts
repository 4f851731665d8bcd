import type { IWebhookFunctions } from 'n8n-workflow';

type Request = ReturnType<IWebhookFunctions['getRequestObject']>;

/** A license is a few kilobytes; n8n itself would take 16 megabytes from anyone. */
const LARGEST_BODY = 1_000_000;

/**
 * The bytes as they arrived, or undefined if there are too many. n8n has not read them yet, because the
 * node's hidden parameter 'Options' tells it not to.
 */
export async function readRawBody(request: Request): Promise<Buffer | undefined> {
	if (Number(request.headers['content-length']) > LARGEST_BODY) return undefined;
	try {
		if (!request.rawBody) await request.readRawBody();
	} catch (error) {
		// A body that was cut off counts as empty, which no signature matches.
		return (error as { status?: unknown }).status === 413 ? undefined : Buffer.alloc(0);
	}
	return request.rawBody.length > LARGEST_BODY ? undefined : request.rawBody;
}
