import { EVENT_TYPES } from '../nodes/LicensingData/licenses/eventTypes.ts';
import { findCounty, withHyphens } from '../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../nodes/LicensingData/licenses/licenseTypes.ts';
import { isObject } from '../nodes/LicensingData/licenses/text.ts';
import { formatWait } from '../nodes/LicensingData/licenses/time.ts';
import { Client, type Answer, type ClientOptions, type Query } from './client.mts';
import { countsIn } from './cursorText.mts';
import { pageIn, type Page, type Fields } from './page.mts';

/** Everything that the probe has seen; what it means is said elsewhere. */
export interface Survey {
	requests: number;
	refused: number;
	limitHeaders: ReadonlyMap<string, string>;
	/** The list without a parameter. */
	first: Page;
	/** What came for each limit that was asked for: so many records, or a status. */
	limits: Array<{ asked: number; status: number; count: number }>;
	/** The newest records, page after page, and the ones of a second reading. */
	newest: Fields[];
	again: Fields[];
	/** The totals of each license type and of each event, and of all. */
	totals: {
		all?: number;
		byType: Array<number | undefined>;
		byEvent: Array<number | undefined>;
	};
	/** A list that was read to its end: its total, and how many records came. */
	whole?: { total?: number; count: number };
	county?: {
		name: string;
		shown: string;
		found: Record<'name' | 'slug' | 'capitals' | 'shown', boolean>;
	};
	/** 'right' if a filter by this value brings records, and only such records. */
	filters: Record<string, 'right' | 'wrong' | 'refused'>;
	freeText?: Record<'asWritten' | 'reversed' | 'oneOfTwo' | 'acrossFields' | 'partOfWord', boolean>;
	search: Answer;
	get: { id: number; number: number };
	errors: Record<'badLimit' | 'badType' | 'unknownParameter' | 'badKey' | 'unknownLicense', Answer>;
	/** The numbers by which the cursors of three pages count, if their text shows it. */
	cursorCounts?: number[];
	/** The cursor of the first page, three minutes later. */
	cursor?: {
		status: number;
		arrived: number;
		/** Where the next page begins: where it did before, higher up, or somewhere else. */
		begins: 'same' | 'higher' | 'elsewhere';
	};
}

const PAGES = 4;
const CURSOR_WAIT = 3 * 60_000;
const NOTHING = 'lic_probe_there_is_no_such_license';
const NO_WORD = 'zqx'.repeat(3);

export const idOf = ({ id, licenseNumber }: Fields): string => String(id ?? licenseNumber);
export const countyOf = ({ address }: Fields): unknown =>
	isObject(address) ? address.county : undefined;

class Reader {
	readonly client: Client;
	constructor(options: ClientOptions) {
		this.client = new Client(options);
	}

	async page(query: Query): Promise<Page | undefined> {
		return pageIn(await this.client.ask('/licenses', query));
	}

	async finds(query: Query, id: string): Promise<boolean> {
		const page = await this.page(query);
		return page?.records.some((record) => idOf(record) === id) ?? false;
	}
}

class NotAList extends Error {}

