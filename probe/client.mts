import { formatWait } from '../nodes/LicensingData/licenses/time.ts';
import { parseJson, readBytes } from '../nodes/LicensingData/service/answer.ts';
import { retryAfter } from '../nodes/LicensingData/service/backoff.ts';
import type { Recorder } from './recorder.mts';

/** One answer of the service, as far as the probe looks at it. */
export interface Answer {
	status: number;
	headers: Headers;
	/** Undefined if the answer is no JSON. */
	body: unknown;
}

export interface ClientOptions {
	baseUrl: string;
	apiKey: string;
	sleep: (milliseconds: number) => Promise<void>;
	now: () => number;
	/** Told how far it is, and what it waits for. */
	say?: (line: string) => void;
	/** Keeps the answers, with made-up names. */
	recorder?: Recorder | undefined;
}

export type Query = Record<string, string | number>;

class OutOfRequests extends Error {}
class TooOftenRefused extends Error {}

const MOST_REQUESTS = 60;
/** Whoever uses the key alone meets the limit once or twice. */
const MOST_REFUSED = 10;
const LONGEST_WAIT = 65_000;
/** Milliseconds. Shorter waits are not worth a line. */
const LONG_WAIT = 2_000;
const LINE_EVERY = 10;
const TIMEOUT = 30_000;
/** Where the service says nothing about its limits. */
const PAUSE = 300;
export const ABOUT_LIMITS = /limit|quota|remaining|throttle|throttling|credit|usage|retry/;

/** Reads, and nothing else; never more often than the service allows, and never more than 60 times. */
export class Client {
	requests = 0;
	/** How many answers said that the limit was reached. */
	refused = 0;
	/** Every header that may be about limits, with its latest value: also those that the nodes do not know. */
	readonly limitHeaders = new Map<string, string>();
	private waitUntil = 0;
	private pace = PAUSE;
	private readonly sentAt: number[] = [];

	constructor(private readonly options: ClientOptions) {}

	async ask(path: string, query: Query = {}, apiKey = this.options.apiKey): Promise<Answer> {
		for (;;) {
			const answer = await this.askOnce(path, query, apiKey);
			if (answer.status !== 429) return answer;
			if (++this.refused >= MOST_REFUSED)
				throw new TooOftenRefused(
					`The service answered with HTTP 429 ${this.refused} times. If something else uses this key, such as a workflow, stop it while you rerun, or give the probe its own key`,
				);
		}
	}

	private async askOnce(path: string, query: Query, apiKey: string): Promise<Answer> {
		const { baseUrl, sleep, now, say = () => {}, recorder } = this.options;
		if (this.requests >= MOST_REQUESTS)
			throw new OutOfRequests(`${MOST_REQUESTS} requests were not enough`);
		const wait = this.waitUntil - now();
		if (wait >= LONG_WAIT)
			say(
				`Waiting ${formatWait(wait)} before request ${this.requests + 1} of at most ${MOST_REQUESTS} (${this.refused} got HTTP 429)`,
			);
		if (wait > 0) await sleep(wait);
		this.requests++;
		if (this.requests % LINE_EVERY === 0)
			say(`${this.requests} of at most ${MOST_REQUESTS} requests`);
		this.sentAt.push(now());
		const [sentPath, sentQuery] = recorder?.revealed(path, query) ?? [path, query];
		const url = new URL(baseUrl + sentPath);
		for (const [name, value] of Object.entries(sentQuery))
			url.searchParams.set(name, String(value));
		const response = await fetch(url, {
			headers: { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' },
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT),
		});
		const bytes = await readBytes(response.body ?? new Blob([]).stream());
		this.waitUntil = now() + this.pauseAfter(response);
		const { status, headers } = response;
		const answer = { status, headers, body: parseJson(bytes) };
		return recorder?.keep(path, query, apiKey === this.options.apiKey, answer) ?? answer;
	}

	private pauseAfter({ status, headers }: Response): number {
		for (const [name, value] of headers)
			if (ABOUT_LIMITS.test(name)) this.limitHeaders.set(name, value);
		if (status !== 429) return this.pace;
		const asked = retryAfter(headers.get('retry-after'), this.options.now()) || LONGEST_WAIT;
		// So many were allowed within a minute, and then no more: from now on, they are spread.
		const recent = this.sentAt.filter((at) => at > this.options.now() - 60_000).length;
		this.pace = Math.max(this.pace, 66_000 / Math.max(1, recent - 1));
		return Math.min(LONGEST_WAIT, asked + 1000);
	}
}
