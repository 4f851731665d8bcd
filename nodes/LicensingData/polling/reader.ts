import { Failure } from '../api/failure';
import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import type { Service } from '../api/request';
import type { License, ListQuery } from '../api/types';
import type { ReadPage } from '../feed/poll';

/** How a service may say that it does not know a cursor (any more); the interface does not show it. */
const CURSOR_REFUSED = new Set([400, 404, 410, 422]);

/** Hands the feed its pages; what goes wrong becomes a value that the feed can weigh. */
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
			const { status } = error as Partial<Failure>;
			if (cursor !== null && CURSOR_REFUSED.has(status ?? 0)) return { expired: true };
			return { failure: error };
		}
	};
}
