import type { FetchPage } from '../licenses/licenseList';
import { refusesValue } from '../service/refusals';

/** For values that nobody chose: a service that does not know one may refuse it, and has nothing under it. */
export const allowUnknown =
	(fetchPage: FetchPage): FetchPage =>
	async (query) =>
		await fetchPage(query).catch((error: unknown) => {
			if (query.cursor === undefined && refusesValue(error))
				return { records: [], cursor: null, total: 0 };
			throw error;
		});
