import { LARGEST_PAGE } from '../api/licenses';
import type { License, ListQuery } from '../api/types';
import { ahead } from './ahead';
import { divide, PAGES_WORTH_DIVIDING } from './divide';
import { Doubt } from './doubt';
import { inSequence } from './inSequence';
import type { OpenList, ReadPage } from './openList';
import { openList, totalOf } from './openList';
import { readSideBySide } from './sideBySide';

export interface Reading {
	readPage: ReadPage;
	query: ListQuery;
	/** How many pages are read at once, where the list is long and can be divided. */
	readers: number;
	/** About how many of all records have to be read, as far as the first page tells. */
	estimate: (firstPage: License[], total: number) => number;
	/** What is held of a record until all are read. */
	keep: (license: License) => License;
	/** Takes what is wanted from the pages of the list, and ends where no more is. */
	select: (pages: AsyncIterable<License[]>) => AsyncGenerator<License[]>;
	/** Hears why a long list is read page by page. */
	log: (doubt: string) => void;
}

/** Reads a list the fastest way that is certain to bring all of it, in order and once. */
export async function* readList(reading: Reading): AsyncGenerator<License[]> {
	const open = async () => await openList(reading.readPage, reading.query);
	let whole = await open();
	if (isLong(whole, reading)) {
		const pieces = await orDoubt(readByParts(whole, reading, open));
		if (pieces instanceof Doubt) {
			reading.log(pieces.message);
			whole = await open();
		} else if (pieces) return yield* released(pieces);
	}
	yield* ahead(reading.select(inSequence(whole, open)));
}

async function readByParts(
	whole: OpenList,
	reading: Reading,
	openAgain: () => Promise<OpenList>,
): Promise<License[][] | undefined> {
	const parts = await divide(whole, reading);
	if (parts) return await readSideBySide(whole, parts, reading, openAgain);
	reading.log('no filter divides it without a remainder');
	return undefined;
}

/** Where less than all is wanted, every part is read a little too far. */
const PAGES_WORTH_OVERREADING = 25;

/** A page that is not full hides how many pages there are. */
function isLong(whole: OpenList, { readers, estimate }: Reading): boolean {
	const total = totalOf(whole);
	const wanted = estimate(whole.first.data, total);
	const pages = wanted < total ? PAGES_WORTH_OVERREADING : PAGES_WORTH_DIVIDING;
	return readers > 1 && whole.first.data.length === LARGEST_PAGE && wanted > pages * LARGEST_PAGE;
}

const orDoubt = async <T>(result: Promise<T>): Promise<T | Doubt> =>
	await result.catch((error) => {
		if (error instanceof Doubt) return error;
		throw error;
	});

/** Lets go of each piece, so that it need not stay when it has become items. */
function* released<T>(pieces: T[]): Generator<T> {
	for (let piece; (piece = pieces.shift()) !== undefined; ) yield piece;
}
