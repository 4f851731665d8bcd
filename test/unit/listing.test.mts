import { describe, expect, it } from 'vitest';

import type { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { LICENSE_TYPES, LIQUOR_TYPES } from '../../nodes/LicensingData/domain/licenseTypes.ts';
import { EVENT_TYPES } from '../../nodes/LicensingData/domain/eventTypes.ts';
import { MOST_WAITING } from '../../nodes/LicensingData/domain/bounds.ts';
import { waitingBytes } from '../../nodes/LicensingData/domain/waitingBytes.ts';
import { SeenHashes } from '../../nodes/LicensingData/listing/seenHashes.ts';
import { ListService, readWithGetMany, type Request } from '../support/list-service.mts';

const START = Date.parse('2026-07-01T00:00:00Z');
const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = EVENT_TYPES.map(({ value }) => value);

/** Enough pages for dividing the list to cost no more than a twentieth of them. */
const LONG = 12_000;

/** This many records, a minute apart, spread over all types and events; the first is the newest. */
const records = (count: number, more: (rank: number) => License = () => ({})): License[] =>
	Array.from({ length: count }, (_, rank) => {
		const eventTimestamp = new Date(START - rank * 60_000).toISOString();
		return {
			id: `lic_${rank}`,
			businessName: 'The Rusty Anchor',
			licenseType: TYPES[rank % TYPES.length],
			eventType: EVENTS[rank % EVENTS.length],
			eventTimestamp,
			filedDate: eventTimestamp.slice(0, 10),
			...more(rank),
		};
	});

const ids = (licenses: License[]) => licenses.map(({ id }) => id);
const read = async (
	service: ListService,
	parameters: object = {},
	parallelRequests: number | undefined = 4,
) => {
	const { licenses, log } = await readWithGetMany(service, { ...parameters }, parallelRequests);
	return { ids: licenses.map(({ id }) => id), log };
};
const asked = ({ requests }: ListService, by: string) =>
	new Set(requests.map(({ query }) => query[by]).filter((value) => value !== undefined)).size;

const removeAt = (service: ListService, at: number): void =>
	service.remove(service.records[at] as License);
const mostUnderWay = ({ requests }: ListService) =>
	Math.max(...requests.map(({ underWay }) => underWay));
/** As many turns as an answer takes over a network, so that requests made together overlap. */
const turns = () => 3;
/** Long enough for everything in flight to come back. */
const passTurns = async () => {
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};
/** What reading page by page would cost. */
const least = (records: number) => Math.ceil(records / 50);

describe('A long list', () => {
	it.each([2, 4, 7, 10])(
		'is read with %i requests under way at once, and no more',
		async (most) => {
			const all = records(LONG);
			const service = new ListService(all, { turns });
			expect(await read(service, {}, most)).toEqual({ ids: ids(all), log: [] });
			expect(mostUnderWay(service)).toBe(most);
		},
	);

	it('is read page by page where Parallel Requests is 1', async () => {
		const service = new ListService(records(LONG), { turns });
		expect(await read(service, {}, 1)).toMatchObject({ log: [] });
		expect(mostUnderWay(service)).toBe(1);
		expect(service.requests).toHaveLength(least(LONG));
	});

	it('has its longest part read from the beginning, or it would be alone at the end', async () => {
		const ofOld = TYPES.at(-1);
		const others = TYPES.length - 1;
		const all = records(LONG, (rank) => ({
			licenseType: rank < 0.75 * LONG ? TYPES[rank % others] : ofOld,
		}));
		const service = new ListService(all, { turns });
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		const firstHalf = service.requests.slice(0, service.requests.length / 2);
		const ofLongest = firstHalf.filter(({ query }) => query.license_type === ofOld);
		// A fourth of all is in it, and a fourth of what may be under way is for it.
		expect(ofLongest.length).toBeGreaterThan(15);
	});

	it('is divided further where one type holds most of it', async () => {
		const all = records(2 * LONG, (rank) => ({ licenseType: rank % 10 === 0 ? 'SRX' : 'COP' }));
		const service = new ListService(all, { turns });
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		const furthest = service.requests.filter(({ query }) => query.license_type === 'COP');
		expect(new Set(furthest.map(({ query }) => query.event_type)).size).toBe(1 + EVENTS.length);
	});

	it('is divided by event type where a license type is unknown', async () => {
		const all = records(2 * LONG, (rank) => (rank === 700 ? { licenseType: 'WINE_CLUB' } : {}));
		const service = new ListService(all);
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		expect(asked(service, 'event_type')).toBe(EVENTS.length);
	});

	it('may end with records that have no timestamp', async () => {
		const all = records(LONG, (rank) => (rank >= LONG - 100 ? { eventTimestamp: null } : {}));
		const { ids: brought, log } = await read(new ListService(all));
		expect(brought.sort()).toEqual(ids(all).sort());
		expect(log).toEqual([]);
	});

	it('brings a record once that is in two parts while they are read', async () => {
		const all = records(LONG);
		const moving = all[LONG - 50] as License;
		const service: ListService = new ListService(all, {
			before: ({ query }) => {
				const type = query.license_type;
				if (type === undefined || query.cursor || type === moving.licenseType) return;
				const page = service.page(query);
				return { statusCode: 200, body: page && { ...page, data: [...page.data, moving] } };
			},
		});
		const { ids: brought } = await read(service);
		expect(brought.filter((id) => id === moving.id)).toHaveLength(1);
	});

	it('has records of any order that a page can be in merged in it: new filings first, by filing', async () => {
		const all = asInRegister(LONG);
		const service = new ListService(all, { turns });
		const { ids: brought, log } = await read(service);
		expect(log).toEqual([]);
		expect(mostUnderWay(service)).toBe(4);
		const order = (license: License | undefined) =>
			`${license?.eventType === 'new_filing' ? 1 : 0} ${license?.filedDate}`;
		const byId = new Map(all.map((license) => [license.id, order(license)]));
		expect(brought.map((id) => byId.get(id as string))).toEqual(all.map(order));
		expect([...brought].sort()).toEqual(ids(all).sort());
	});
});

/** A register's list: new filings by filing date and then the rest, whole days, and numbers that stand there twice. */
function asInRegister(count: number, isAllOfOneDay = false): License[] {
	const dayOf = (rank: number) =>
		new Date(START - (isAllOfOneDay ? 0 : rank * 86_400_000)).toISOString().slice(0, 10);
	const filings = Math.floor(count / 6);
	return Array.from({ length: count }, (_, rank) => {
		const isFiling = rank < filings;
		const filedDate = dayOf(Math.floor((isFiling ? rank : rank - filings) / 40));
		// It takes effect on the same day, or weeks later.
		const eventTimestamp = isAllOfOneDay
			? `${filedDate}T00:00:00Z`
			: new Date(Date.parse(filedDate) + (rank % 3) * 14 * 86_400_000).toISOString();
		const number = rank % 400 === 399 ? rank - 1 : rank;
		return {
			id: `lic_${rank}`,
			licenseNumber: `BEV${String(number).padStart(7, '0')}`,
			legalName: `Holder ${rank}`,
			licenseType: TYPES[Math.floor((rank * 7) / 5) % TYPES.length],
			eventType: isFiling ? 'new_filing' : 'renewal',
			address: { county: rank % 4 === 0 ? 'Orange' : 'Lee' },
			filedDate,
			eventTimestamp,
		};
	});
}

describe('At the shapes of a register, no list costs more than a twentieth above the least', () => {
	it.each<[string, number, boolean, object]>([
		['all of it', 52_646, false, {}],
		['all of it, where all dates are equal', 52_646, true, {}],
		['one county', 52_646, false, { counties: 'Orange' }],
		['two counties', 52_646, false, { counties: ['Orange', 'Lee'] }],
		['new filings', 52_646, false, { eventTypes: 'new_filing' }],
		['a type', 52_646, false, { licenseTypes: 'COP' }],
		['a short list', 900, false, {}],
	])('%s', async (_, count, isAllOfOneDay, filters) => {
		const all = asInRegister(count, isAllOfOneDay);
		const service = new ListService(all, { turns, cursors: 'position' });
		const { licenses, hints } = await readWithGetMany(service, { filters }, undefined);
		const { counties, eventTypes, licenseTypes } = filters as Record<string, string | string[]>;
		const lists = [counties ?? []].flat().map((county) => ({ county }));
		const queries =
			lists.length > 0 ? lists : [{ event_type: eventTypes, license_type: licenseTypes }];
		const wanted = queries.map((query) => service.list(JSON.parse(JSON.stringify(query))));
		const fewest = wanted.reduce((sum, list) => sum + least(list.length), 0);
		expect(licenses).toHaveLength(wanted.flat().length);
		expect(new Set(ids(licenses)).size).toBe(licenses.length);
		expect(hints).toEqual([]);
		expect(service.requests.length).toBeGreaterThanOrEqual(fewest);
		expect(service.requests.length / fewest).toBeLessThanOrEqual(1.05);
	});

	it('filed lately, of one kind of event: no further than the first page that is older', async () => {
		const service = new ListService(asInRegister(52_646), { turns });
		const filters = { eventTypes: 'new_filing', filedAfter: '2026-06-25' };
		const { licenses } = await readWithGetMany(service, { filters }, undefined);
		expect(licenses).toHaveLength(7 * 40);
		// Seven days, the day before for the sake of time zones, and a page that is older.
		expect(service.requests.length).toBeLessThanOrEqual(9);
	});
});

describe('A list is read page by page', () => {
	it.each([
		['with ten pages', {}, 500, 10],
		['with a limit of ten pages', { returnAll: false, limit: 500 }, LONG, 10],
		['with a limit of a few pages more', { returnAll: false, limit: 1250 }, LONG, 25],
		['with a limit of half a page', { returnAll: false, limit: 25 }, LONG, 1],
	])('%s, without a request more than that', async (_, parameters, count, requests) => {
		const service = new ListService(records(count), { turns });
		expect((await read(service, parameters)).log).toEqual([]);
		expect(service.requests).toHaveLength(requests);
		expect(mostUnderWay(service)).toBe(1);
	});

	it('where records have unknown types and events', async () => {
		const all = records(LONG, (rank) =>
			rank === 600 ? { licenseType: null, eventType: 'merger' } : {},
		);
		const service = new ListService(all);
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		// The first page is not read again.
		const whole = service.requests.filter(({ query }) => Object.keys(query).join() === 'limit');
		expect(whole).toHaveLength(1);
	});

	it.each([400, 422, 503])(
		'where the service answers a filter with HTTP %i',
		async (statusCode) => {
			const all = records(LONG);
			const service = new ListService(all, {
				before: ({ query }) =>
					query.license_type || query.event_type
						? { statusCode, headers: { 'retry-after': '0.001' }, body: {} }
						: undefined,
			});
			expect((await read(service)).ids).toEqual(ids(all));
		},
	);

	it.each([
		['not newest first', 30, '2026-08-01T00:00:00Z'],
		['has no date', 0, null],
	])('where a record on its first page is %s, in the order of the service', async (_, at, time) => {
		const all = records(LONG, (rank) =>
			rank === at ? { eventTimestamp: time, filedDate: time } : {},
		);
		const service = new ListService(all, { turns });
		expect((await read(service)).ids).toEqual(ids(all));
		expect(mostUnderWay(service)).toBe(1);
	});
});

describe('Page by page', () => {
	it.each([
		[{ returnAll: true }, [2, 3, 4, 4]],
		[{ returnAll: false, limit: 120 }, [2, 3, 3]],
		[{ returnAll: false, limit: 100 }, [2, 2]],
	])(
		'the next page is asked for before the last is handed on, where it is needed (%o)',
		async (parameters, requests) => {
			const service = new ListService(records(180));
			const seen: number[] = [];
			const handedOn = () => seen.push(service.requests.length);
			await readWithGetMany(service, parameters, 1, { handedOn });
			expect(seen).toEqual(requests);
		},
	);
});

describe('What changes while a list is read', () => {
	const onTop = (at: number) => ({
		...records(1)[0],
		id: `lic_new${at}`,
		eventTimestamp: new Date(START + at * 60_000).toISOString(),
	});
	const changed = async (size: number, change: (service: ListService) => void) => {
		const all = records(size);
		const service: ListService = new ListService(all, {
			turns,
			cursors: 'position',
			before: (_request, count) => void (count === 14 && change(service)),
		});
		const outcome = await readWithGetMany(service);
		return { all: ids(all), brought: ids(outcome.licenses), hints: outcome.hints, service };
	};

	it.each([1000, LONG])('is said where the total changes (%i)', async (size) => {
		const { all, brought, hints, service } = await changed(size, (list) => list.insert(onTop(1)));
		expect(brought).toEqual(all);
		expect(hints).toEqual([
			expect.stringContaining(
				`it had ${size.toLocaleString('en')} licenses at the beginning, and ${(size + 1).toLocaleString('en')} at the end`,
			),
		]);
		expect(service.requests.length / least(size)).toBeLessThanOrEqual(1.1);
	});

	it('is said where what is removed hides something else', async () => {
		const { brought, hints } = await changed(1000, (list) => removeAt(list, 0));
		expect(brought).toHaveLength(999);
		expect(hints).toEqual(
			[
				'The service announced 999 licenses, but its list held 999. Some may be missing, or the service counts differently.',
			].map(() => expect.stringMatching(/announced 999 licenses, but its list held 99|had 1,000/)),
		);
	});

	it('is said where something moves up unread, though the total stays', async () => {
		const { brought, hints } = await changed(1000, (list) => {
			removeAt(list, 990);
			list.insert(onTop(1));
		});
		expect(new Set(brought).size).toBe(999);
		expect(hints).toEqual([
			expect.stringContaining(
				'announced 1000 licenses, but its list held 999. Some may be missing',
			),
		]);
	});

	it('is nothing to say where a limit is full', async () => {
		const service: ListService = new ListService(records(1000), {
			before: (_request, count) => void (count === 4 && service.insert(onTop(1))),
		});
		const { hints } = await readWithGetMany(service, { returnAll: false, limit: 500 });
		expect(hints).toEqual([]);
	});
});

describe('A list with', () => {
	it('a record too far down is read in the order of its parts, and a log line says so', async () => {
		const all = records(LONG, (rank) =>
			rank > 8000 && rank % 100 === 90 ? { eventTimestamp: '2026-08-01T00:00:00Z' } : {},
		);
		const { ids: brought, log } = await read(new ListService(all));
		expect([...brought].sort()).toEqual(ids(all).sort());
		expect(log).toEqual(['This list is not newest first everywhere']);
	});

	it.each([
		['an old record', '2019-01-01T00:00:00Z'],
		['one without a date', null],
	])('%s on top does not end another', async (_, eventTimestamp) => {
		const counties = ['Bay', 'Lee'];
		const all = records(121, (rank) => ({
			address: { county: rank === 0 || rank === 120 ? 'Lee' : 'Bay' },
			...(rank === 0 && { eventTimestamp }),
		}));
		const { ids: brought } = await read(new ListService(all), {
			filters: { counties, happenedAfter: '2026-06-01' },
		});
		expect(brought).toContain('lic_120');
	});

	it('no total is read to its end', async () => {
		const all = records(1000);
		expect(await read(new ListService(all, { totals: false }))).toEqual({ ids: ids(all), log: [] });
	});

	it('parts that are much newer than others holds no more than may wait in a process', async () => {
		const legalName = 'x'.repeat(30_000);
		const all = records(6000, (rank) => ({ licenseType: rank < 3000 ? 'COP' : 'SRX', legalName }));
		const service = new ListService(all, {
			turns: ({ query }) => (query.license_type === 'COP' ? 9 : 1),
		});
		// Other tests of this process may hold some.
		const before = waitingBytes.bytes;
		let mostHeld = 0;
		const handedOn = () => void (mostHeld = Math.max(mostHeld, waitingBytes.bytes));
		const filters = { licenseTypes: ['COP', 'SRX'] };
		const { licenses } = await readWithGetMany(service, { filters }, 8, { handedOn });
		expect(ids(licenses)).toEqual(ids(all));
		expect(mostHeld).toBeGreaterThan(0.9 * MOST_WAITING);
		// A page of each list may have been under way.
		expect(mostHeld).toBeLessThan(MOST_WAITING + 2 * 2_000_000);
		expect(waitingBytes.bytes).toBeCloseTo(before, 3);
	});

	it('cursors that lead back to its start is a failure, however many pages it has', async () => {
		for (const pages of [1, 2, 3, 7, 30]) {
			const service: ListService = new ListService(records(100 * 50), {
				before: ({ query }) => {
					const at = Number(query.cursor ?? 0) % pages;
					const page = service.page({ ...query, cursor: undefined as never, limit: '50' });
					const data = service.records.slice(at * 50, at * 50 + 50);
					const pagination = { ...page?.pagination, hasMore: true, cursor: String(at + 1) };
					return { statusCode: 200, body: { data, pagination } };
				},
			});
			const error = await readWithGetMany(service, {}, 1).catch((thrown: unknown) => thrown);
			expect(error).toMatchObject({ message: 'The list of the service does not end' });
			expect(service.requests.length).toBeLessThanOrEqual(3 * pages + 2);
		}
	});
});

it('A list that starts over still ends where a date filter says', async () => {
	let hasRefused = false;
	const service: ListService = new ListService(records(10_000), {
		before: ({ query }, count) => {
			if (hasRefused || count < 12 || query.cursor === undefined) return undefined;
			hasRefused = true;
			return { statusCode: 404, body: {} };
		},
	});
	const wanted = await read(service, { filters: { filedAfter: '2026-07-01' } }, 1);
	expect(hasRefused).toBe(true);
	expect(wanted.ids).toHaveLength(1);
	// About 30 pages are newer than a day before, which allows for time zones. Ten were read twice.
	expect(service.requests.length).toBeLessThan(50);
});

describe('A cursor that the service refuses', () => {
	it.each([1, 4])(
		'makes its list start over, and brings each license once, %i at a time',
		async (parallelRequests) => {
			const all = records(1000);
			const service: ListService = new ListService(all, {
				turns,
				before: (_, count) => void (count === 14 && service.expireCursors()),
			});
			const { ids: brought, log } = await read(service, {}, parallelRequests);
			expect(brought).toEqual(ids(all));
			expect(log[0]).toMatch(/^The service refused a cursor after \d+ licenses\./);
		},
	);

	it.each([400, 404, 422])(
		'in the same place again is named, and how far it led (HTTP %i)',
		async (statusCode) => {
			let refused = '';
			const service: ListService = new ListService(records(400), {
				before({ query: { cursor } }, count) {
					if (count % 5 !== 0) return undefined;
					refused = String(cursor);
					return { statusCode, body: {} };
				},
			});
			const error = (await read(service, {}, 1).catch((thrown: unknown) => thrown)) as Failure;
			expect(error).toMatchObject({
				status: statusCode,
				message: `The service did not accept its own marker for the next page (HTTP ${statusCode})`,
			});
			expect(error.description).toContain(`The marker (cursor) is '${refused}'`);
			expect(error.description).toContain("narrower 'Filters'");
			expect(error.description).toMatch(
				/page 5 of the list, after 200 licenses, and after reading it from its start again\.$/,
			);
			expect(service.requests).toHaveLength(10);
		},
	);

	it('starts over as long as each start leads further', async () => {
		const all = records(1000);
		let lives = 3;
		let asked = 0;
		const service: ListService = new ListService(all, {
			before({ query: { cursor } }) {
				asked = cursor === undefined ? 1 : asked + 1;
				return asked > lives ? { statusCode: 404, body: { lives: (lives += 3) } } : undefined;
			},
		});
		expect((await read(service, {}, 1)).ids).toEqual(ids(all));
	});
});

describe('Several values of a filter', () => {
	const asOf = (all: License[], types: string[], events = EVENTS) =>
		ids(
			all.filter(
				({ licenseType, eventType }) =>
					types.includes(String(licenseType)) && events.includes(String(eventType)),
			),
		);
	const filters = { licenseTypes: ['COP', 'SRX'], eventTypes: 'renewal, cancellation' };

	it('are each asked for, and nothing else is read', async () => {
		const all = records(3000);
		const service = new ListService(all, { turns });
		expect(await read(service, { filters })).toEqual({
			ids: asOf(all, ['COP', 'SRX'], ['renewal', 'cancellation']),
			log: [],
		});
		for (const { query } of service.requests) {
			expect(filters.licenseTypes).toContain(query.license_type);
			expect(['renewal', 'cancellation']).toContain(query.event_type);
		}
		expect(mostUnderWay(service)).toBe(4);
	});

	it('bring the newest of all of them where there is a limit', async () => {
		const all = records(3000);
		const service = new ListService(all, { turns });
		const { ids: brought } = await read(service, { filters, returnAll: false, limit: 30 });
		expect(brought).toEqual(asOf(all, ['COP', 'SRX'], ['renewal', 'cancellation']).slice(0, 30));
		expect(service.requests).toHaveLength(4);
	});

	it('that are of one moment are not read further than a limit needs', async () => {
		const eventTimestamp = new Date(START).toISOString();
		const all = records(400, (rank) => ({
			licenseType: rank % 2 === 0 ? 'COP' : 'SRX',
			eventTimestamp,
			address: { city: rank < 6 ? 'Tampa' : 'Orlando' },
		}));
		const service = new ListService(all, { turns });
		const wanted = { filters: { licenseTypes: ['COP', 'SRX'], cities: 'Tampa' }, limit: 5 };
		const { ids: brought } = await read(service, { ...wanted, returnAll: false });
		// Three are in each list.
		expect(brought).toHaveLength(5);
		expect(service.requests).toHaveLength(2);
	});

	it('cost one request each where a page holds all', async () => {
		const service = new ListService(records(100), { turns });
		await read(service, { filters: { licenseTypes: 'allLiquor' } });
		expect(service.requests).toHaveLength(LIQUOR_TYPES.length);
	});

	it('are divided further where one of them is long', async () => {
		const all = records(LONG, (rank) => ({ licenseType: rank % 10 === 0 ? 'SRX' : 'COP' }));
		const service = new ListService(all, { turns });
		const filters = { licenseTypes: ['COP', 'SRX'] };
		expect(await read(service, { filters })).toEqual({ ids: ids(all), log: [] });
		expect(asked(service, 'event_type')).toBe(EVENTS.length);
		expect(asked(service, 'license_type')).toBe(2);
	});
});

describe('A large limit', () => {
	it.each([1251, 1777, 2000])('of %i brings the newest, and reads little more', async (limit) => {
		const all = records(5000);
		const service = new ListService(all, { turns });
		const { ids: brought, log } = await read(service, { returnAll: false, limit });
		expect({ brought, log }).toEqual({ brought: ids(all).slice(0, limit), log: [] });
		// Each of the 7 parts may have begun a page that is not needed, and so may each request in flight.
		expect(service.requests.length).toBeLessThanOrEqual(Math.ceil(limit / 50) + 2 + 7 + 4);
	});
});

describe('Filed After', () => {
	const filedAfter = new Date(START - 1000 * 60_000).toISOString().slice(0, 10);
	const wanted = (all: License[]) =>
		ids(all.filter(({ filedDate }) => String(filedDate) >= filedAfter));

	it('is read page by page where the first page shows that the end is near', async () => {
		const all = records(20_000, (rank) => {
			const eventTimestamp = new Date(START - rank * 3_600_000).toISOString();
			return { eventTimestamp, filedDate: eventTimestamp.slice(0, 10) };
		});
		const service = new ListService(all, { turns });
		const { ids: brought } = await read(service, { filters: { filedAfter } });
		expect(brought).toEqual(wanted(all));
		expect(mostUnderWay(service)).toBe(1);
	});
});

describe('A request that fails', () => {
	const failure = (statusCode: number) => ({
		statusCode,
		body: { error: { type: 'some_kind', message: 'No more.' } },
	});
	const failing = (statusCode: number, from = 12) =>
		new ListService(records(LONG), {
			turns,
			before: (_, count) => (count >= from ? failure(statusCode) : undefined),
		});
	const errorOf = async (service: ListService, parallelRequests: number, parameters = {}) =>
		await readWithGetMany(service, parameters, parallelRequests).then(
			() => undefined,
			(error: Error & { description?: string; status?: number }) => ({
				...error,
				message: error.message,
				description: error.description,
			}),
		);

	it.each([401, 403])(
		'with HTTP %i says the same as page by page, and stops the others',
		async (status) => {
			const service = failing(status);
			const error = await errorOf(service, 4);
			const { message } = (await errorOf(failing(status), 1)) ?? {};
			expect(error).toMatchObject({ status, message });
			const requests = service.requests.length;
			await passTurns();
			expect(service.requests).toHaveLength(requests);
			expect(requests).toBeLessThanOrEqual(12 + 3);
		},
	);

	it('names its page, and how much had been read', async () => {
		expect((await errorOf(failing(403), 1))?.description).toMatch(
			/ It was page 12 of the list, after 550 licenses\.$/,
		);
		expect((await errorOf(failing(403), 4))?.description).toMatch(
			/ It was page 2 of the list for license_type=\w+, after 50 licenses\.$/,
		);
		const filters = { licenseTypes: 'COP', eventTypes: 'renewal' };
		expect((await errorOf(failing(403, 2), 4, { filters }))?.description).toContain(
			'It was page 2 of the list for event_type=renewal, license_type=COP, after 50 licenses.',
		);
		expect((await errorOf(failing(403, 1), 4))?.description).not.toContain('It was page');
	});

	const LIMIT = 10_500;
	/** Pages whose cursor stands for a record below the wanted ones. */
	const isBeyondLimit = ({ query: { cursor } }: Request) =>
		cursor !== undefined && LONG - 1 - Number(cursor.split(':')[1]) >= LIMIT;

	it.each<[string, (request: Request) => number]>([
		['no later than what it needs', (request) => (isBeyondLimit(request) ? 1 : 9)],
		['while one part lags behind', ({ query }) => (query.license_type === 'COP' ? 9 : 1)],
	])('on a page that a limit turns out not to need is no failure: %s', async (_, turns) => {
		const all = records(LONG);
		const service: ListService = new ListService(all, {
			turns,
			before: (request) => (isBeyondLimit(request) ? failure(403) : undefined),
		});
		const { ids: brought } = await read(service, { returnAll: false, limit: LIMIT }, 10);
		expect(brought).toEqual(ids(all).slice(0, LIMIT));
		expect(service.requests.filter(isBeyondLimit)).not.toEqual([]);
	});

	it('on a page that a limit needs is a failure, however many others there are', async () => {
		const service: ListService = new ListService(records(LONG), {
			turns: ({ query }) => (query.license_type === 'COP' ? 9 : 1),
			before: ({ query }) =>
				query.license_type === 'SRX' && query.cursor ? failure(403) : undefined,
		});
		const error = await errorOf(service, 10, { returnAll: false, limit: LIMIT });
		expect(error).toMatchObject({ status: 403 });
		// Once it is known, nothing is read that stands below the page that failed.
		expect(service.requests.length).toBeLessThan(50);
	});

	it('stops those that wait for their turn as well', async () => {
		const service = new ListService(records(LONG), {
			turns,
			before: (_, count) => (count > 2 ? failure(401) : undefined),
		});
		await errorOf(service, 2);
		await passTurns();
		// Of the seven parts, those in flight at the refusal, and one for each that came back.
		expect(service.requests.length).toBeLessThanOrEqual(1 + 2 + 2);
	});
});

it('A text is met once for the first time, however many there are', () => {
	const seen = new SeenHashes();
	const texts = Array.from({ length: 50_000 }, (_, at) => `lic_${at}`);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(50_000);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(0);
});
