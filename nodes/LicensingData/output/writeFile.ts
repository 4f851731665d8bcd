import { Hash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import type { Layout } from './layouts';

/**
 * Bytes. If n8n keeps a file in memory, it holds several copies while it saves the execution, and on a small
 * machine Node.js gives n8n only 512 MB.
 */
export const MOST_IN_MEMORY = 64_000_000;

const tooLarge = () =>
	new Failure(
		`The file grew larger than the ${MOST_IN_MEMORY / 1e6} MB that n8n can safely hold in memory`,
		"Export less at a time with 'Filters', such as one county. Or let n8n keep files on disk (N8N_DEFAULT_BINARY_DATA_MODE=filesystem), where files can be any size.",
	);

export interface File {
	pages: AsyncIterable<License[]>;
	layout: Layout<License>;
	fileName: string;
	mimeType: string;
}

/**
 * Hands the bytes of a file to n8n while its pages come in. On disk they are written right away; everywhere
 * else (in a database, in S3, in the item itself) n8n collects the whole file first.
 */
export async function writeFile(
	{ helpers }: { helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'> },
	{ pages, layout, fileName, mimeType }: File,
): Promise<IBinaryData> {
	async function* bytes(): AsyncGenerator<Buffer> {
		let size = 0;
		for await (const chunk of toBytes(pages, layout)) {
			// n8n listens for 'data' to collect a stream in memory, and asks for chunks to write it to disk.
			if ((size += chunk.length) > MOST_IN_MEMORY && stream.listenerCount('data') > 0)
				throw tooLarge();
			yield chunk;
		}
	}
	// n8n wants a Node.js stream. Nodes may not import those, but they may import Hash, which is one.
	const stream = Hash.from(bytes());
	return await helpers.prepareBinaryData(stream, fileName, mimeType);
}

/** Writing each record by itself would take longer than reading it. */
const CHARACTERS_IN_A_CHUNK = 65_536;

/** Turns records into the bytes of a file as they come in, and keeps none of them. */
export async function* toBytes<Record>(
	pages: AsyncIterable<Record[]>,
	{ start = '', between = '', end = '', write }: Layout<Record>,
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
