import type { License } from '../domain/license';
import { licenseName } from '../domain/event';
import type { OpenList } from './openList';
import { openList, pagesOf, totalOf } from './openList';
import type { ListReading } from './readList';

/** If a larger share of what was announced is missing, the service just counts differently. */
const MOST_WORTH_A_SEARCH = 0.1;

/**
 * Reads a list page by page, each record once. Records that moved in the meantime, and so were missed, come
 * at the end.
 */
export async function* pageByPage(
	list: OpenList,
	{ fetchPage, onMissing }: Pick<ListReading, 'fetchPage' | 'onMissing'>,
): AsyncGenerator<License[]> {
	const names = new Set<string | undefined>();
	const announced = totalOf(list);
	let lowest = announced;
	let highest = announced;
	let read = 0;
	for await (const { data, pagination } of pagesOf(list)) {
		const { total = announced } = pagination;
		lowest = Math.min(lowest, total);
		highest = Math.max(highest, total);
		read += data.length;
		for (const license of data) names.add(licenseName(license));
		yield data;
	}

	// What is filed meanwhile goes on top and is not part of this list; what is removed lets another record
	// move into its place.
	const hasShrunk = lowest < announced;
	const missing = announced - Math.min(read, lowest);
	if (!(missing > 0) || read > announced) return;
	let hasMoved = lowest < highest;
	if (missing <= announced * MOST_WORTH_A_SEARCH) {
		for await (const { data } of pagesOf(await openList(fetchPage, list.query))) {
			const moved = data.filter((license) => !names.has(licenseName(license)));
			if (moved.length === 0 && !hasShrunk) break;
			hasMoved ||= moved.length > 0;
			for (const license of moved) names.add(licenseName(license));
			yield moved;
		}
	}
	if (!hasMoved) onMissing(read, announced);
}
