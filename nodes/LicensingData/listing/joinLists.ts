import { Failure } from '../licenses/failure';
import type { License, LicensePage, ListPage, ListQuery } from '../licenses/license';
import { formatCount } from '../licenses/text';

/** How often a page is asked for that another server seems to have answered. */
const MAX_TRIES = 4;

/** Asks the service for a page of what a query lists. */
export type AskForPage = (query: ListQuery) => Promise<LicensePage | Failure>;

/** Where a query's list goes on, and the total that it gave on its first page. */
type Mark = [cursor: string | null, total?: number];

/** What several queries list as one list: their first pages together, and then one page after another. */
export function joinLists<Entry>(
	queries: ListQuery[],
	askForPage: AskForPage,
	entryOf: (record: License, query: ListQuery) => Entry,
) {
	return async (cursor: string | null): Promise<ListPage<Entry> | Failure> => {
		const marks = cursor ? (JSON.parse(cursor) as Mark[]) : queries.map((): Mark => [null]);
		const next = marks.findIndex(([at]) => at !== null);
		const records: Entry[] = [];
		const unreadable: string[] = [];
		for (const [index, query] of queries.entries()) {
			if (cursor !== null && index !== next) continue;
			const [at, total] = marks[index] ?? [null];
			const page = await ofOneServer({ ...query, cursor: at ?? undefined }, total, askForPage);
			if (page instanceof Failure) return page;
			marks[index] = [page.cursor, total ?? page.total];
			records.push(...page.records.map((record) => entryOf(record, query)));
			unreadable.push(...(page.unreadable ?? []));
		}
		const hasMore = marks.some(([at]) => at !== null);
		const total = marks.reduce((sum, [, part = 0]) => sum + part, 0);
		return { records, cursor: hasMore ? JSON.stringify(marks) : null, total, unreadable };
	};
}

/** One of several servers may have another list, a sample for instance: then the page is asked for again. */
async function ofOneServer(query: ListQuery, total: number | undefined, askForPage: AskForPage) {
	for (let tries = 1; ; tries++) {
		const page = await askForPage(query);
		if (page instanceof Failure || total === undefined) return page;
		const { total: other = total } = page;
		if (other >= total / 2 && other <= total * 2) return page;
		if (tries < MAX_TRIES) continue;
		const [now, first] = [other, total].map(formatCount);
		return new Failure(
			`A page says that the list has ${now} entries, and its first page said ${first}`,
			'',
			{ isTransient: true },
		);
	}
}
