import type { Position, Query } from './register.mts';

/** Of a request: whatever stands in an address, none of which can be relied upon. */
export type Given = Record<string, unknown>;

/** Case does not count in any filter. */
export const textIn = (value: unknown): string =>
	typeof value === 'string' ? value.trim().toLowerCase() : '';

const FILTERS = ['county', 'license_type', 'event_type', 'status', 'q'] as const;

export function queryIn(given: Given): Query {
	const asked = FILTERS.map((name) => [name, textIn(given[name])] as const);
	return Object.fromEntries(asked.filter(([, text]) => text !== ''));
}

/** How many licenses a page of the list has, and an answer to a search. */
export const PAGE_SIZE = { usual: 10, most: 50 };
export const SEARCH_SIZE = { usual: 25, most: 100 };

/** More than the most is the most, less than one is one, nonsense is what is usual. */
export function limitIn({ limit: given }: Given, { usual, most } = PAGE_SIZE): number {
	const limit = Math.floor(Number(given === '' ? NaN : (given ?? NaN)));
	return Number.isNaN(limit) ? usual : Math.min(Math.max(limit, 1), most);
}

export const cursorOf = (position: Position): string =>
	Buffer.from(JSON.stringify(position)).toString('base64');

/** A cursor that cannot be read begins again. */
export function positionIn({ cursor }: Given): Position {
	try {
		const read = JSON.parse(Buffer.from(String(cursor), 'base64').toString()) as Given;
		const { offset, after } = read;
		if (typeof after === 'string') return { after };
		return { offset: Number.isSafeInteger(offset) ? Math.max(0, Number(offset)) : 0 };
	} catch {
		return { offset: 0 };
	}
}
