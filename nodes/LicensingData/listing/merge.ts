import { LARGEST_PAGE, type License } from '../licenses/license';
import type { ListOrder } from './listOrder';
import type { ListReader } from './listReader';

interface Merging {
	order: ListOrder;
	matches: (license: License) => boolean;
	/** How many pages are asked for at once; none before its turn if 0. */
	ahead: number;
}

/** One of the lists that are merged: what of it has been read, and not handed on. */
class Part {
	private readonly waiting: Array<{ license: License; place: number }> = [];
	/** The place down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	/** The page that has been asked for. */
	coming?: Promise<void>;

	constructor(
		readonly reader: ListReader,
		private readonly merging: Merging,
	) {}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.place ?? (this.reader.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	get hasWaiting(): boolean {
		return this.waiting.length > 0;
	}

	/** Whether its next page may be asked for. It then holds two at most. */
	get mayReadOn(): boolean {
		return this.reader.isOpen && !this.coming && this.waiting.length <= LARGEST_PAGE;
	}

	take(): License | undefined {
		return this.waiting.shift()?.license;
	}

	readOn(): Promise<void> {
		this.coming = this.receive().finally(() => (this.coming = undefined));
		// Whoever waits for it is told what went wrong.
		this.coming.catch(() => undefined);
		return this.coming;
	}

	private async receive(): Promise<void> {
		const { order, matches } = this.merging;
		for (const license of await this.reader.next()) {
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			this.depth = Math.min(this.depth, order(license) ?? this.depth);
			if (matches(license)) this.waiting.push({ license, place: this.depth });
		}
	}
}

/**
 * Yields the wanted licenses of several lists, in order. Each list is in order, so whatever does not belong below
 * what remains to be read can be handed on. In a register, tens of thousands of licenses have one date. So of the
 * lists at the same place, any may go first: what has arrived is handed on, and the longest is read on first, as it
 * would be left alone at the end.
 */
export async function* merge(
	readers: ListReader[],
	merging: Merging,
): AsyncGenerator<License[], void> {
	const parts = readers.map((reader) => new Part(reader, merging));
	// Their first pages are there, and one of any other may be on top.
	for (const part of parts) await part.readOn();
	let page: License[] = [];
	for (;;) {
		const part = firstOf(parts);
		if (!part) break;
		const license = part.take();
		if (license) page.push(license);
		if (page.length === LARGEST_PAGE || (!license && page.length > 0)) {
			yield page;
			page = [];
		}
		if (license) continue;
		readAhead(parts, merging.ahead);
		// Another one at the same place may be there sooner.
		const others = merging.ahead > 0 ? parts.filter(({ next }) => next === part.next) : [];
		await Promise.race([
			part.coming ?? part.readOn(),
			...others.flatMap(({ coming }) => coming ?? []),
		]);
	}
	if (page.length > 0) yield page;
}

/** First what is needed first, and of that what has most left to read. */
function readAhead(parts: Part[], most: number): void {
	let room = most - parts.filter(({ coming }) => coming).length;
	if (room <= 0) return;
	const inTurn = parts
		.filter(({ mayReadOn }) => mayReadOn)
		.sort((a, b) => b.depth - a.depth || b.reader.left - a.reader.left);
	for (const part of inTurn) {
		if (room-- <= 0) return;
		void part.readOn();
	}
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
