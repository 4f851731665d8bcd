import { withHyphens } from '../licenses/counties';
import type { FetchPage, LicensePage } from '../licenses/licenseList';
import { refusesValue } from './refusals';

/** How a service wants counties: by name, or as in an address ("palm-beach"); unknown until one brings something. */
export interface CountySpelling {
	isSlug?: boolean;
}

const NOTHING: LicensePage = { records: [], cursor: null };

/** Asks for a county by its name; if that brings nothing, once by its slug, and stays with what brought something. */
export const withCountySlug =
	(fetchPage: FetchPage, spelling: CountySpelling = {}): FetchPage =>
	async (query) => {
		const { county = '', cursor } = query;
		const slug = withHyphens(county);
		// Case does not matter to the interface.
		const isOpen = slug !== county.toLowerCase() && spelling.isSlug === undefined;
		const spelled = spelling.isSlug && county !== '' ? slug : query.county;
		const byName = fetchPage({ ...query, county: spelled });
		if (!isOpen || cursor !== undefined) return await byName;
		const isEmpty = await byName.then(
			({ records, cursor: next }) => records.length === 0 && next === null,
			(error: unknown) => {
				if (refusesValue(error)) return true;
				throw error;
			},
		);
		// Another county may have shown it meanwhile.
		const isKnown = spelling.isSlug === false;
		const bySlug =
			isEmpty && !isKnown
				? await fetchPage({ ...query, county: slug }).catch((error: unknown) => {
						if (refusesValue(error)) return NOTHING;
						throw error;
					})
				: NOTHING;
		if (bySlug.records.length > 0) spelling.isSlug = true;
		else if (!isEmpty) spelling.isSlug = false;
		return bySlug.records.length > 0 ? bySlug : await byName;
	};
