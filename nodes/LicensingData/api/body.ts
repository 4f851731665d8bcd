/** Fifty licenses are some fifty kilobytes. What counts is not what arrives but what it unpacks to. */
const LARGEST_ANSWER = 10_000_000;

type Stream = AsyncIterable<Uint8Array> & { destroy(): void };

const isStream = (body: unknown): body is Stream =>
	typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;

/**
 * The text of an answer, or undefined where there is too much of it. n8n sets no bound of its own. Leaving
 * the stream before its end closes the connection.
 */
export async function readText(body: unknown): Promise<string | undefined> {
	// A host that mocks requests may hand over what it has made of the body.
	if (!isStream(body)) return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of body) {
		size += part.length;
		if (size > LARGEST_ANSWER) return undefined;
		parts.push(part);
	}
	return Buffer.concat(parts, size).toString('utf8');
}

/** For an answer that nobody waits for any longer: it would go on filling the memory. */
export function discard(body: unknown): void {
	if (isStream(body)) body.destroy();
}
