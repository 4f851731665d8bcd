import { LARGEST_PAGE } from '../domain/licenseList';
import type { License } from '../domain/license';
import type { Part } from './part';

/**
 * Yields up to `limit` licenses of all parts, in order. Each part is in order, so whatever does not belong below
 * what remains to be read can be handed on.
 */
export async function* mergeByOrder(parts: Part[], limit: number): AsyncGenerator<License[], void> {
	let page: License[] = [];
	let left = limit;
	for (let part; left > 0 && (part = firstOf(parts)); ) {
		const license = part.take();
		if (license) {
			page.push(license);
			left--;
		}
		if (page.length === LARGEST_PAGE || (!license && page.length > 0)) {
			yield page;
			page = [];
		}
		if (!license) await part.readOn();
	}
	if (page.length > 0) yield page;
}

/** The part whose turn it is. Of two at the same place, the one that need not be waited for. */
function firstOf(parts: Part[]): Part | undefined {
	let first: Part | undefined;
	let place = Number.NEGATIVE_INFINITY;
	for (const part of parts) {
		const { next } = part;
		if (next > place || (next === place && first?.hasWaiting === false)) {
			[first, place] = [part, next];
		}
	}
	return first;
}
