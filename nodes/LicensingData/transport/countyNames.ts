import { findCounty, withHyphens } from '../domain/counties';
import { cannotGoOn, refusesValue, type Failure } from '../domain/failure';
import type { License } from '../domain/license';
import { LARGEST_PAGE, type LicensePage, type ListQuery } from '../domain/licenseList';
import { findLicenses, listLicenses } from './licenses';
import type { Service } from './request';

type FetchPage = (query: ListQuery) => Promise<LicensePage>;

interface Wanted {
	/** The counties that somebody chose, by our names. An empty list of any other is no surprise. */
	counties: string[];
	/** Whether a list is read to its end, however long it is. */
	readsToEnd?: boolean;
	/** Told when licenses of all counties are read, and picked from. */
	onPick?: (why: string) => void;
}

/** Of a list of all counties, when a county has to be picked from it. */
const MOST_PAGES = 100;

/**
 * Knows how to ask a list or a search for a county. Everything else uses our name for it. Services know
 * counties by other names, too ("palm-beach", "ST JOHNS", "DADE"), and answer with an empty list to a name that
 * they do not know: it looks like a county without licenses. So if a list turns out empty, the county alone is
 * asked for, once a run: by our name, with hyphens, and as the service itself writes it. If it knows none
 * of these, the list of all counties is read instead, as far as that is no more than a hundred pages.
 */
export class CountyNames {
	/** What the service calls a county; undefined if nobody knows. */
	private readonly known = new Map<string, Promise<string | undefined>>();
	/** Of all counties: several counties may be picked from the same page. */
	private readonly pages = new Map<string, Promise<LicensePage>>();

	constructor(
		private readonly service: Service,
		private readonly wanted: Wanted,
	) {}

	readonly list: FetchPage = async (query) =>
		await this.ask(query, async (one) => await listLicenses(this.service, one));

	readonly search: FetchPage = async (query) =>
		await this.ask(query, async (one) => {
			const records = await findLicenses(this.service, one);
			return { records, cursor: null };
		});

	/** What the service calls a county; undefined if it has none of that name. */
	async spellingOf(county: string): Promise<string | undefined> {
		const spelling = this.known.get(county) ?? this.findSpelling(county);
		this.known.set(county, spelling);
		return await spelling;
	}

	private async ask(query: ListQuery, fetchPage: FetchPage): Promise<LicensePage> {
		const { county, cursor } = query;
		if (county === undefined) return await fetchPage(query);
		const isWanted = this.wanted.counties.includes(county);
		// A cursor continues a list of the name that its first page was asked for, perhaps by an earlier run.
		if (!this.known.has(county) && (cursor === undefined || !isWanted)) {
			const first = fetchPage(query);
			const isIt = await first.then(
				(page) => isAbout(county, page),
				(error) => !refusesValue(error),
			);
			if (isIt) {
				const page = await first;
				this.known.set(county, Promise.resolve(county));
				return page;
			}
			if (!isWanted || (await this.spellingOf(county)) === county) {
				return onlyIn(county, await first);
			}
		}
		const spelling = await this.spellingOf(county);
		if (spelling === undefined) return await this.pick(county, query, fetchPage);
		return await fetchPage({ ...query, county: spelling });
	}

	private async findSpelling(county: string): Promise<string | undefined> {
		for (const spelling of [county, withHyphens(county)]) {
			if (await this.finds(county, spelling)) return spelling;
		}
		const shown = await this.shownAs(county);
		return shown !== undefined && (await this.finds(county, shown)) ? shown : undefined;
	}

	private async finds(county: string, spelling: string): Promise<boolean> {
		return isAbout(county, await this.tryList({ county: spelling, limit: 1 }));
	}

	/** As the service writes it in a license where a word of it occurs. */
	private async shownAs(county: string): Promise<string | undefined> {
		const [word] = county.split(/[^A-Za-z]+/).sort((a, b) => b.length - a.length);
		const { records } = await this.tryList({ q: word, limit: LARGEST_PAGE });
		return records
			.map(({ address }) => address?.county)
			.filter((shown) => typeof shown === 'string')
			.find((shown) => findCounty(shown) === county && /^[a-z .'-]{1,40}$/i.test(shown));
	}

	/** Nothing if the service turns the question down. */
	private async tryList(query: ListQuery): Promise<LicensePage> {
		return await listLicenses(this.service, query).catch((error: unknown) => {
			if (refusesValue(error)) return { records: [], cursor: null };
			throw error;
		});
	}

	private async pick(county: string, query: ListQuery, fetchPage: FetchPage): Promise<LicensePage> {
		const { readsToEnd, onPick } = this.wanted;
		const everywhere = { ...query, county: undefined, limit: LARGEST_PAGE };
		const key = JSON.stringify(everywhere);
		const isFirst = this.pages.size === 0;
		const fetched = this.pages.get(key) ?? fetchPage(everywhere);
		this.pages.set(key, fetched);
		const { records, cursor, total = 0 } = await fetched;
		if (isFirst) onPick?.(`${unknownTo(county)} ${PICKING}`);
		const isTooLong = readsToEnd && total > MOST_PAGES * LARGEST_PAGE;
		if (cursor !== null && (isTooLong || this.pages.size >= MOST_PAGES)) throw tooMany(county);
		return onlyIn(county, { records, cursor });
	}
}

const countyOf = ({ address }: License): string | undefined => findCounty(address?.county);

/** A service may ignore a name that it does not know, and list what is elsewhere. */
function isAbout(county: string, { records }: LicensePage): boolean {
	const inCounty = records.filter((license) => (countyOf(license) ?? county) === county);
	return records.length > 0 && inCounty.length >= records.length / 2;
}

/** The total of the others says nothing. */
const onlyIn = (county: string, { records, cursor }: LicensePage): LicensePage => ({
	records: records.filter((license) => countyOf(license) === county),
	cursor,
});

const unknownTo = (county: string): string =>
	`The service finds nothing in the county '${county}', nor as '${withHyphens(county)}'.`;

const PICKING =
	'The node reads the licenses of all counties instead, and picks those whose address names the county.';

const tooMany = (county: string): Failure =>
	cannotGoOn(
		`The service finds nothing in the county '${county}', and too much without it`,
		`It was asked for '${county}' and '${withHyphens(county)}'. It may use another name, have no licenses there, or your plan may not cover the county. The node picks a county from up to ${MOST_PAGES * LARGEST_PAGE} licenses of all counties: set 'License Types', 'Events' or 'Status' so that fewer match, or leave this county out of 'Counties'.`,
	);
