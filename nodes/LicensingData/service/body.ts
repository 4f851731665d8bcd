/**
 * Fifty licenses take about 50 KB, and with long texts ten times as much. Up to a hundred lists are read side by side,
 * with two answers each. The limit applies to the unpacked answer.
 */
export const LARGEST_ANSWER = 1_000_000;

/** What n8n returns as the body for `encoding: 'stream'`. */
type Stream = AsyncIterable<Uint8Array> & {
	destroy(): void;
	once(event: 'data', listener: () => void): void;
	readableDidRead: boolean;
};

/**
 * The bytes of an answer, or undefined if there are too many. n8n sets no limit of its own. Leaving the
 * stream before its end closes the connection.
 */
export async function readBytes(body: unknown): Promise<Uint8Array | undefined> {
	const parts: Uint8Array[] = [];
	let size = 0;
	for await (const part of body as Stream) {
		size += part.length;
		if (size > LARGEST_ANSWER) return undefined;
		parts.push(part);
	}
	return Buffer.concat(parts, size);
}

/** For an answer that nobody is waiting for anymore: it would go on filling memory. */
export function discard(body: unknown): void {
	const stream = body as Stream;
	// n8n's stream releases the connection only once something has been read from it.
	if (stream.readableDidRead) stream.destroy();
	else stream.once('data', () => stream.destroy());
}
