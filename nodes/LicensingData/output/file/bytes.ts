import type { Layout } from './layouts';

/** Writing each record by itself would take longer than reading it. */
const CHARACTERS_IN_A_CHUNK = 65_536;

/** Turns records into the bytes of a file as they come in, and keeps none of them. */
export async function* toBytes<Record>(
	pages: AsyncIterable<Record[]>,
	{ start, between, end, write }: Layout<Record>,
): AsyncGenerator<Buffer> {
	let text = start;
	let isFirst = true;
	for await (const page of pages) {
		for (const record of page) {
			const written = write(record);
			if (written === undefined) continue;
			text += isFirst ? written : between + written;
			isFirst = false;
		}
		if (text.length >= CHARACTERS_IN_A_CHUNK) {
			yield Buffer.from(text);
			text = '';
		}
	}
	yield Buffer.from(text + end);
}
