import { onlyNew } from '../api/pages';
import type { License } from '../api/types';
import type { OpenList } from './openList';
import { pagesOf, totalOf } from './openList';

/** Where a larger share of what was announced is missing, the service counts in a way of its own. */
const MOST_MISSING = 0.1;

/**
 * Reads a list page by page, each record once. What changed its place in the meantime, and so was not met,
 * comes at the end.
 */
export async function* inSequence(
	list: OpenList,
	openAgain: () => Promise<OpenList>,
): AsyncGenerator<License[]> {
	const isNew = onlyNew();
	const ids = new Set<unknown>();
	const announced = totalOf(list);
	let lowest = announced;
	let met = 0;
	for await (const { data, pagination } of pagesOf(list)) {
		const licenses = data.filter(isNew);
		met += licenses.length;
		lowest = Math.min(lowest, pagination.total ?? lowest);
		for (const { id } of licenses) ids.add(id);
		yield licenses;
	}

	// What is filed meanwhile stands on top and is none of this list; what leaves lets another take its place.
	const hasShrunk = lowest < announced;
	const fewest = Math.min(met, lowest);
	if (met > announced || fewest === announced || !(fewest >= announced * (1 - MOST_MISSING)))
		return;
	for await (const { data } of pagesOf(await openAgain())) {
		const moved = data.filter(({ id }) => typeof id === 'string' && !ids.has(id));
		if (moved.length === 0 && !hasShrunk) return;
		for (const { id } of moved) ids.add(id);
		yield moved;
	}
}