/** Asks everything, cheapest first; what later questions need comes from earlier answers. */
export async function survey(options: ClientOptions): Promise<Survey> {
	const reader = new Reader(options);
	const { client } = reader;
	const opened = await client.ask('/licenses');
	const first = pageIn(opened);
	if (!first) throw new NotAList(`The list of licenses could not be read (HTTP ${opened.status})`);
	const limits = await tryLimits(client);
	const limit = Math.min(50, Math.max(10, ...limits.map(({ count }) => count)));
	const kept = await reader.page({ limit: 10 });
	const keptAt = options.now();
	const below = kept?.next && (await reader.page({ limit: 10, ...kept.next }));
	const [newest, afterOne] = await readDown(reader, limit);
	const cursorCounts = countsIn([
		{ next: kept?.next, records: 10, pages: 1 },
		{ next: below?.next, records: 20, pages: 2 },
		{ next: afterOne, records: limit, pages: 1 },
	]);
	const again = (await reader.page({ limit }))?.records ?? [];
	const byType: Array<number | undefined> = [];
	const filters: Survey['filters'] = {};
	for (const { value } of LICENSE_TYPES) {
		const page = await reader.page({ license_type: value, limit: 1 });
		byType.push(page?.total);
		filters[value] = judged(page, 'licenseType', value);
	}
	const byEvent: Array<number | undefined> = [];
	for (const { value } of EVENT_TYPES) {
		const page = await reader.page({ event_type: value, limit: 1 });
		byEvent.push(page?.total);
		filters[value] = judged(page, 'eventType', value);
	}
	const status = mostFrequent(newest.map((record) => record.status));
	if (status !== undefined)
		filters.status = judged(await reader.page({ status, limit: 1 }), 'status', status);
	const county = await tryCounty(reader, newest);
	const whole = await readWhole(reader, newest, limit);
	const freeText = await tryFreeText(reader, newest, limit);
	const word = wordsOf(newest[0] ?? {})[0] ?? 'bar';
	const search = await client.ask('/licenses/search', { q: word, limit: 10 });
	const [sample = {}] = newest;
	const get = {
		id: (await client.ask(`/licenses/${encodeURIComponent(String(sample.id))}`)).status,
		number: (await client.ask(`/licenses/${encodeURIComponent(String(sample.licenseNumber))}`))
			.status,
	};
	const errors = {
		badLimit: await client.ask('/licenses', { limit: 0 }),
		badType: await client.ask('/licenses', { license_type: 'NO_SUCH_TYPE' }),
		unknownParameter: await client.ask('/licenses', { no_such_parameter: 'x' }),
		badKey: await client.ask('/licenses', {}, 'ls_test_this_key_is_not_valid'),
		unknownLicense: await client.ask(`/licenses/${NOTHING}`),
	};
	const cursor = await laterCursor(reader, options, { kept, below, keptAt, limit });
	return {
		requests: client.requests,
		refused: client.refused,
		limitHeaders: client.limitHeaders,
		...{ first, limits, newest, again, totals: { all: first.total, byType, byEvent } },
		...{ whole, county, filters, freeText, search, get, errors, cursor, cursorCounts },
	};
}

async function tryLimits(client: Client): Promise<Survey['limits']> {
	const limits: Survey['limits'] = [];
	for (const asked of [50, 100, 500, 501]) {
		const answer = await client.ask('/licenses', { limit: asked });
		const count = pageIn(answer)?.records.length ?? 0;
		limits.push({ asked, status: answer.status, count });
		if (count < asked) break;
	}
	return limits;
}

/** The records of the first pages, and what asks for the second of them. */
async function readDown(
	reader: Reader,
	limit: number,
): Promise<[records: Fields[], afterOne: Query | undefined]> {
	const records: Fields[] = [];
	let next: Query | undefined = {};
	let afterOne: Query | undefined;
	for (let pages = 0; pages < PAGES && next; pages++) {
		const page: Page | undefined = await reader.page({ limit, ...next });
		records.push(...(page?.records ?? []));
		next = page?.next;
		afterOne ??= next;
	}
	return [records, afterOne];
}

const judged = (page: Page | undefined, field: string, value: string) =>
	page === undefined
		? 'refused'
		: page.records.length > 0 && page.records.every((record) => record[field] === value)
			? 'right'
			: 'wrong';

function mostFrequent(values: unknown[]): string | undefined {
	const counts = new Map<string, number>();
	for (const value of values)
		if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1);
	return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** The county whose name can be spelled in the most ways, of those that are there. */
async function tryCounty(reader: Reader, records: Fields[]): Promise<Survey['county']> {
	const known = records.flatMap((record) => {
		const shown = countyOf(record);
		const name = findCounty(shown);
		return typeof shown === 'string' && name !== undefined ? [{ name, shown }] : [];
	});
	const telling = [/^St\./, /^Miami-Dade$/, / /, /./];
	const chosen = telling.flatMap((pattern) => known.filter(({ name }) => pattern.test(name)))[0];
	if (!chosen) return undefined;
	const { name, shown } = chosen;
	const spellings = {
		name,
		slug: withHyphens(name),
		capitals: name.toUpperCase().replace('.', ''),
		shown,
	};
	const found: Array<[string, boolean]> = [];
	for (const [spelling, county] of Object.entries(spellings)) {
		const page = await reader.page({ county, limit: 1 });
		const isRight = page?.records.length === 1 && findCounty(countyOf(page.records[0]!)) === name;
		found.push([spelling, isRight]);
	}
	return { name, shown, found: Object.fromEntries(found) as never };
}

