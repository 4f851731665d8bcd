import { refusesCursor } from '../api/failure';
import { LARGEST_PAGE, listLicenses } from '../api/licenses';
import type { Service } from '../api/request';
import type { License, ListQuery } from '../api/types';
import type { ReadPage } from '../feed/poll';
import type { Budget } from './budget';

/** Hands the feed its pages; what goes wrong becomes a value that the feed can weigh. */
export function pageReader(
	service: Service,
	query: ListQuery,
	withReserve: Budget['withReserve'],
): ReadPage<License> {
	let isFirst = true;
	return async (cursor) => {
		const read = async () =>
			await listLicenses(service, { ...query, limit: LARGEST_PAGE, cursor: cursor ?? undefined });
		// A cursor of an earlier poll may fail for good, and slowly. The news at the top must not wait for it.
		const isResuming = isFirst && cursor !== null;
		isFirst = false;
		try {
			const { data, pagination } = await (isResuming ? withReserve(read) : read());
			return { records: data, cursor: pagination.cursor, total: pagination.total };
		} catch (error) {
			return cursor !== null && refusesCursor(error) ? { expired: true } : { failure: error };
		}
	};
}
