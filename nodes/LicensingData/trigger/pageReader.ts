import { withHyphens } from '../domain/counties';
import { Failure, refusesCursor, refusesValue } from '../domain/failure';
import { LARGEST_PAGE, type ListQuery } from '../domain/licenseList';
import type { License } from '../domain/license';
import { readPage } from '../transport/licenses';
import { pause } from '../transport/pause';
import type { Service } from '../transport/request';
import type { WatchedList } from './feed/types';

/** How the service may write a county: as the state does, and as in an address. */
const SPELLINGS = [(county: string) => county, withHyphens] as const;

export const spellingsOf = ({ county }: ListQuery): number =>
	county === undefined ? 1 : SPELLINGS.length;

/** Gets the feed its pages. Failures become values that the feed can weigh. */
export function pageReader(
	service: Service,
	query: ListQuery,
	timeLeft: () => number,
): WatchedList<License>['readPage'] {
	return async (cursor, spelling) => {
		const { county } = query;
		const asked: ListQuery = { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined };
		if (county !== undefined) asked.county = SPELLINGS[spelling]?.(county);
		try {
			return await readPage(service, asked).catch(async (error: unknown) => {
				// Someone who polls once a day would otherwise read a long list for days.
				const wait = isRateLimit(error) && cursor !== null ? error.retryAfter : undefined;
				if (wait === undefined || wait >= timeLeft() / 2) throw error;
				await pause(wait);
				return await readPage(service, asked);
			});
		} catch (error) {
			if (cursor !== null && refusesCursor(error)) return { expired: true };
			return { failure: error, isRateLimit: isRateLimit(error) };
		}
	};
}

/** For an event that the service may not know: a service that refuses it has none of them. */
export const orNothing =
	(readPage: WatchedList<License>['readPage']): WatchedList<License>['readPage'] =>
	async (cursor, spelling) => {
		const page = await readPage(cursor, spelling);
		const isUnknown = 'failure' in page && refusesValue(page.failure);
		return isUnknown ? { records: [], cursor: null } : page;
	};

const isRateLimit = (error: unknown): error is Failure =>
	error instanceof Failure && error.status === 429;
