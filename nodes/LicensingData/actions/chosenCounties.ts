import { dateRange } from '../listing/dateRange';
import type { FilterValues } from '../parameters/filter';
import { strayPlaces } from '../parameters/territoryFilter';
import { CountyNames } from '../transport/countyNames';
import type { Service } from '../transport/request';
import type { Execution } from './action';

/** Asks for the counties that a user chose, and says so where one is unknown to the service, or is another's. */
export function chosenCounties(
	service: Service,
	{ warn }: Pick<Execution, 'warn'>,
	{ filters, limit = Number.POSITIVE_INFINITY }: { filters: FilterValues; limit?: number },
): CountyNames {
	strayPlaces(filters).forEach(warn);
	return new CountyNames(service, {
		counties: (filters.counties ?? []) as string[],
		readsToEnd: limit === Number.POSITIVE_INFINITY && !dateRange(filters).mayEndEarly,
		onPick: warn,
	});
}
