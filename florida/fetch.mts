import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { dayOf } from './calendar.mts';
import { isWebPage, Refusal } from './csv.mts';
import { readText, writeWhole } from './memory.mts';
import { STATE_ADDRESS } from './sources.mts';

const LARGEST_FILE = 64 * 2 ** 20;
const LONGEST_ANSWER = 120_000;
const MOST_REDIRECTS = 3;
/** Minutes before each try of a day. */
const WAITS = [0, 5, 30];

export interface FetchOptions {
	/** Whom the state may write to. */
	contact?: string | undefined;
	say: (line: string) => void;
	/** The rest is for tests. */
	address?: string;
	timeout?: number;
	wait?: (milliseconds: number) => Promise<unknown>;
	now?: () => number;
}

/** What has been asked, so that a service that is started again and again asks once a day all the same. */
type Asked = Record<string, { day: string; tries: number; lastModified?: string | undefined }>;

/**
 * Fetches the files that have not been asked for today, one after another, and those that fail again. Says why one
 * did not come. `unusable` are asked for even if they have not changed.
 */
export async function fetchDue(
	sources: readonly string[],
	unusable: readonly string[],
	folder: string,
	options: FetchOptions,
): Promise<Record<string, string | undefined>> {
	const { say, wait = sleep, now = Date.now } = options;
	const results: Record<string, string | undefined> = {};
	for (const minutes of WAITS) {
		const asked = await askedFrom(folder);
		const due = sources.filter((source) => triesOf(asked[source], now()) < WAITS.length);
		if (due.length === 0) break;
		if (minutes > 0) {
			say(`Trying ${due.join(', ')} again in ${minutes} minutes.`);
			await wait(minutes * 60_000);
		}
		for (const source of due)
			results[source] = await fetchOne(source, unusable.includes(source), folder, options);
	}
	return results;
}

const askedFrom = async (folder: string): Promise<Asked> =>
	JSON.parse((await readText(join(folder, 'asked.json'))) ?? '{}') as Asked;

const triesOf = (entry: Asked[string] | undefined, now: number): number =>
	entry?.day === dayOf(now) ? entry.tries : 0;

async function fetchOne(
	source: string,
	isUnusable: boolean,
	folder: string,
	{ contact, say, address = STATE_ADDRESS, timeout = LONGEST_ANSWER, now = Date.now }: FetchOptions,
): Promise<string | undefined> {
	const asked = await askedFrom(folder);
	const { lastModified } = asked[source] ?? {};
	const entry = { day: dayOf(now()), tries: triesOf(asked[source], now()) + 1, lastModified };
	asked[source] = entry;
	const remember = async () =>
		await writeWhole(join(folder, 'asked.json'), [JSON.stringify(asked)]);
	// Before it is asked, so that being stopped makes nobody ask more often.
	await remember();
	const headers = {
		'User-Agent': `licensing-data-florida/0.1 (+${contact ?? 'https://github.com/n8n-nodes-licensing-data'})`,
		Accept: 'text/csv, */*;q=0.5',
		...(lastModified !== undefined && !isUnusable && { 'If-Modified-Since': lastModified }),
	};
	const url = new URL(`${source}.csv`, address);
	const signal = AbortSignal.timeout(timeout);
	try {
		const response = await answerOf(url, headers, signal);
		const isSame = response.status === 304;
		const bytes = isSame ? 0 : await save(response, join(folder, 'raw', `${source}.csv`));
		if (!isSame) entry.lastModified = response.headers.get('last-modified') ?? undefined;
		entry.tries = WAITS.length;
		say(`${source}: ${isSame ? 'not changed' : `${bytes} bytes`}`);
		return undefined;
	} catch (error) {
		if (error instanceof Refusal) entry.tries = WAITS.length;
		const why = reasonOf(error as Error, signal);
		say(`${source}: ${why}`);
		return `was not fetched: ${why}. Download ${url.href} in a browser, put it into a folder, and start with --files and that folder`;
	} finally {
		await remember();
	}
}

/** The file, or that it has not changed. Anything else is said, and never got around. */
async function answerOf(
	start: URL,
	headers: Record<string, string>,
	signal: AbortSignal,
): Promise<Response> {
	let url = start;
	for (let redirects = 0; ; redirects++) {
		const response = await fetch(url, { headers, redirect: 'manual', signal });
		const { status } = response;
		if (status === 200 || status === 304) return response;
		await response.body?.cancel();
		if (status >= 500 || status === 429 || status === 408)
			throw new Error(`the server answered ${status}`);
		if (status < 300 || status >= 400) throw new Refusal(`the server refused it (${status})`);
		const location = response.headers.get('location') ?? '';
		const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
		if (
			next?.protocol !== 'https:' ||
			next.hostname !== start.hostname ||
			redirects === MOST_REDIRECTS
		)
			throw new Refusal(`the server sends to another address (${status})`);
		url = next;
	}
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
	await writeWhole(`${path}.new`, checked(), { time });
	await rename(path, `${path}.before`).catch(() => undefined);
	await rename(`${path}.new`, path);
	return bytes;
}

function reasonOf(error: Error, signal: AbortSignal): string {
	if (signal.aborted) return 'the server took too long';
	const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
	return code === undefined ? error.message : `${error.message} (${code})`;
}
