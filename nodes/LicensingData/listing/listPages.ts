import { licenseName } from '../domain/eventIdentity';
import { Failure, refusesCursor } from '../domain/failure';
import type { LicensePage, ListQuery } from '../domain/licenseList';

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
}

export async function openList(source: ListSource, query: ListQuery): Promise<OpenList> {
	const rest = readPages(source, query);
	const { value: first } = (await rest.next()) as IteratorYieldResult<LicensePage>;
	return { query, first, rest };
}

export async function* pagesOf({ first, rest }: OpenList): AsyncGenerator<LicensePage, void> {
	yield first;
	yield* rest;
}

/** NaN if the service does not say. */
export const totalOf = ({ first }: OpenList): number => first.total ?? Number.NaN;

/**
 * Reads a list from its first page to its last. A service may forget a cursor while the list is read: then
 * it is read once more from its start, as long as each start leads further than the one before. So pages may
 * come again.
 */
async function* readPages(
	{ fetchPage, log }: ListSource,
	query: ListQuery,
): AsyncGenerator<LicensePage, void> {
	let deepest = 0;
	for (let hasStartedOver = false; ; hasStartedOver = true) {
		const isEndless = watchForCircles();
		let read = 0;
		let cursor: string | undefined;
		for (let number = 1; ; number++) {
			const page: LicensePage | undefined = await fetchPage({ ...query, cursor }).catch(
				(error: unknown) => {
					if (cursor !== undefined && refusesCursor(error) && read > deepest) return undefined;
					throw number === 1 ? error : withPlace(error, { number, query, read, hasStartedOver });
				},
			);
			if (!page) break;
			read += page.records.length;
			yield page;
			if (page.cursor === null) return;
			if (isEndless(page, page.cursor)) throw endless();
			({ cursor } = page);
		}
		deepest = read;
		log(
			`The service refused a cursor after ${read} licenses. The list is read from its start again`,
		);
	}
}

/**
 * Pages with nothing new on them are legal, but a service that sends only those would never end. A service
 * that fills pages first and filters them afterwards may send many empty ones.
 */
const REPEATED_PAGES_IN_A_ROW = 10;
const EMPTY_PAGES_IN_A_ROW = 100;

/** More than Florida has, and about as many as n8n can hold. */
const LONGEST_LIST = 2_000_000;

/** A list may grow while it is read, and its total may be off, but not by this much. */
const longest = (total = LONGEST_LIST): number => Math.min(LONGEST_LIST, 10 * total + 10_000);

/** Given one page of a list after another, returns true once there is no end to expect. */
function watchForCircles(): (page: LicensePage, cursor: string) => boolean {
	const cursors = new Set<string>();
	const tops = new Set<string>();
	let repeated = 0;
	let empty = 0;
	let read = 0;
	return ({ records, total }, cursor) => {
		const [top] = records;
		const name = top && (licenseName(top) ?? '');
		if (name === undefined) empty++;
		else if (tops.has(name)) repeated++;
		else repeated = empty = 0;
		if (name !== undefined) tops.add(name);
		read += records.length;
		const isFruitless = repeated >= REPEATED_PAGES_IN_A_ROW || empty >= EMPTY_PAGES_IN_A_ROW;
		const isCircle = cursors.has(cursor);
		cursors.add(cursor);
		return isCircle || isFruitless || read > longest(total);
	};
}

const endless = (): Failure =>
	new Failure(
		'shape',
		'The list of the service does not end',
		"The markers for the next page (cursors) repeat, or lead to no more licenses. Try again later. If it keeps happening, send this text to the service's support.",
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
