import { LARGEST_PAGE } from '../licenses/licenseList';
import type { License } from '../licenses/license';
import type { Part } from './part';

/**
 * Yields up to `limit` licenses of all parts, in order. Each part is in order, so whatever does not belong below
 * what remains to be read can be handed on. Parts at the same place take turns: in a register, tens of thousands of
 * licenses have one date, and while one part is waited for, the others have asked for their next pages.
 */
export async function* mergeByOrder(parts: Part[], limit: number): AsyncGenerator<License[], void> {
	let page: License[] = [];
	let left = limit;
	const turns = [...parts];
	for (let part; left > 0 && (part = firstOf(turns)); ) {
		const license = part.take();
		if (license) {
			page.push(license);
			left--;
		}
		if (page.length === LARGEST_PAGE || (!license && page.length > 0)) {
			yield page;
			page = [];
		}
		if (!license) {
			await part.readOn();
			turns.push(...turns.splice(turns.indexOf(part), 1));
		}
	}
	if (page.length > 0) yield page;
}

/** The part whose turn it is. Of two at the same place, the one that need not be waited for. */
function firstOf(parts: Part[]): Part | undefined {
	let first: Part | undefined;
	let place = Number.NEGATIVE_INFINITY;
	for (const part of parts) {
		const { next } = part;
		if (next > place || (next === place && part.hasWaiting && first?.hasWaiting === false)) {
			[first, place] = [part, next];
		}
	}
	return first;
}
