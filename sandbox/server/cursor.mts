import type { ListFilter, PageStart } from '../dataset/dataset.mts';
import type { Shapes } from '../shapes.mts';

/** A cursor belongs to the filters it came with; their order does not matter. */
const fingerprint = (filter: ListFilter): string =>
	JSON.stringify(Object.entries(filter).sort(([a], [b]) => a.localeCompare(b)));

/**
 * The interface does not say what a cursor holds. A key names the last record shown, so insertions
 * above it change nothing; a position counts records, so insertions above it shift the next page.
 */
export class Cursors {
	constructor(
		private readonly kind: Shapes['cursors'],
		private readonly life: Shapes['cursorLife'],
		private readonly now: () => number,
	) {}

	write(start: PageStart, filter: ListFilter): string {
		const place = 'skip' in start ? ['p', start.skip] : ['k', start.rank, start.tie];
		const until = this.life.milliseconds === Infinity ? [] : [this.now() + this.life.milliseconds];
		return Buffer.from(
			JSON.stringify([...place, ...until, shortHash(fingerprint(filter))]),
		).toString('base64url');
	}

	/** Undefined for one that is not accepted. */
	read(cursor: string, filter: ListFilter): PageStart | undefined {
		const parts = parsed(cursor);
		if (!Array.isArray(parts) || parts.pop() !== shortHash(fingerprint(filter))) return undefined;
		if (this.life.milliseconds !== Infinity && !(Number(parts.pop()) > this.now()))
			return undefined;
		const [mark, first, second] = parts as unknown[];
		if (
			this.kind === 'position' &&
			mark === 'p' &&
			Number.isSafeInteger(first) &&
			Number(first) >= 0
		)
			return { skip: first as number };
		if (this.kind === 'key' && mark === 'k' && Number.isFinite(first) && Number.isFinite(second))
			return { rank: first as number, tie: second as number };
		return undefined;
	}
}

function parsed(cursor: string): unknown {
	try {
		return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
	} catch {
		return undefined;
	}
}

function shortHash(text: string): string {
	let mixed = 0x811c9dc5;
	for (let index = 0; index < text.length; index++)
		mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193);
	return (mixed >>> 0).toString(36);
}
