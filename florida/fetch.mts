import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { LARGEST_FILE } from './csv.mts';
import { Refusal } from './refusal.mts';

const LONGEST_ANSWER = 120_000;
const MOST_REDIRECTS = 3;

/** What a try has brought: a file, nothing new, a refusal, or a failure that may pass. */
export type Fetched =
	| { kind: 'file'; bytes: number; lastModified: string | undefined }
	| { kind: 'same' }
	| { kind: 'refused' | 'failed'; why: string };

export interface FetchOptions {
	/** Where the files are. */
	address: string;
	/** Who asks, and where to write to. */
	userAgent: string;
	/** When the file had changed that was read before, as the server said. */
	lastModified?: string | undefined;
	timeout?: number;
}

/** Fetches one file into a folder. Anything but the file is said, and never got around. */
export async function fetchFile(
	source: string,
	folder: string,
	options: FetchOptions,
): Promise<Fetched> {
	const signal = AbortSignal.timeout(options.timeout ?? LONGEST_ANSWER);
	try {
		const response = await answerOf(new URL(`${source}.csv`, options.address), options, signal);
		if ('why' in response) return response;
		if (response.status === 304) return { kind: 'same' };
		return await save(source, folder, response);
	} catch (error) {
		return { kind: 'failed', why: reasonOf(error as Error, signal) };
	}
}

type Refused = Extract<Fetched, { why: string }>;

async function answerOf(
	start: URL,
	{ userAgent, lastModified }: FetchOptions,
	signal: AbortSignal,
): Promise<Response | Refused> {
	const headers = {
		'User-Agent': userAgent,
		Accept: 'text/csv, */*;q=0.5',
		...(lastModified && { 'If-Modified-Since': lastModified }),
	};
	let url = start;
	for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
		const response = await fetch(url, { headers, redirect: 'manual', signal });
		const { status } = response;
		if (status === 200 || status === 304) return response;
		await response.body?.cancel();
		if (status < 300 || status >= 400) return refusalOf(status);
		const location = response.headers.get('location') ?? '';
		const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
		if (!next || next.protocol !== 'https:' || next.hostname !== start.hostname)
			return { kind: 'refused', why: `the server sends to another address (${status})` };
		url = next;
	}
	return { kind: 'refused', why: 'the server redirects again and again' };
}

const refusalOf = (status: number): Refused =>
	status >= 500 || status === 429 || status === 408
		? { kind: 'failed', why: `the server answered ${status}` }
		: { kind: 'refused', why: `the server refused it (${status})` };

async function save(source: string, folder: string, response: Response): Promise<Fetched> {
	if (!response.body) return { kind: 'failed', why: 'the answer was empty' };
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, `${source}.csv`);
	let bytes = 0;
	const body = response.body as unknown as AsyncIterable<Uint8Array>;
	const checked = async function* () {
		for await (const chunk of body) {
			if (bytes === 0 && /^\s*</.test(Buffer.from(chunk).toString('latin1', 0, 100)))
				throw new Refusal('the server sent a web page in its place, maybe a challenge');
			bytes += chunk.length;
			if (bytes > LARGEST_FILE) throw new Refusal('it is larger than 64 MB');
			yield chunk;
		}
	};
	try {
		await pipeline(checked, createWriteStream(`${path}.part`, { mode: 0o600, flush: true }));
	} catch (error) {
		await rm(`${path}.part`, { force: true });
		if (error instanceof Refusal) return { kind: 'refused', why: error.message };
		throw error;
	}
	const lastModified = response.headers.get('last-modified') ?? undefined;
	const changed = new Date(lastModified ?? Date.now());
	// Its time is its day. A server that says nonsense, or a day to come, says nothing.
	if (changed.getTime() <= Date.now()) await utimes(`${path}.part`, changed, changed);
	await rename(`${path}.part`, path);
	return { kind: 'file', bytes, lastModified };
}

function reasonOf(error: Error & { cause?: unknown }, signal: AbortSignal): string {
	if (signal.aborted) return 'the server took too long';
	const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
	return code ? `${error.message} (${code})` : error.message;
}
