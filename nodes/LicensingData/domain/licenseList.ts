import type { License } from './license';

/** `total` is for information; only `cursor` and `hasMore` decide whether to read on. */
export interface Pagination {
	cursor: string | null;
	hasMore: boolean;
	total?: number;
}

export interface LicensePage {
	data: License[];
	pagination: Pagination;
}

/** What GET /licenses accepts: a page of a list, filtered as `parameters/licenseFilters.ts` declares. */
export interface ListQuery {
	[filter: string]: string | number | undefined;
	county?: string;
	limit?: number;
	cursor?: string;
}
