import type { ListFilter, PageStart } from '../dataset/dataset.mts';

/**
 * The interface does not say what a cursor holds. A key names the last record shown, so insertions
 * above it change nothing; a position counts records, so insertions above it shift the next page.
 */
export type CursorKind = 'key' | 'position';

/** A cursor belongs to the filters it came with; their order does not matter. */
const fingerprint = (filter: ListFilter): string =>
	JSON.stringify(Object.entries(filter).sort(([a], [b]) => a.localeCompare(b)));

export function writeCursor(start: PageStart, filter: ListFilter): string {
	const place = 'skip' in start ? ['p', start.skip] : ['k', start.time, start.serial];
	return Buffer.from(JSON.stringify([...place, shortHash(fingerprint(filter))])).toString(
		'base64url',
	);
}

export function readCursor(
	cursor: string,
	filter: ListFilter,
	kind: CursorKind,
): PageStart | undefined {
	const parts = parsed(cursor);
	if (!Array.isArray(parts) || parts.at(-1) !== shortHash(fingerprint(filter))) return undefined;
	const [mark, first, second] = parts as unknown[];
	if (kind === 'position' && mark === 'p' && Number.isSafeInteger(first) && Number(first) >= 0)
		return { skip: first as number };
	if (kind === 'key' && mark === 'k' && Number.isFinite(first) && Number.isSafeInteger(second))
		return { time: first as number, serial: second as number };
	return undefined;
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
