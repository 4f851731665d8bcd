/**
 * Fifty licenses take about 50 KB, and a thousand with long texts about 1.5 MB. At this size, parsing JSON
 * that is crafted to be slow blocks n8n for about a third of a second. The limit applies to the unpacked
 * answer.
 */
export const LARGEST_ANSWER = 2_000_000;

type Stream = AsyncIterable<Uint8Array> & {
	destroy(): void;
	once(event: 'data', listener: () => void): void;
	readableDidRead: boolean;
};

const isStream = (body: unknown): body is Stream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/**
 * The bytes of an answer, or undefined if there are too many. n8n sets no limit of its own. Leaving the
 * stream before its end closes the connection.
 */
export async function readBytes(
	body: unknown,
	headers: Record<string, unknown>,
): Promise<Uint8Array | undefined> {
	// A host that mocks requests may pass a body that it has already parsed.
	if (!isStream(body)) {
		return Buffer.from(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''));
	}
	const announced = Number(headers['content-length']) || 0;
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of body) {
		size += part.length;
		if (Math.max(size, announced) > LARGEST_ANSWER) return undefined;
		parts.push(part);
	}
	return Buffer.concat(parts, size);
}

/** For an answer that nobody is waiting for anymore: it would go on filling memory. */
export function discard(body: unknown): void {
	if (!isStream(body)) return;
	// n8n's stream releases the connection only once something has been read from it.
	if (body.readableDidRead) body.destroy();
	else body.once('data', () => body.destroy());
}
