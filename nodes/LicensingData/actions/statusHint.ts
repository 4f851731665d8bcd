import { LARGEST_PAGE, type ListQuery } from '../domain/licenseList';
import { statusesOf } from '../domain/statuses';
import { listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';

/** For an empty result. The interface does not list the statuses, so one may be looked for in vain. */
export async function statusHint(service: Service, query?: ListQuery): Promise<string> {
	const { records } = await listLicenses(service, {
		...query,
		status: undefined,
		limit: LARGEST_PAGE,
	});
	return `No license with this 'Status' matches the filters. The newest licenses have: ${statusesOf(records)}.`;
}
