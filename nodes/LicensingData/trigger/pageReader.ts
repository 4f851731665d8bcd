import { refusesCursor } from '../domain/failure';
import { withCountySlug } from '../transport/countySlug';
import { listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import { LARGEST_PAGE, type ListQuery } from '../domain/licenseList';
import type { ReadPage } from './feed/scan';
import type { License } from '../domain/license';

/** Gets the feed its pages. Failures become values that the feed can weigh. */
export function pageReader(service: Service, query: ListQuery): ReadPage<License> {
	const list = withCountySlug(async (one) => await listLicenses(service, one));
	return async (cursor) => {
		try {
			return await list({ ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined });
		} catch (error) {
			return cursor !== null && refusesCursor(error) ? { expired: true } : { failure: error };
		}
	};
}
