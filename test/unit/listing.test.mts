import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { ListService, runOn } from '../support/list-service.mts';
import { register as records } from '../support/records.mts';

const START = Date.parse('2026-07-01T00:00:00Z');
const TYPES = LICENSE_TYPES.map(({ value }) => value);

/** Enough pages for dividing the list to cost no more than a twentieth of them. */
const LONG = 12_000;

const ids = (licenses: License[]) => licenses.map(({ id }) => id);
const read = async (service: ListService, more: object = {}, parallelRequests?: number) => {
	const parameters = { operation: 'getAll', returnAll: true, options: { parallelRequests } };
	const { items, hints } = await runOn(service, { ...parameters, ...more });
	return { items, ids: ids(items), hints };
};
const mostUnderWay = ({ requests }: ListService) =>
	Math.max(...requests.map(({ underWay }) => underWay));
/** As many turns as an answer takes over a network, so that requests made together overlap. */
const turns = 3;
/** What reading page by page would cost. */
const least = (records: number) => Math.ceil(records / 50);

it.each([1, 2, 7])('A long list is read with %i requests under way, and no more', async (most) => {
	const all = records(LONG);
	const service = new ListService(all, { turns });
	expect(await read(service, {}, most)).toEqual({ items: all, ids: ids(all), hints: [] });
	expect(mostUnderWay(service)).toBe(most);
	const cost = service.requests.length / least(LONG);
	expect(cost).toBeLessThanOrEqual(most === 1 ? 1 : 1.05);
});

it('Licenses of no known event come last, also where a list is read in parts', async () => {
	const none = { eventType: null, eventTimestamp: null, filedDate: null };
	const all = records(LONG, (rank) => (rank < 600 ? { licenseType: TYPES[rank % 3] } : none));
	const service = new ListService(all, { turns });
	const { ids: came } = await read(service);
	expect(came.slice(0, 600)).toEqual(ids(all).slice(0, 600));
	expect(new Set(came).size).toBe(LONG);
	expect(mostUnderWay(service)).toBeGreaterThan(1);
});

