import { hash } from 'node:crypto';

import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { formatCount } from '../licenses/text';
import { MAX_PAGE_SIZE, MAX_RECORDS, nextPage, type OpenList } from '../service/listPages';
import { earlyStop, type EarlyStop, type ListOrder } from './listOrder';

/** In characters of JSON, all lists together: with this much in memory, nothing is read before its turn. */
const MAX_WAITING = 30_000_000;

/** Remembers records by a hash of all that they say. */
export function onceEach(): (license: License) => number {
	const seen = new Set<string>();
	return (license) => {
		if (seen.size >= MAX_RECORDS)
			throw new Failure(
				`The list has more than ${formatCount(MAX_RECORDS)} licenses`,
				"Florida has far fewer. Ask for less with 'Filters'. If the list should be short, send this text to the service's support.",
			);
		const { size } = seen;
		const text = JSON.stringify(license);
		seen.add(hash('sha256', text, 'base64url').slice(0, 12));
		return size < seen.size ? text.length : 0;
	};
}

/** Reads a list to its end, or to where nothing follows that is wanted. */
export class PartReader {
	/** What has been read, and not handed on. */
	readonly waiting: Array<{ license: License; place: number; size: number }> = [];
	/** Its size. */
	kept = 0;
	/** The page that has been asked for, or could not be read: that matters when its turn comes. */
	coming?: Promise<void>;
	/** The place down to which it has been read. */
	depth = Number.POSITIVE_INFINITY;
	private hasBegun = false;
	/** True as long as there is more to read. */
	isOpen = true;
	hasEndedEarly = false;
	/** How many records it has read, each once. */
	distinct = 0;
	/** How many the latest page says that there are; NaN if it does not. */
	total = Number.NaN;

	/** Where the list may be left before its end. */
	private readonly hasEnded?: EarlyStop;

	constructor(
		private readonly list: OpenList,
		private readonly order: ListOrder,
		private readonly matches: (license: License) => boolean,
		/** The size of a record, in characters of JSON; 0 if it has been read already, from this list or another. */
		private readonly sizeIfNew: (license: License) => number,
		filedAfter?: string,
	) {
		this.hasEnded = earlyStop(filedAfter, list.query);
	}

	/** No license that it will hand on is newer; minus infinity if there is none. */
	get next(): number {
		return this.waiting[0]?.place ?? (this.isOpen ? this.depth : Number.NEGATIVE_INFINITY);
	}

	/** Hands on the next license, if it is there. */
	take(): License | undefined {
		const next = this.waiting.shift();
		this.kept -= next?.size ?? 0;
		return next?.license;
	}

	/** How many records it has not read, as far as it knows. */
	get left(): number {
		return (this.total || 0) - this.distinct;
	}

	/** Asks for the next page, if nobody has. */
	readOn(): Promise<void> {
		this.coming ??= this.receive().then(() => (this.coming = undefined));
		this.coming.catch(() => undefined);
		return this.coming;
	}

	private async receive(): Promise<void> {
		const page = this.hasBegun ? await nextPage(this.list.rest) : this.list.first;
		const fresh: License[] = [];
		for (const license of page.records.splice(0)) {
			const size = this.sizeIfNew(license);
			if (size === 0) continue;
			fresh.push(license);
			// Within a list, the order is the service's: whatever stands too far down counts as its neighbor.
			this.depth = Math.min(this.depth, this.order(license) ?? this.depth);
			if (!this.matches(license)) continue;
			this.waiting.push({ license, place: this.depth, size });
			this.kept += size;
		}
		this.hasBegun = true;
		this.distinct += fresh.length;
		this.total = page.total ?? Number.NaN;
		this.hasEndedEarly = page.cursor !== null && this.hasEnded?.(fresh) === true;
		this.isOpen = page.cursor !== null && !this.hasEndedEarly;
	}
}

/**
 * Yields the wanted licenses of several lists, in order. Each list is in order, so whatever does not belong below
 * what remains to be read can be handed on. In a register, tens of thousands of licenses have one date. So of the
 * lists at the same place, any may go first: what has arrived is handed on, and the longest is read on first, as it
 * would be left alone at the end. At most so many pages are asked for at once; none before its turn if 0.
 */
export async function* merge(readers: PartReader[], max: number): AsyncGenerator<License[], void> {
	// Their first pages are there, and one of any other may be on top.
	for (const reader of readers) await reader.readOn();
	let page: License[] = [];
	for (let reader; (reader = firstOf(readers)); ) {
		const license = reader.take();
		if (license) page.push(license);
		if (license && page.length < MAX_PAGE_SIZE) continue;
		readAhead(readers, max);
		if (page.length > 0) {
			yield page;
			page = [];
			continue;
		}
		const { next } = reader;
		// Another one at the same place may be there sooner.
		const others = max > 0 ? readers.filter((other) => other.next === next) : [];
		await Promise.race([reader.readOn(), ...others.flatMap(({ coming }) => coming ?? [])]);
	}
	if (page.length > 0) yield page;
}

/** First what is needed first, and of that what has most left to read. */
function readAhead(readers: PartReader[], max: number): void {
	const room = max - readers.filter(({ coming }) => coming).length;
	if (room <= 0) return;
	if (readers.reduce((all, { kept }) => all + kept, 0) > MAX_WAITING) return;
	readers
		.filter(({ isOpen, coming, waiting }) => isOpen && !coming && waiting.length <= MAX_PAGE_SIZE)
		.sort((a, b) => b.depth - a.depth || b.left - a.left)
		.slice(0, room)
		.forEach((reader) => void reader.readOn());
}

/** The list whose turn it is. Of two at the same place, the one that need not be waited for. */
function firstOf(readers: PartReader[]): PartReader | undefined {
	let first: PartReader | undefined;
	for (const reader of readers) {
		const isAhead = reader.next > (first?.next ?? Number.NEGATIVE_INFINITY);
		const isAtSamePlace = reader.next === first?.next && reader.waiting.length > 0;
		if (isAhead || (isAtSamePlace && first?.waiting.length === 0)) first = reader;
	}
	return first;
}
