import type { License } from '../domain/license';
import { momentOf } from '../domain/moment';

/** Pages of each part that are on their way or waiting their turn: enough to keep every reader busy. */
const PAGES_AHEAD = 4;

type Pages = AsyncGenerator<License[], void>;

/** One part of a list, read a few pages ahead of where it is needed. */
class BufferedPart {
	/** The moment of the next record. */
	moment = Number.NEGATIVE_INFINITY;
	private page: License[] = [];
	private at = 0;
	private readonly coming: Array<ReturnType<Pages['next']>> = [];

	constructor(private readonly source: Pages) {
		for (let page = 0; page < PAGES_AHEAD; page++) this.readAhead();
	}

	/** Moves on by one record. False if its page is used up, so the next one has to be waited for. */
	takeInto(records: License[]): boolean {
		records.push(this.page[this.at++] as License);
		return this.look();
	}

	/** Waits for the next page. False if there is none. */
	async turnPage(): Promise<boolean> {
		do {
			const { value, done } = await (this.coming.shift() as ReturnType<Pages['next']>);
			if (done) return false;
			this.page = value;
			this.at = 0;
			this.readAhead();
		} while (!this.look());
		return true;
	}

	private look(): boolean {
		const next = this.page[this.at];
		// Records without a moment come last.
		this.moment = momentOf(next?.eventTimestamp) ?? Number.NEGATIVE_INFINITY;
		return next !== undefined;
	}

	private readAhead(): void {
		const page = this.source.next();
		// A page that cannot be read matters only when its turn comes, if ever.
		page.catch(() => {});
		this.coming.push(page);
	}
}

/**
 * Reads the parts of a list side by side, and yields the records of all of them newest first, in pages of
 * `size`. Each part is newest first, so only a few pages of each are held.
 */
export async function* mergeByMoment(sources: Pages[], size: number): AsyncGenerator<License[]> {
	try {
		const all = sources.map((source) => new BufferedPart(source));
		const isOpen = await Promise.all(all.map(async (part) => await part.turnPage()));
		let parts = all.filter((_, at) => isOpen[at]);
		let page: License[] = [];
		for (let newest; (newest = newestOf(parts)); ) {
			const hasNext = newest.takeInto(page) || (await newest.turnPage());
			if (!hasNext) parts = parts.filter((part) => part !== newest);
			if (page.length === size || parts.length === 0) {
				yield page;
				page = [];
			}
		}
	} finally {
		for (const source of sources) void source.return();
	}
}

function newestOf(parts: BufferedPart[]): BufferedPart | undefined {
	let newest = parts[0];
	for (const part of parts) if (newest && part.moment > newest.moment) newest = part;
	return newest;
}
