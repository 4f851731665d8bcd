import { LARGEST_PAGE } from '../domain/licenseList';
import type { License } from '../domain/license';
import { waitingBytes } from '../domain/waitingBytes';
import type { PartReader } from './partReader';

/**
 * Reads parts of a list side by side, at most `readers` pages at once, and yields up to `limit` of their
 * licenses, in order. Each part is in order, so whatever does not belong below what remains to be read can be
 * handed on. The part whose turn comes first is read first, unless a long one would be left at the end.
 *
 * Some parts may be much newer than others, and then the others are read far ahead of their turn: once too
 * much waits, only what is needed next is read.
 */
export async function* mergeByOrder(
	parts: PartReader[],
	{ readers, limit }: { readers: number; limit: number },
): AsyncGenerator<License[], void> {
	const underWay = new Map<PartReader, Promise<void>>();
	/** The parts that could not be read on, and why. */
	const failures = new Map<PartReader, { error: unknown }>();
	const isUnlimited = limit === Number.POSITIVE_INFINITY;
	let left = limit;
	let isOver = false;

	const isEnough = (): boolean => {
		if (isUnlimited) return false;
		const open = parts.filter(({ isOpen }) => isOpen);
		const border = Math.max(...open.map(({ depth }) => depth));
		return parts.reduce((sum, part) => sum + part.countDownTo(border), 0) >= left;
	};
	const canBeRead = (part: PartReader): boolean =>
		part.isOpen && !underWay.has(part) && !failures.has(part);
	const nextToRead = (): PartReader | undefined => {
		if (waitingBytes.isFull) {
			const needed = firstOf(parts);
			return needed && !needed.hasWaiting && canBeRead(needed) ? needed : undefined;
		}
		const ready = parts.filter(canBeRead);
		// Where all is read to its end, a part with more left than its share would be alone at the end.
		const share = parts.reduce((sum, part) => sum + part.left, 0) / readers;
		const longest = ready.find((part) => isUnlimited && part.left > share);
		const newest = (a: PartReader, b: PartReader) => (a.depth >= b.depth ? a : b);
		const next = longest ?? (ready.length > 0 ? ready.reduce(newest) : undefined);
		// A page that cannot be read matters when its turn comes. With a limit, that may be never.
		const isInVain = [...failures.keys()].some(
			({ depth }) => isUnlimited || (next && depth > next.depth),
		);
		return isInVain ? undefined : next;
	};
	const readOn = (): void => {
		while (!isOver && underWay.size < readers && !isEnough()) {
			const part = nextToRead();
			if (!part) return;
			const reading = part
				.readOn()
				.catch((error: unknown) => void failures.set(part, { error }))
				.finally(() => {
					underWay.delete(part);
					readOn();
				});
			underWay.set(part, reading);
		}
	};

	try {
		let page: License[] = [];
		for (let part; left > 0 && (part = firstOf(parts)); ) {
			const license = part.take();
			if (license) {
				page.push(license);
				left--;
			}
			if (page.length === LARGEST_PAGE || (!license && page.length > 0)) {
				readOn();
				yield page;
				page = [];
			} else if (!license) {
				readOn();
				const [failure] = isUnlimited ? failures.values() : [failures.get(part)];
				if (failure) throw failure.error;
				await Promise.race(underWay.values());
			}
		}
		if (page.length > 0) yield page;
	} finally {
		isOver = true;
	}
}

/** The part whose turn it is. Of two at the same place, the one that need not be waited for. */
function firstOf(parts: PartReader[]): PartReader | undefined {
	let first: PartReader | undefined;
	let place = Number.NEGATIVE_INFINITY;
	for (const part of parts) {
		const { next } = part;
		if (next > place || (next === place && first?.hasWaiting === false)) {
			[first, place] = [part, next];
		}
	}
	return first;
}
