import { refusesCursor } from '../domain/failure';
import { CountyNames } from '../transport/countyNames';
import type { Service } from '../transport/request';
import { LARGEST_PAGE, type ListQuery } from '../domain/licenseList';
import type { ReadPage } from './feed/scan';
import type { License } from '../domain/license';

/** Gets the feed its pages. Failures become values that the feed can weigh. */
export function pageReader(service: Service, query: ListQuery): ReadPage<License> {
	const counties = query.county === undefined ? [] : [query.county];
	const { list } = new CountyNames(service, { counties });
	return async (cursor) => {
		try {
			return await list({ ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined });
		} catch (error) {
			return cursor !== null && refusesCursor(error) ? { expired: true } : { failure: error };
		}
	};
}
