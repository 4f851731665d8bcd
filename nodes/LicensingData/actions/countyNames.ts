import type { FilterValues } from '../parameters/filter';
import { CountyNames } from '../transport/countyNames';
import type { Service } from '../transport/request';
import type { Circumstances } from './action';
import { mayEndEarly } from './dateCutoff';

/** Asks for the counties that a user chose, and says so where the service does not know one. */
export function countyNames(
	service: Service,
	{ log, hint }: Pick<Circumstances, 'log' | 'hint'>,
	{ filters, limit = Number.POSITIVE_INFINITY }: { filters: FilterValues; limit?: number },
): CountyNames {
	return new CountyNames(service, {
		counties: (filters.counties ?? []) as string[],
		readsToEnd: limit === Number.POSITIVE_INFINITY && !mayEndEarly(filters),
		onPick(why) {
			log(why);
			hint(why);
		},
	});
}
