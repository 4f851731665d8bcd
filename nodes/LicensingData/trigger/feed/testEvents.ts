import type { NoPage, WatchedList } from './types';

const MOST_PAGES = 10;

/** A few events to build a workflow with. Reads no state and writes none. */
export async function findTestEvents<Entry>(
	{ readPage, lists }: WatchedList<Entry>,
	matches: (record: Entry) => boolean,
	wanted: number,
): Promise<Entry[] | NoPage> {
	const found: Entry[] = [];
	let cursor: string | null = null;
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page = await readPage(cursor);
		if (!('records' in page) && found.length > 0) break;
		if (!('records' in page)) return page;
		found.push(...page.records.filter((record) => lists(record) && matches(record)));
		cursor = page.cursor;
		if (found.length >= wanted || cursor === null) break;
	}
	return found.slice(0, wanted).reverse();
}