describe('At the shapes of a register, no list costs more than a twentieth above the least', () => {
	const otherEvents = 'address_change ownership_transfer status_change cancellation'.split(' ');

	/** New filings by filing date and then the rest, whole days, all types and events, some without a county. */
	function register(count: number): License[] {
		const dayOf = (rank: number) => new Date(START - rank * 86_400_000).toISOString().slice(0, 10);
		const filings = Math.floor(count / 6);
		return records(count, (rank) => {
			const isFiling = rank < filings;
			const filedDate = dayOf(Math.floor((isFiling ? rank : rank - filings) / 40));
			// It takes effect on the same day, or weeks later.
			const effective = new Date(Date.parse(filedDate) + (rank % 3) * 14 * 86_400_000);
			return {
				licenseType: TYPES[Math.floor((rank * 7) / 5) % TYPES.length],
				eventType: isFiling ? 'new_filing' : (otherEvents[rank % 200] ?? 'renewal'),
				address: { county: rank % 99 === 0 ? '' : rank % 5 === 0 ? 'Orange' : 'Lee' },
				filedDate,
				eventTimestamp: effective.toISOString(),
			};
		});
	}

	it.each([
		['all of it', LONG, {}, {}],
		['one county', 4 * LONG, { counties: 'Orange' }, { county: 'Orange' }],
		['new filings', 4 * LONG, { eventTypes: 'new_filing' }, { event_type: 'new_filing' }],
	] as const)('%s, and new filings come first, by filing', async (_, count, filters, query) => {
		const service = new ListService(register(count), { turns });
		const { items: licenses, hints } = await read(service, { filters });
		const wanted = service.list({ ...query });
		const order = ({ eventType, filedDate }: License) => [eventType === 'new_filing', filedDate];
		expect(licenses.map(order)).toEqual(wanted.map(order));
		expect(ids(licenses).sort()).toEqual(ids(wanted).sort());
		expect(hints).toEqual([]);
		expect(service.requests.length / least(wanted.length)).toBeLessThanOrEqual(1.05);
		expect(mostUnderWay(service) > 1).toBe(least(wanted.length) > 150);
	});

	/** Three types, five of seven and one and one, in sixty-six counties, all of one day: the state's food licenses. */
	const foodRegister = (count: number, withoutCounty: number): License[] =>
		records(count, (rank) => {
			const licenseType = ['MOBILE_FOOD', 'FOOD_SERVICE'][rank % 7] ?? 'SEATING';
			// The first has about a sixth, and each that follows a little less.
			const county = Math.floor(66 * ((rank * 0.618_033_988_7) % 1) ** 2.5);
			const isLost = licenseType === 'SEATING' && rank < withoutCounty * 7;
			return {
				licenseType,
				eventType: 'renewal',
				eventTimestamp: '2026-01-01T00:00:00Z',
				filedDate: '2026-01-01',
				address: { county: isLost ? '' : COUNTIES[county]?.value },
			};
		});

	const SAID = expect.stringContaining('licenses were read one page after another');

	it.each([
		['its counties', 0, []],
		['its types alone, where some name no county', 10, [SAID]],
	])('of which one type is three quarters, which is divided by %s', async (_, lost, said) => {
		const all = foodRegister(52_646, lost);
		const service = new ListService(all, { turns });
		const { ids, hints } = await read(service, {}, 8);
		expect(new Set(ids).size).toBe(all.length);
		expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(1.08);
		expect(hints).toEqual(said);
		// The longest walk would be three quarters of the list.
		const walks = service.requests.map(({ query }) => `${query.license_type} ${query.county}`);
		const ofSeating = walks.filter((walk) => walk === 'SEATING undefined');
		expect(ofSeating.length > least(all.length) / 3).toBe(lost > 0);
	});

	it('where a type is unknown, and the first page is not read again', async () => {
		const all = register(LONG).map((license, rank) =>
			rank % 300 === 299 ? { ...license, licenseType: 'WINE_CLUB' } : license,
		);
		const service = new ListService(all, { turns });
		expect((await read(service)).ids).toEqual(ids(all));
		expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(1.05);
		const whole = service.requests.filter(({ query }) => Object.keys(query).join() === 'limit');
		expect(whole).toHaveLength(1);
	});

	it('where the service refuses types that its interface does not list', async () => {
		const all = register(16_000).filter(({ licenseType }) => licenseType !== 'BOTTLE_CLUB');
		const service = new ListService(all, {
			turns,
			before: ({ query }) =>
				query.license_type === 'BOTTLE_CLUB' ? { status: 400, body: {} } : undefined,
		});
		expect((await read(service)).ids).toHaveLength(all.length);
		expect(mostUnderWay(service)).toBeGreaterThan(1);
	});
});

describe('A list is read page by page', () => {
	const dated = (at: number, date: string | null) => (rank: number) =>
		rank === at ? { eventTimestamp: date, filedDate: date } : {};

	it.each([
		['with ten pages', records(500), {}],
		['with a limit of ten pages', records(LONG), { returnAll: false, limit: 500 }],
		['that is not newest first', records(LONG, dated(30, '2026-08-01T00:00:00Z')), {}],
		['whose first record has no date', records(LONG, dated(0, null)), {}],
	])('%s, without a request more than that', async (_, all, parameters) => {
		const service = new ListService(all, { turns });
		const { limit = all.length } = parameters as { limit?: number };
		expect(await read(service, parameters)).toMatchObject({
			ids: ids(all).slice(0, limit),
			hints: [],
		});
		expect(service.requests).toHaveLength(least(limit));
		expect(mostUnderWay(service)).toBe(1);
	});

	it('to its end, with Filed On or After: only new filings are listed by it', async () => {
		const filedDate = (rank: number) => (rank < 120 ? '2019-01-01' : '2026-06-30');
		const all = records(150, (rank) => ({ eventType: 'renewal', filedDate: filedDate(rank) }));
		const filters = { filedAfter: '2026-06-01' };
		expect((await read(new ListService(all), { filters })).ids).toHaveLength(30);
	});
});

describe('What changes while a list is read', () => {
	const newest = { ...records(1)[0], id: 'lic_new' };

	it.each([
		[1000, 1000, 'it had 1,000 licenses at the beginning, and 1,001 at the end'],
		[LONG, LONG, 'it had 12,000 licenses at the beginning, and 12,001 at the end'],
		// The total stays.
		[1000, 990, 'announced 1000 licenses, but its list contained 999. Some may be missing'],
	])('is said (a list of %i, without number %i)', async (size, left, said) => {
		const all = records(size);
		const changed = new ListService([newest, ...all.filter((_one, at) => at !== left)]);
		const service = new ListService(all, {
			turns,
			before: ({ query }, count) => (count < 14 ? undefined : { body: changed.page(query) }),
		});
		expect((await read(service)).hints).toEqual([expect.stringContaining(said)]);
	});
});

