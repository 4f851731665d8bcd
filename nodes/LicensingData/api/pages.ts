import { Failure } from './failure';
import type { License, LicensePage } from './types';

export type PageReader = (cursor: string | undefined) => Promise<LicensePage>;

/**
 * Pages with nothing new on them are legal, but a service that sends only those would never end. One that
 * filters what is on a page already may have many to send that are empty.
 */
const REPEATED_PAGES_IN_A_ROW = 10;
const EMPTY_PAGES_IN_A_ROW = 100;

/** More than Florida has, and about as much as n8n can hold. */
const LONGEST_LIST = 2_000_000;

/** A list may grow while it is read, and count in a way of its own, but not by this much. */
const longest = (total = LONGEST_LIST): number => Math.min(LONGEST_LIST, 10 * total + 10_000);

/** Walks a list page by page, and always ends. */
export async function* pages(readPage: PageReader): AsyncGenerator<LicensePage> {
	const seen = new Set<string>();
	const isNew = onlyNew();
	let repeated = 0;
	let empty = 0;
	let read = 0;
	for (let cursor: string | undefined; ; ) {
		const page = await readPage(cursor);
		yield page;
		cursor = page.pagination.cursor ?? undefined;
		if (cursor === undefined) return;
		read += page.data.length;
		if (page.data.length === 0) empty++;
		else if (page.data.some(isNew)) repeated = empty = 0;
		else repeated++;
		const isFruitless = repeated >= REPEATED_PAGES_IN_A_ROW || empty >= EMPTY_PAGES_IN_A_ROW;
		const isCircle = seen.has(cursor) || isFruitless;
		if (isCircle || read > longest(page.pagination.total)) {
			throw new Failure(
				'shape',
				'The list of the service leads in a circle',
				'Its cursors repeat, lead to nothing new, or lead on without end, so it cannot be read to its end. Try again later, and tell the support of the service if it lasts.',
			);
		}
		seen.add(cursor);
	}
}

/**
 * A filing that arrives while pages are read pushes the last record of one page onto the next,
 * so what was seen already is dropped. The key is the event, as a record may return renewed.
 */
export function onlyNew(): (license: License) => boolean {
	// What is there already, and for the rare rest a text of its own: one for each would be most of what is held.
	const firsts = new Map<string | undefined, Map<string, string | undefined>>();
	const others = new Set<string>();
	return ({ id, eventType, eventTimestamp }) => {
		if (typeof id !== 'string') return true;
		const [type, time] = [asText(eventType), asText(eventTimestamp)];
		let timesById = firsts.get(type);
		if (!timesById) firsts.set(type, (timesById = new Map()));
		if (!timesById.has(id)) {
			timesById.set(id, time);
			return true;
		}
		if (timesById.get(id) === time) return false;
		return others.size !== others.add(JSON.stringify([id, type, time])).size;
	};
}

/** What the service sends in the place of a text may be anything that JSON holds. */
const asText = (value: unknown): string | undefined =>
	typeof value === 'string' ? value : JSON.stringify(value);
