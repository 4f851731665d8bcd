import type { License } from '../licenses/license';
import { LARGEST_PAGE } from '../licenses/licenseList';
import type { ListOrder } from './listOrder';
import type { ListReader } from './listReader';

/** One of the lists that are merged: what of it has been read, and not handed on. */
class Part {
	private readonly waiting: Array<{ license: License; place: number }> = [];
	/** The place down to which it has been read. */
	private depth = Number.POSITIVE_INFINITY;

	constructor(
		private readonly reader: ListReader,
		private readonly order: ListOrder,
		private readonly matches: (license: License) => boolean,
	) {}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.place ?? (this.reader.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	get hasWaiting(): boolean {
		return this.waiting.length > 0;
	}

	take(): License | undefined {
		return this.waiting.shift()?.license;
	}

	async readOn(): Promise<void> {
		for (const license of await this.reader.next()) {
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			this.depth = Math.min(this.depth, this.order(license) ?? this.depth);
			if (this.matches(license)) this.waiting.push({ license, place: this.depth });
		}
	}
}

/**
 * Yields the wanted licenses of several lists, in order. Each list is in order, so whatever does not belong below
 * what remains to be read can be handed on. Lists at the same place take turns: in a register, tens of thousands of
 * licenses have one date, and while one list is waited for, the others have asked for their next pages.
 */
export async function* merge(
	readers: ListReader[],
	order: ListOrder,
	matches: (license: License) => boolean,
): AsyncGenerator<License[], void> {
	const turns = readers.map((reader) => new Part(reader, order, matches));
	// Their first pages are there, and one of any other may be on top.
	for (const part of turns) await part.readOn();
	let page: License[] = [];
	for (let part; (part = firstOf(turns)); ) {
		const license = part.take();
		if (license) page.push(license);
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
