import { failureOf, type ReadPage } from './scan';

const MOST_PAGES = 10;

/** Promise 12: a few events to build a workflow with. Reads no state and writes none. */
export async function findTestEvents<Entry>(
	readPage: ReadPage<Entry>,
	matches: (record: Entry) => boolean,
	wanted: number,
): Promise<Entry[] | { failure: unknown }> {
	const found: Entry[] = [];
	let cursor: string | null = null;
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page: Awaited<ReturnType<ReadPage<Entry>>> = await readPage(cursor);
		if (!('records' in page) && found.length > 0) break;
		if (!('records' in page)) return { failure: failureOf(page) };
		found.push(...page.records.filter(matches));
		cursor = page.cursor;
		if (found.length >= wanted || cursor === null) break;
	}
	return found.slice(0, wanted).reverse();
}
