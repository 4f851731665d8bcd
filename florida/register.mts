import type { License } from '../server/license.mts';
import type { Page, Position, Query, Register } from '../server/register.mts';
import { licenseFrom, type Kept } from './licenseFromRow.mts';
import { isReady, type Snapshot } from './memory.mts';

/** Walks of a list ask for the same filters again and again, so many are kept. */
const KEPT_QUERIES = 64;

/** What the state's files say, as the interface asks for it. */
export class FloridaRegister implements Register {
	private shown: Snapshot | undefined;
	private readonly matches = new Map<string, readonly Kept[]>();

	constructor(private readonly memory: { readonly snapshot: Snapshot }) {}

	get notReady(): string | undefined {
		if (isReady(this.memory.snapshot)) return undefined;
		return "The state's files have not been read yet. Look at the service's own page for how far it is, and try again in some minutes.";
	}

	page(query: Query, position: Position, limit: number): Page {
		const matching = this.matching(query);
		const start = 'offset' in position ? position.offset : placeAfter(matching, position.after);
		const records = matching.slice(start, start + limit);
		const last = records.at(-1);
		// Where the next page begins stays where it is when something new comes above it.
		const after = `${last?.at ?? ''} ${last?.number}`;
		return {
			data: records.map(licenseFrom),
			next: last && start + limit < matching.length ? { after } : null,
			total: matching.length,
		};
	}

	search(text: string, county: string | undefined, limit: number): License[] {
		const found: Kept[] = [];
		for (const kept of this.matching(county === undefined ? {} : { county })) {
			if (found.length >= limit) break;
			if (searchText(kept).includes(text)) found.push(kept);
		}
		return found.map(licenseFrom);
	}

	get(idOrNumber: string): License | undefined {
		const kept = this.memory.snapshot.licenses.get(idOrNumber.replace(/^lic_/, '').toUpperCase());
		return kept && licenseFrom(kept);
	}

	private matching(query: Query): readonly Kept[] {
		const { snapshot } = this.memory;
		if (this.shown !== snapshot || this.matches.size >= KEPT_QUERIES) this.matches.clear();
		this.shown = snapshot;
		const key = JSON.stringify(Object.entries(query).sort());
		const known = this.matches.get(key);
		if (known) return known;
		const matching =
			key === '[]'
				? [...snapshot.licenses.values()].sort(newestFirst)
				: this.matching({}).filter((kept) => isAsked(kept, query));
		this.matches.set(key, matching);
		return matching;
	}
}

/** It is asked of all licenses for each new query, so it makes no object. */
function isAsked(kept: Kept, query: Query): boolean {
	const { county, license_type: type, event_type: event, status, q } = query;
	if ((event ?? kept.event) !== kept.event || (status ?? kept.status) !== kept.status) return false;
	if (type !== undefined && kept.type.toLowerCase() !== type) return false;
	if (county !== undefined && kept.county.toLowerCase() !== county) return false;
	return q === undefined || listText(kept).includes(q);
}

/** Where the free text of a list looks, and where a search does. */
const listText = ({ business, city, county }: Kept): string =>
	`${business} ${city} ${county}`.toLowerCase();
const searchText = (kept: Kept): string =>
	`${listText(kept)}\n${kept.holder}\n${kept.street ?? ''}`.toLowerCase();

type Place = Pick<Kept, 'at' | 'number'>;

/** The latest event first, then by number; licenses of which no event is known come last. */
const newestFirst = (one: Place, other: Place): number =>
	compareTexts(other.at ?? '', one.at ?? '') || compareTexts(one.number, other.number);

const compareTexts = (one: string, other: string): number =>
	one < other ? -1 : Number(one > other);

function placeAfter(matching: readonly Kept[], place: string): number {
	const [at = '', number = ''] = place.split(' ');
	let [low, high] = [0, matching.length];
	while (low < high) {
		const middle = (low + high) >> 1;
		if (newestFirst(matching[middle]!, { at, number }) <= 0) low = middle + 1;
		else high = middle;
	}
	return low;
}
