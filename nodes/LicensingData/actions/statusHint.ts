import { LARGEST_PAGE } from '../domain/licenseList';
import { statusesOf } from '../domain/statuses';
import { toOneQuery, type FilterValues } from '../parameters/filter';
import { LIST_FILTERS } from '../parameters/licenseFilters';
import { withCountySlug } from '../transport/countySlug';
import { listLicenses } from '../transport/licenses';
import type { Service } from '../transport/request';
import type { Execution } from './action';

/** For an empty result. The interface does not list the statuses, so one may be looked for in vain. */
export async function hintAtStatuses(
	service: Service,
	filters: FilterValues,
	{ hint }: Pick<Execution, 'hint'>,
): Promise<void> {
	if (filters.status === undefined) return;
	const { query } = toOneQuery(LIST_FILTERS, filters);
	const anyStatus = { ...query, status: undefined, limit: LARGEST_PAGE };
	// The result is what was asked for; a hint is not worth failing for.
	const list = withCountySlug(async (one) => await listLicenses(service, one));
	const page = await list(anyStatus).catch(() => undefined);
	if (!page?.records.length) return;
	hint(
		`No license with this 'Status' matches the filters. The newest licenses have: ${statusesOf(page.records)}.`,
	);
}
