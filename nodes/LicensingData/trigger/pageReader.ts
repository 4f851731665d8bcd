import { Failure } from '../licenses/failure';
import { LARGEST_PAGE, type ListQuery } from '../licenses/licenseList';
import type { License } from '../licenses/license';
import { withCountySlug, type CountySpelling } from '../service/countySlug';
import { readPage } from '../service/licenses';
import { pause } from '../service/pause';
import { refusesValue } from '../service/refusals';
import type { Service } from '../service/request';
import type { WatchedList } from './feed/types';

/** Gets the feed its pages. Failures become values that the feed can weigh. */
export function pageReader(
	service: Service,
	query: ListQuery,
	timeLeft: () => number,
	spelling: CountySpelling,
	isOptional = false,
): WatchedList<License>['readPage'] {
	const ask = withCountySlug(async (asked) => await readPage(service, asked), spelling);
	return async (cursor) => {
		const asked: ListQuery = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
		try {
			const page = await ask(asked).catch(async (error: unknown) => {
				// Someone who polls once a day would otherwise read a long list for days.
				const wait = isRateLimit(error) && cursor !== null ? error.retryAfter : undefined;
				if (wait === undefined || wait >= timeLeft() / 2) throw error;
				await pause(wait);
				return await ask(asked);
			});
			keepName(spelling);
			return page;
		} catch (error) {
			if (refusesValue(error)) keepName(spelling);
			if (cursor === null || !refusesValue(error))
				return {
					failure: error,
					isRateLimit: isRateLimit(error),
					isLacking: isOptional && refusesValue(error),
				};
			const failure = error.withFacts({ isTransient: true });
			return { failure, hasExpired: true };
		}
	};
}

/** Where neither name brings anything, it is asked for by one alone as long as this spelling is kept. */
const keepName = (spelling: CountySpelling): void => void (spelling.isSlug ??= false);

const isRateLimit = (error: unknown): error is Failure =>
	error instanceof Failure && error.status === 429;
