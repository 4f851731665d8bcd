import { Failure } from './failure';
import type { License, LicensePage } from './types';

export type PageReader = (cursor: string | undefined) => Promise<LicensePage>;

/** Pages with nothing on them are legal, but a service that sends only those would never end. */
const EMPTY_PAGES_IN_A_ROW = 10;

/** Walks a list page by page. It knows nothing of what the pages hold, and always ends. */
export async function* pages(readPage: PageReader): AsyncGenerator<LicensePage> {
	const seen = new Set<string>();
	let emptyPages = 0;
	let cursor: string | undefined;
	do {
		const page = await readPage(cursor);
		yield page;
		cursor = page.pagination.cursor ?? undefined;
		emptyPages = page.data.length === 0 ? emptyPages + 1 : 0;
		if (cursor !== undefined && (seen.has(cursor) || emptyPages >= EMPTY_PAGES_IN_A_ROW)) {
			throw new Failure(
				'shape',
				'The list of the service leads in a circle',
				'Its cursors repeat or lead to nothing, so the rest cannot be read. Try again later, and tell the support of the service if it lasts.',
			);
		}
		if (cursor !== undefined) seen.add(cursor);
	} while (cursor !== undefined);
}

/**
 * A filing that arrives while pages are read pushes the last record of one page onto the next,
 * so what was seen already is dropped. The key is the event, as a record may return renewed.
 */
export function onlyNew(): (license: License) => boolean {
	const seen = new Set<string>();
	return (license) => {
		if (typeof license.id !== 'string') return true;
		const key = `${license.id} ${license.eventType} ${license.eventTimestamp}`;
		return seen.size !== seen.add(key).size;
	};
}
