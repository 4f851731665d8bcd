import type { IPollFunctions } from 'n8n-workflow';

import { unexpectedAnswer } from '../service/answer';
import { readPage } from '../service/licenses';
import { pause } from '../service/pause';
import { refusesValue } from '../service/refusals';
import { connect } from '../service/request';
import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../licenses/licenseList';

const RETRIES = 5;
const TIMEOUT = 30_000;

/** As long as n8n's own back-off. A service that asks for days by mistake must not silence a trigger for days. */
const LONGEST_WAIT = 3_600_000;

/** Why there is no page. */
export interface NoPage {
	failure: unknown;
	isRateLimit?: boolean;
	/** The service does not have this event, and nobody chose it. */
	isLacking?: boolean;
}

/** Reads a page of a list, the first one for null. */
export type ReadPage = (cursor: string | null) => Promise<LicensePage | NoPage>;

/**
 * Until when the service has asked not to be asked again. A limit is that of a key, so all triggers of the process wait
 * that use it. n8n has a back-off of its own, but only with durable cursors, and only for polls that throw.
 */
const waits = new Map<string, number>();

/** How long the service still wants to be left alone. */
export function waitAskedFor(key: string): number {
	const left = (waits.get(key) ?? 0) - Date.now();
	// A clock that was set back must not make the wait longer.
	if (left > 0 && left <= LONGEST_WAIT) return left;
	waits.delete(key);
	return 0;
}

/** How the pages of one poll are read. Failures become values. */
export async function pagesOf(
	context: IPollFunctions,
	key: string,
	timeLeft: () => number,
	say: (line: string) => void,
) {
	const service = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft });
	let hasAnswered = false;
	const ask = async (query: ListQuery): Promise<LicensePage> =>
		await readPage(service, query).catch((error: unknown) => {
			if (error instanceof Failure && error.retryAfter) {
				const until = Date.now() + Math.min(error.retryAfter, LONGEST_WAIT);
				waits.set(key, until);
				const when = new Date(until).toISOString();
				say(
					`The service asks to wait (${error.message}). Until ${when}, polls with this key ask for nothing.`,
				);
			}
			throw error;
		});
	/** Someone who polls once a day would read a long list for days if a limit ended each poll. */
	const askTwice = async (query: ListQuery): Promise<LicensePage> =>
		await ask(query).catch(async (error: unknown) => {
			const wait = waitAskedFor(key);
			// n8n is told of a limit that a poll begins with.
			const mayWait = isLimit(error) && hasAnswered && wait > 0 && wait < timeLeft() / 2;
			if (!mayWait) throw error;
			await pause(wait);
			return await ask(query);
		});
	return (query: ListQuery, isOptional: boolean): ReadPage =>
		async (cursor) => {
			try {
				const page = await askTwice({ ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined });
				if (cursor === null && page.records.length === 0 && page.total) throw emptyPage(page.total);
				hasAnswered = true;
				return page;
			} catch (failure) {
				const isRefused = refusesValue(failure);
				// A marker may have expired. The reading begins again, and needs another one.
				if (cursor !== null && isRefused)
					return { failure: failure.withFacts({ isTransient: true }) };
				return { failure, isRateLimit: isLimit(failure), isLacking: isOptional && isRefused };
			}
		};
}

const isLimit = (error: unknown): boolean => error instanceof Failure && error.status === 429;

const emptyPage = (total: number): Failure =>
	unexpectedAnswer(`The first page of the list is empty, and its total is ${total}.`).withFacts({
		isTransient: true,
	});
