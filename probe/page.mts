import { isObject } from '../nodes/LicensingData/licenses/text.ts';
import type { Answer, Query } from './client.mts';

export type Fields = Record<string, unknown>;

/** Where a page says what follows, in the shapes that services of this kind are known to use. */
export type Paging = 'pagination.cursor' | 'next_cursor' | 'offset' | 'none';

export interface Page {
	records: Fields[];
	paging: Paging;
	/** What asks for the next page; undefined on the last one. */
	next?: Query;
	total?: number;
	/** The page size that the service says it used. */
	limit?: number;
}

/** Undefined if the answer is no page of records. */
export function pageIn({ status, body }: Answer): Page | undefined {
	const data = isObject(body) ? body.data : body;
	if (status !== 200 || !Array.isArray(data)) return undefined;
	const top = isObject(body) ? body : {};
	const pagination = isObject(top.pagination) ? top.pagination : {};
	const numbers = {
		...(typeof pagination.total === 'number' && { total: pagination.total }),
		...(typeof pagination.limit === 'number' && { limit: pagination.limit }),
	};
	const records = data.filter(isObject);
	if (typeof pagination.offset === 'number') {
		const next = { offset: pagination.offset + records.length };
		const isLast = pagination.has_more !== true && pagination.hasMore !== true;
		return { records, paging: 'offset', ...(!isLast && { next }), ...numbers };
	}
	const places: Array<[Paging, Fields, string]> = [
		['pagination.cursor', pagination, 'cursor'],
		['next_cursor', top, 'next_cursor'],
	];
	const [paging, holder, name] = places.find(([, object, field]) => field in object) ?? [
		'none' as const,
		{} as Fields,
		'',
	];
	const cursor = holder[name];
	return { records, paging, ...(typeof cursor === 'string' && { next: { cursor } }), ...numbers };
}