/** A list of a few pages: the rarest type and status together, of those that were seen twice. */
async function readWhole(
	reader: Reader,
	records: Fields[],
	limit: number,
): Promise<Survey['whole']> {
	const pairs = new Map<string, { query: Query; count: number }>();
	for (const { licenseType, eventType } of records) {
		const query = { license_type: String(licenseType), event_type: String(eventType) };
		const key = JSON.stringify(query);
		pairs.set(key, { query, count: (pairs.get(key)?.count ?? 0) + 1 });
	}
	const byCount = [...pairs.values()].sort((a, b) => a.count - b.count);
	const rarest = byCount.find(({ count }) => count > 1) ?? byCount[0];
	if (!rarest) return undefined;
	const ids = new Set<string>();
	let total: number | undefined;
	let next: Query | undefined = {};
	for (let pages = 0; pages < 6 && next; pages++) {
		const page: Page | undefined = await reader.page({
			limit: pages === 0 ? 5 : limit,
			...rarest.query,
			...next,
		});
		total ??= page?.total;
		for (const record of page?.records ?? []) ids.add(idOf(record));
		next = page?.next;
	}
	return next ? undefined : { count: ids.size, ...(total !== undefined && { total }) };
}

const wordsOf = ({ businessName }: Fields): string[] =>
	typeof businessName === 'string' ? (businessName.match(/[A-Za-z]{4,}/g) ?? []) : [];

/** A business whose words are rare, so that it is near the top of whatever they find. */
async function tryFreeText(
	reader: Reader,
	records: Fields[],
	limit: number,
): Promise<Survey['freeText']> {
	const uses = new Map<string, number>();
	for (const word of records.flatMap(wordsOf)) uses.set(word, (uses.get(word) ?? 0) + 1);
	const rarity = (record: Fields) =>
		Math.max(...wordsOf(record).map((word) => uses.get(word) ?? 0));
	const [chosen] = records
		.filter(({ businessName, address }) => {
			const isPlain = /^[A-Za-z]{4,} [A-Za-z]{4,}( [A-Za-z]{4,})*$/.test(String(businessName));
			return isPlain && isObject(address) && /^[A-Za-z ]+$/.test(String(address.city));
		})
		.sort((a, b) => rarity(a) - rarity(b));
	if (!chosen) return undefined;
	const words = wordsOf(chosen);
	const [one = '', two = ''] = words;
	const city = isObject(chosen.address) ? String(chosen.address.city) : '';
	const id = idOf(chosen);
	const find = async (q: string) => await reader.finds({ q, limit }, id);
	return {
		asWritten: await find(`${one} ${two}`),
		reversed: await find(`${two} ${one}`),
		oneOfTwo: await find(`${one} ${NO_WORD}`),
		acrossFields: await find(`${words.at(-1)} ${city}`),
		partOfWord: await find(one.slice(0, -1)),
	};
}

async function laterCursor(
	reader: Reader,
	{ sleep, now, say = () => {} }: ClientOptions,
	{
		kept,
		below,
		keptAt,
		limit,
	}: { kept?: Page | undefined; below?: Page | undefined; keptAt: number; limit: number },
): Promise<Survey['cursor']> {
	if (!kept?.next || !below) return undefined;
	const wait = Math.max(0, keptAt + CURSOR_WAIT - now());
	say(`Waiting ${formatWait(wait)} to see how long a cursor lasts`);
	await sleep(wait);
	const answer = await reader.client.ask('/licenses', { limit: 10, ...kept.next });
	const later = pageIn(answer)?.records.map(idOf) ?? [];
	const top = (await reader.page({ limit }))?.records.map(idOf) ?? [];
	const before = kept.records.map(idOf);
	const firstKnown = top.findIndex((id) => before.includes(id));
	const arrived = firstKnown < 0 ? top.length : firstKnown;
	const [start = ''] = later;
	const isHigher = [...top.slice(0, arrived), ...before].includes(start);
	const isSame = below.records[0] !== undefined && idOf(below.records[0]) === start;
	const begins = isSame ? 'same' : isHigher ? 'higher' : 'elsewhere';
	return { status: answer.status, arrived, begins };
}
