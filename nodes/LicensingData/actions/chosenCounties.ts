import { dateRange } from '../listing/dateRange';
import type { FilterValues } from '../parameters/filter';
import { CountyNames } from '../transport/countyNames';
import type { Service } from '../transport/request';
import type { Execution } from './action';

/** Asks for the counties that a user chose, and says so where the service does not know one. */
export function chosenCounties(
	service: Service,
	{ warn }: Pick<Execution, 'warn'>,
	{ filters, limit = Number.POSITIVE_INFINITY }: { filters: FilterValues; limit?: number },
): CountyNames {
	return new CountyNames(service, {
		counties: (filters.counties ?? []) as string[],
		readsToEnd: limit === Number.POSITIVE_INFINITY && !dateRange(filters).mayEndEarly,
		onPick: warn,
	});
}
