import { typeOfSeries } from '../domain/licenseTypes';
import type { FilterValues } from '../parameters/filter';
import { adviceOnSeries } from '../parameters/licenseFilters';
import type { Execution } from './action';

/** For an empty result. Who looks for "4COP" among names is led to the type that holds it. */
export function hintAtSeries(filters: FilterValues, { hint }: Pick<Execution, 'hint'>): void {
	const [words] = (filters.query ?? []) as string[];
	const type = typeOfSeries(words);
	if (type !== undefined) hint(`${words} is a kind of license. ${adviceOnSeries(type.name)}`);
}
