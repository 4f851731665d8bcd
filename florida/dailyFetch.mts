import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { isWebPage, Refusal } from './csvFile.mts';
import { dayOf } from './days.mts';
import { readText, unlessMissing, writeWhole, type Outcomes } from './memory.mts';
import { STATE_ADDRESS } from './sources.mts';

const LARGEST_FILE = 64 * 2 ** 20;
const LONGEST_ANSWER = 120_000;
/** Minutes before each try of a day. */
const WAITS = [0, 5, 30];

export interface FetchOptions {
	/** The hour of the day from which on files are fetched. */
	hour?: number;
	/** Whom the state may write to. */
	contact?: string | undefined;
	say: (line: string) => void;
	/** The rest is for tests. */
	address?: string;
	timeout?: number;
	wait?: (milliseconds: number) => Promise<unknown>;
	now?: () => number;
}

/** Says whether it is too early in the day to ask the state. */
export const isTooEarly = ({ hour = 0, now = Date.now }: FetchOptions): boolean =>
	new Date(now()).getHours() < hour;

/**
 * Fetches the files that have not been asked for today, one after another, and those that fail again. Says why one
 * did not come. `unusable` are asked for even if they have not changed.
 */
export async function fetchDue(
	sources: readonly string[],
	unusable: Outcomes,
	data: string,
	options: FetchOptions,
): Promise<Outcomes> {
	const { contact = 'https://github.com/n8n-nodes-licensing-data', say } = options;
	const { address = STATE_ADDRESS, wait = sleep, now = Date.now } = options;
	// On which day each was asked for, so that a service that is started again and again asks once a day all the same.
	const memory = join(data, 'asked.json');
	const asked = JSON.parse((await readText(memory)) ?? '{}') as Record<string, string>;
	const results: Outcomes = {};
	let due = sources.filter((source) => asked[source] !== dayOf(now()));
	for (const minutes of WAITS) {
		if (minutes > 0 && due.length > 0) {
			say(`Trying ${due.join(', ')} again in ${minutes} minutes.`);
			await wait(minutes * 60_000);
		}
		const failed: string[] = [];
		for (const source of due) {
			const url = new URL(`${source}.csv`, address);
			const path = join(data, 'raw', `${source}.csv`);
			const known = unusable[source] ? undefined : await stat(path).catch(unlessMissing);
			const headers = {
				'User-Agent': `licensing-data-florida/0.1 (+${contact})`,
				...(known && { 'If-Modified-Since': known.mtime.toUTCString() }),
			};
			const signal = AbortSignal.timeout(options.timeout ?? LONGEST_ANSWER);
			try {
				const answer = await answerOf(url, { headers, signal });
				const bytes = answer.status === 304 ? null : await save(answer, path);
				say(`${source}: ${bytes === null ? 'not changed' : `${bytes} bytes`}`);
				results[source] = undefined;
			} catch (error) {
				const why = reasonOf(error as Error, signal);
				results[source] =
					`was not fetched: ${why}. Download ${url.href} in a browser, put it into a folder, and start with --files and that folder`;
				say(`${source} ${results[source]}.`);
				if (!(error instanceof Refusal)) failed.push(source);
			}
			if (failed.includes(source) && minutes !== WAITS.at(-1)) continue;
			asked[source] = dayOf(now());
			await writeWhole(memory, [JSON.stringify(asked)]);
		}
		due = failed;
	}
	return results;
}

/** The file, or that it has not changed. Anything else is said, and never got around. */
async function answerOf(url: URL, init: RequestInit, redirects = 3): Promise<Response> {
	const response = await fetch(url, { ...init, redirect: 'manual' });
	const { status } = response;
	if (status === 200 || status === 304) return response;
	await response.body?.cancel();
	if (status >= 500 || status === 429 || status === 408)
		throw new Error(`the server answered ${status}`);
	if (status < 300 || status >= 400) throw new Refusal(`the server refused it (${status})`);
	const next = new URL(response.headers.get('location') ?? '', url);
	if (next.protocol !== 'https:' || next.host !== url.host || redirects === 0)
		throw new Refusal(`the server sends to another address (${status})`);
	return await answerOf(next, init, redirects - 1);
}

/** Puts a file in the place of the one before, of which a copy stays. */
async function save({ body, headers }: Response, path: string): Promise<number> {
	let bytes = 0;
	async function* checked() {
		for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
			if (bytes === 0 && isWebPage(chunk))
				throw new Refusal('the server sent a web page in its place, maybe a challenge');
			bytes += chunk.length;
			if (bytes > LARGEST_FILE) throw new Refusal('it is larger than 64 MB');
			yield chunk;
		}
	}
	const changed = new Date(headers.get('last-modified') ?? Number.NaN);
	// Its time is its day. A server that says nonsense, or a day to come, says nothing.
	const time = changed.getTime() <= Date.now() ? changed : undefined;
	await writeWhole(`${path}.new`, checked(), time);
	await rename(path, `${path}.before`).catch(() => undefined);
	await rename(`${path}.new`, path);
	return bytes;
}

function reasonOf(error: Error, signal: AbortSignal): string {
	if (signal.aborted) return 'the server took too long';
	const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
	return code === undefined ? error.message : `${error.message} (${code})`;
}
