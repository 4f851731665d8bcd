/**
 * Fifty licenses are some fifty kilobytes, and a thousand with long texts are one and a half megabytes. Reading
 * JSON that is made to be slow blocks n8n for about a third of a second at this size. What counts is what an
 * answer unpacks to.
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
 * The bytes of an answer, or undefined where there are too many of them. n8n sets no bound of its own. Leaving
 * the stream before its end closes the connection.
 */
export async function readBytes(
	body: unknown,
	headers: Record<string, unknown>,
): Promise<Uint8Array | undefined> {
	// A host that mocks requests may hand over what it has made of the body.
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

/** For an answer that nobody waits for any longer: it would go on filling the memory. */
export function discard(body: unknown): void {
	if (!isStream(body)) return;
	// n8n's stream lets go of the connection only once something has been read from it.
	if (body.readableDidRead) body.destroy();
	else body.once('data', () => body.destroy());
}

/** The text in its own character set; undefined where the bytes are none, so that no name is read wrongly. */
export function decode(bytes: Uint8Array, contentType: unknown): string | undefined {
	const [, charset = 'utf-8'] = /charset\s*=\s*"?([^\s;"]+)/i.exec(String(contentType ?? '')) ?? [];
	// Read as UTF-16, almost any bytes are letters. Where they are, every other byte of JSON is zero.
	const isWrong = /utf-?16|ucs-?2/i.test(charset) && !bytes.includes(0);
	return (isWrong ? undefined : decodeAs(charset, bytes)) ?? decodeAs('utf-8', bytes);
}

function decodeAs(charset: string, bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder(charset, { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}
