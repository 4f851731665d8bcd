import { hash } from 'node:crypto';

import { watchForCircle } from '../domain/circle';
import { cannotGoOn, Failure } from '../domain/failure';
import type { LicensePage, ListQuery } from '../domain/licenseList';
import { MOST_WAITING } from '../domain/bounds';
import type { HeldBytes } from '../domain/waitingBytes';
import { refusesValue } from '../transport/refusals';

/** Where lists come from. */
export interface ListSource {
	fetchPage: (query: ListQuery) => Promise<LicensePage>;
	/** Writes a line for whoever runs n8n. */
	log: (line: string) => void;
}

/** A list whose first page has been read. */
export interface OpenList {
	query: ListQuery;
	first: LicensePage;
	/** The pages after the first, each read when it is asked for. */
	rest: AsyncGenerator<LicensePage, void>;
	/** How many records have been read since it was last begun, and what its latest page says of the total. */
	progress: Progress;
}

interface Progress {
	read: number;
	total?: number;
}

export async function openList(
	source: ListSource,
	query: ListQuery,
	held: HeldBytes,
): Promise<OpenList> {
	const progress: Progress = { read: 0 };
	const rest = readPages(source, query, progress);
	const { value: first } = (await rest.next()) as IteratorYieldResult<LicensePage>;
	held.add(first.bytes ?? 0);
	if (held.bytes > MOST_WAITING) throw tooMuch();
	return { query, first, rest, progress };
}

/** NaN if the service does not say. */
export const totalOf = ({ first }: OpenList): number => first.total ?? Number.NaN;

/** A service that fills pages first and filters them afterwards may send many empty ones. */
const EMPTY_PAGES_IN_A_ROW = 100;

/** In records. Services have pages of ten or more. */
const SMALLEST_PAGE = 10;

/** More than Florida has. A list may grow while it is read, and its total may be off, but not by this much. */
const LONGEST_LIST = 2_000_000;
const longest = (total = LONGEST_LIST): number => Math.min(LONGEST_LIST, 10 * total + 10_000);

/**
 * Reads a list from its first page to its last. A service may forget a cursor while the list is read: then
 * it is read once more from its start, as long as each start leads further than the one before. So pages may
 * come again. One that begins anew by itself would never end, and is a failure.
 */
async function* readPages(
	{ fetchPage, log }: ListSource,
	query: ListQuery,
	progress: Progress,
): AsyncGenerator<LicensePage, void> {
	let deepest = 0;
	for (let hasStartedOver = false; ; hasStartedOver = true) {
		const isCircle = watchForCircle();
		let empty = 0;
		let cursor: string | undefined;
		progress.read = 0;
		for (let number = 1; ; number++) {
			const { read } = progress;
			const page: LicensePage | undefined = await fetchPage({ ...query, cursor }).catch(
				(error: unknown) => {
					if (cursor !== undefined && refusesValue(error) && read > deepest) return undefined;
					throw number === 1 ? error : withPlace(error, { number, query, read, hasStartedOver });
				},
			);
			if (!page) break;
			progress.read += page.records.length;
			progress.total = page.total;
			yield page;
			if (page.cursor === null) return;
			empty = page.records.length === 0 ? empty + 1 : 0;
			const isEndless =
				empty >= EMPTY_PAGES_IN_A_ROW ||
				Math.max(progress.read, number * SMALLEST_PAGE) > longest(page.total);
			if (isEndless || isCircle(fingerprintOf(page))) throw endless();
			({ cursor } = page);
		}
		deepest = progress.read;
		log(
			`The service refused a cursor after ${deepest} licenses. The list is read from its start again`,
		);
	}
}

const fingerprintOf = ({ records, cursor }: LicensePage): string =>
	hash('sha256', JSON.stringify([cursor, records]), 'base64url');

const endless = (): Failure =>
	new Failure(
		'shape',
		'The list of the service does not end',
		"The markers for the next page (cursors) repeat, or lead to no more licenses. Try again later. If it keeps happening, send this text to the service's support.",
	);

export const tooMuch = (): Failure =>
	cannotGoOn(
		'The lists are too large to be read side by side',
		`Their first pages alone take more than ${MOST_WAITING / 1_000_000} MB. Choose fewer values in 'Filters'.`,
	);

interface Place {
	number: number;
	query: ListQuery;
	read: number;
	hasStartedOver: boolean;
}

/** In the middle of a long list, what failed says little without where it failed. */
function withPlace(error: unknown, { number, query, read, hasStartedOver }: Place): unknown {
	if (!(error instanceof Failure)) return error;
	const filters = Object.entries(query).filter(([name, value]) => name !== 'limit' && value);
	const names = filters.map(([name, value]) => `${name}=${value}`).join(', ');
	const start = hasStartedOver ? ', and after reading it from its start again' : '';
	error.addNote(
		`It was page ${number} of the list${names && ` for ${names}`}, after ${read} licenses${start}.`,
	);
	return error;
}
