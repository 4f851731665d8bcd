import { onlyNew } from '../api/pages';
import type { License } from '../api/types';
import type { OpenList } from './openList';

/** Reads a list page by page, each record once. */
export async function* inSequence({ first, rest }: OpenList): AsyncGenerator<License[]> {
	const isNew = onlyNew();
	yield first.data.filter(isNew);
	for await (const { data } of rest) yield data.filter(isNew);
}
