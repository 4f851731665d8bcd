import { refusesCursor } from '../domain/failure';
import { LARGEST_PAGE, listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import type { ListQuery } from '../domain/licenseList';
import type { ReadPage } from './feed/scan';
import type { License } from '../domain/license';

/** Gets the feed its pages. Failures become values that the feed can weigh. */
export function pageReader(service: Service, query: ListQuery): ReadPage<License> {
	return async (cursor) => {
		try {
			const { data, pagination } = await listLicenses(service, {
				...query,
				limit: LARGEST_PAGE,
				cursor: cursor ?? undefined,
			});
			return { records: data, cursor: pagination.cursor, total: pagination.total };
		} catch (error) {
			return cursor !== null && refusesCursor(error) ? { expired: true } : { failure: error };
		}
	};
}