it.each<
	[how: string, pages: number, size: number, most: number, more?: (count: number) => License]
>([
	['leads back to its start', 1, 50, 2],
	['leads back to a page before', 7, 50, 23],
	['leads ever on, to empty pages', 1000, 0, 100],
	['leads back, to records that have changed', 7, 50, 23, (note) => ({ note })],
	['has ever new licenses, more than it says', 2, 50, 225, (at) => ({ id: `new_${at}` })],
])('A list that %s is a failure', async (_, pages, size, most, more = () => ({})) => {
	const service: ListService = new ListService(records(5000), {
		before: ({ query }, count) => {
			const at = Number(query.cursor ?? 0) % pages;
			const shown = service.records.slice(at * size, (at + 1) * size);
			const data = shown.map((one) => ({ ...one, ...more(count) }));
			const pagination = { hasMore: true, cursor: String(at + 1), total: pages * size };
			return { body: { data, pagination } };
		},
	});
	await expect(read(service, {}, 1)).rejects.toThrow("The service's list never ends");
	expect(service.requests.length).toBeLessThanOrEqual(most);
});

it('Of large records, no more is read ahead than fits in memory', async () => {
	const counties = COUNTIES.slice(0, 34).map(({ value }) => value);
	const note = 'x'.repeat(96_000);
	let askedBelow = 0;
	const service = new ListService([], {
		async before({ query: { county, cursor } }, count) {
			// The first list has the newest, so all others have to wait for it.
			const isNewest = county === counties[0];
			if (!isNewest && cursor) askedBelow++;
			for (let turn = 0; isNewest && cursor && turn < 5000; turn++) await new Promise(setImmediate);
			if (isNewest && cursor) return { status: 403, body: {} };
			const eventTimestamp = isNewest ? '2026-07-02' : '2026-07-01';
			const one = { id: String(count), status: 'active', eventTimestamp, note };
			const data = Array.from({ length: 10 }, (_, at) => ({ ...one, id: `${count} ${at}` }));
			const pagination = { hasMore: true, cursor: `c${count}` };
			return { body: { data, pagination } };
		},
	});
	await expect(read(service, { filters: { counties } })).rejects.toThrow('does not allow this');
	expect(askedBelow).toBe(0);
});

it('Several values of a filter are each asked for, up to a limit', async () => {
	const all = records(3000);
	const filters = { licenseTypes: ['COP', 'SRX'], eventTypes: 'renewal,cancellation' };
	const wanted = all.filter(
		({ licenseType, eventType }) =>
			filters.licenseTypes.includes(licenseType!) && filters.eventTypes.includes(eventType!),
	);
	const service = new ListService(all, { turns });
	expect((await read(service, { filters })).ids).toEqual(ids(wanted));
	expect(service.requests).toHaveLength(5);
	const limited = await read(service, { filters, returnAll: false, limit: 30 });
	expect(limited.ids).toEqual(ids(wanted).slice(0, 30));
	expect(service.requests).toHaveLength(5 + 4);
});

describe('A request that fails', () => {
	const FAILURE = { status: 403, body: { error: { type: 'some_kind', message: 'No more.' } } };

	it('says the same as page by page, and stops the others', async () => {
		const before = (_: unknown, count: number) => (count >= 12 ? FAILURE : undefined);
		const service = new ListService(records(LONG), { turns, before });
		const another = new ListService(records(LONG), { turns, before });
		const alone = (await read(another, {}, 1).catch((thrown: unknown) => thrown)) as Error;
		await expect(read(service, {}, 4)).rejects.toThrow(alone.message);
		expect(alone).toMatchObject({ httpCode: '403' });
		const requests = service.requests.length;
		for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
		expect(service.requests).toHaveLength(requests);
		expect(requests).toBeLessThanOrEqual(12 + TYPES.length);
	});

	it('by a cursor that the service forgot says so, and what helps', async () => {
		const service = new ListService(records(1000), {
			before: (_, count) => (count === 14 ? { status: 400, body: {} } : undefined),
		});
		await expect(read(service)).rejects.toMatchObject({
			message: expect.stringContaining('its own marker for the next page (HTTP 400)'),
			description: expect.stringContaining("may have expired. Narrow 'Filters'"),
		});
	});
});
