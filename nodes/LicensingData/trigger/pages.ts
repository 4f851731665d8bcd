import type { IPollFunctions } from 'n8n-workflow';

import { unexpectedAnswer } from '../service/answer';
import { readPage } from '../service/licenses';
import { pause } from '../service/pause';
import { refusesValue } from '../service/refusals';
import { connect, type Service } from '../service/request';
import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../licenses/licenseList';

const RETRIES = 5;
const TIMEOUT = 30_000;

/** As long as n8n's own back-off. A service that asks for days by mistake must not silence a trigger for days. */
const LONGEST_WAIT = 3_600_000;

/** Why there is no page. If its cursor was refused, the list can be read from its top again. */
export interface NoPage {
	failure: unknown;
	isRateLimit?: boolean;
	isRefused?: boolean;
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
export class Pages {
	private hasAnswered = false;

	constructor(
		private readonly key: string,
		private readonly service: Service,
		private readonly timeLeft: () => number,
		private readonly onWait: (failure: Failure, until: number) => void,
	) {}

	static async of(
		context: IPollFunctions,
		key: string,
		timeLeft: () => number,
		onWait: (failure: Failure, until: number) => void,
	): Promise<Pages> {
		const service = await connect(context, { retries: RETRIES, timeout: TIMEOUT, timeLeft });
		return new Pages(key, service, timeLeft, onWait);
	}

	reader(query: ListQuery, isOptional: boolean): ReadPage {
		return async (cursor) => {
			const asked: ListQuery = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
			try {
				const page = await this.ask(asked);
				if (cursor === null && page.records.length === 0 && page.total) throw emptyPage(page.total);
				this.hasAnswered = true;
				return page;
			} catch (error) {
				const isRefused = refusesValue(error);
				if (cursor !== null && isRefused)
					return { failure: error.withFacts({ isTransient: true }), isRefused };
				const isRateLimit = isLimit(error);
				return { failure: error, isRateLimit, isLacking: isOptional && isRefused };
			}
		};
	}

	/** Someone who polls once a day would read a long list for days if a limit ended each poll. */
	private async ask(query: ListQuery): Promise<LicensePage> {
		try {
			return await readPage(this.service, query);
		} catch (error) {
			this.note(error);
			const wait = waitAskedFor(this.key);
			// n8n is told of a limit that a poll begins with.
			const mayWait = isLimit(error) && this.hasAnswered && wait > 0;
			if (!mayWait || wait >= this.timeLeft() / 2) throw error;
			await pause(wait);
			return await readPage(this.service, query).catch((again: unknown) => {
				this.note(again);
				throw again;
			});
		}
	}

	private note(error: unknown): void {
		if (!(error instanceof Failure) || !error.retryAfter) return;
		const until = Date.now() + Math.min(error.retryAfter, LONGEST_WAIT);
		waits.set(this.key, until);
		this.onWait(error, until);
	}
}

const isLimit = (error: unknown): boolean => error instanceof Failure && error.status === 429;

const emptyPage = (total: number): Failure =>
	unexpectedAnswer(`The first page of the list is empty, and its total is ${total}.`).withFacts({
		isTransient: true,
	});
