import { Failure } from '../domain/failure';
import { eventKey } from '../domain/event';
import type { License } from '../domain/license';
import { SeenTexts } from './seenTexts';
import type { LicensePage } from '../domain/licenseList';

export type PageReader = (cursor: string | undefined) => Promise<LicensePage>;

/**
 * Pages with nothing new on them are legal, but a service that sends only those would never end. A service
 * that fills pages first and filters them afterwards may send many empty ones.
 */
const REPEATED_PAGES_IN_A_ROW = 10;
const EMPTY_PAGES_IN_A_ROW = 100;

/** More than Florida has, and about as many as n8n can hold. */
const LONGEST_LIST = 2_000_000;

/** A list may grow while it is read, and its total may be off, but not by this much. */
const longest = (total = LONGEST_LIST): number => Math.min(LONGEST_LIST, 10 * total + 10_000);

/** Walks a list page by page, yields each record once, and always ends. */
export async function* paginate(readPage: PageReader): AsyncGenerator<LicensePage> {
	const cursors = new Set<string>();
	const isNew = onlyNew();
	let repeated = 0;
	let empty = 0;
	let read = 0;
	for (let cursor: string | undefined; ; ) {
		const page = await readPage(cursor);
		const data = page.data.filter(isNew);
		yield { ...page, data };
		cursor = page.pagination.cursor ?? undefined;
		if (cursor === undefined) return;
		read += page.data.length;
		if (page.data.length === 0) empty++;
		else if (data.length > 0) repeated = empty = 0;
		else repeated++;
		const isFruitless = repeated >= REPEATED_PAGES_IN_A_ROW || empty >= EMPTY_PAGES_IN_A_ROW;
		const isCircle = cursors.has(cursor) || isFruitless;
		if (isCircle || read > longest(page.pagination.total)) {
			throw new Failure(
				'shape',
				'The list of the service does not end',
				"The markers for the next page (cursors) repeat, or lead to no more licenses. Try again later. If it keeps happening, send this text to the service's support.",
			);
		}
		cursors.add(cursor);
	}
}

/**
 * A filing that arrives while pages are read pushes the last record of one page onto the next,
 * so what was read already is dropped.
 */
function onlyNew(): (license: License) => boolean {
	const seen = new SeenTexts();
	return (license) => seen.add(eventKey(license));
}
