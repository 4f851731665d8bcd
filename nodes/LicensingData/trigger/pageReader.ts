import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type ListQuery } from '../licenses/licenseList';
import type { License } from '../licenses/license';
import { readPage } from '../service/list';
import { pause } from '../service/pause';
import { refusesValue } from '../service/refusals';
import type { Service } from '../service/request';
import type { WatchedList } from './feed/types';

/** Gets the feed its pages. */
export function pageReader(
	service: Service,
	query: ListQuery,
	timeLeft: () => number,
	isOptional = false,
): WatchedList<License>['readPage'] {
	return async (cursor) => {
		const asked: ListQuery = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
		let page = await readPage(service, asked, true);
		// Someone who polls once a day would otherwise read a long list for days.
		const wait = isRateLimit(page) && cursor !== null ? page.retryAfter : undefined;
		if (wait !== undefined && wait < timeLeft() / 2) {
			await pause(wait);
			page = await readPage(service, asked, true);
		}
		if (!(page instanceof Failure)) return page;
		if (cursor === null || !refusesValue(page))
			return {
				failure: page,
				isRateLimit: isRateLimit(page),
				isLacking: isOptional && refusesValue(page),
			};
		return { failure: page.withFacts({ isTransient: true }), hasExpired: true };
	};
}

const isRateLimit = (error: unknown): error is Failure =>
	error instanceof Failure && error.status === 429;
