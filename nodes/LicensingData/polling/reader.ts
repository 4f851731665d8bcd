import { refusesCursor } from '../api/failure';
import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import type { Service } from '../api/request';
import type { ListQuery } from '../api/types';
import type { ReadPage } from '../feed/scan';
import type { License } from '../license/license';

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
