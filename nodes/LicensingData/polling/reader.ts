import { refusesCursor } from '../api/failure';
import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import type { Service } from '../api/request';
import type { License, ListQuery } from '../api/types';
import type { ReadPage } from '../feed/poll';

/**
 * Hands the feed its pages; what goes wrong becomes a value that the feed can weigh. The first page is read
 * through `resuming`, where it is not the top.
 */
export function pageReader(
	service: Service,
	query: ListQuery,
	resuming: Service = service,
): ReadPage<License> {
	let isFirst = true;
	return async (cursor) => {
		const way = isFirst && cursor !== null ? resuming : service;
		isFirst = false;
		try {
			const { data, pagination } = await listLicenses(way, {
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
