import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Failure } from '../../nodes/LicensingData/domain/failure.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { LICENSE_TYPES, LIQUOR_TYPES } from '../../nodes/LicensingData/domain/licenseTypes.ts';
import { EVENT_TYPES } from '../../nodes/LicensingData/domain/eventTypes.ts';
import { SeenHashes } from '../../nodes/LicensingData/listing/seenHashes.ts';
import { ListService, readWithGetMany, type Request } from '../support/list-service.mts';

const START = Date.parse('2026-07-01T00:00:00Z');
const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = EVENT_TYPES.map(({ value }) => value);

/** This many records, a minute apart, spread over all types and events; the first is the newest. */
const records = (count: number, more: (rank: number) => License = () => ({})): License[] =>
	Array.from({ length: count }, (_, rank) => {
		const eventTimestamp = new Date(START - rank * 60_000).toISOString();
		return {
			id: `lic_${rank}`,
			licenseType: TYPES[rank % 7],
			eventType: EVENTS[rank % 5],
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
const ON_TOP = new Date(START + 60_000).toISOString();
/** An update moves a record to the top. */
function toTop(service: ListService, rank: number): void {
	const before = service.records.find(({ id }) => id === `lic_${rank}`) as License;
	service.remove(before);
	service.insert({ ...before, eventTimestamp: ON_TOP });
}
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

describe('A long list', () => {
	it.each([2, 4, 7, 10])(
		'is read with %i requests under way at once, and no more',
		async (most) => {
			const all = records(5000);
			const service = new ListService(all, { turns });
			expect(await read(service, {}, most)).toEqual({ ids: ids(all), log: [] });
			expect(mostUnderWay(service)).toBe(most);
		},
	);

	it('costs few requests more than page by page', async () => {
		const service = new ListService(records(5000), { turns });
		await read(service);
		// 100 pages; the first once more at the end; and a last page that is not full for each of 7 types.
		expect(service.requests.length).toBeLessThanOrEqual(100 + 2 + 7);
	});

	it('is read page by page where Parallel Requests is 1', async () => {
		const service = new ListService(records(1000), { turns });
		expect(await read(service, {}, 1)).toMatchObject({ log: [] });
		expect(mostUnderWay(service)).toBe(1);
		expect(service.requests).toHaveLength(20);
	});

	it('has its longest part read from the beginning, or it would be alone at the end', async () => {
		const ofOld = TYPES[6];
		const all = records(4000, (rank) => ({ licenseType: rank < 3000 ? TYPES[rank % 6] : ofOld }));
		const service = new ListService(all, { turns });
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		const firstHalf = service.requests.slice(0, service.requests.length / 2);
		const ofLongest = firstHalf.filter(({ query }) => query.license_type === ofOld);
		// A fourth of all is in it, and a fourth of what may be under way is for it.
		expect(ofLongest.length).toBeGreaterThan(5);
	});

	it('is divided further where one type holds most of it', async () => {
		const all = records(2000, (rank) => ({ licenseType: rank % 10 === 0 ? 'SRX' : 'COP' }));
		const service = new ListService(all, { turns });
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		const furthest = service.requests.filter(({ query }) => query.license_type === 'COP');
		expect(new Set(furthest.map(({ query }) => query.event_type)).size).toBe(1 + EVENTS.length);
	});

	it('is divided by event type where a license type is unknown', async () => {
		const all = records(1000, (rank) => (rank === 700 ? { licenseType: 'WINE_CLUB' } : {}));
		expect(await read(new ListService(all))).toEqual({ ids: ids(all), log: [] });
	});

	it('may end with records that have no timestamp', async () => {
		const all = records(1000, (rank) => (rank >= 900 ? { eventTimestamp: null } : {}));
		const { ids: brought, log } = await read(new ListService(all));
		expect(brought.sort()).toEqual(ids(all).sort());
		expect(log).toEqual([]);
	});

	it('brings a record once that is in two parts while they are read', async () => {
		const all = records(1000, (rank) => ({ licenseType: rank % 25 === 0 ? 'COP' : 'SRX' }));
		const service: ListService = new ListService(all, {
			sortedBy: 'eventTimestamp',
			before(_, count) {
				if (count !== 14) return;
				service.remove(all[900] as License);
				service.insert({ ...all[900], licenseType: 'SRX' });
			},
		});
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
	});
});

describe('A list is read page by page', () => {
	it.each([
		['with ten pages', {}, 500, 10],
		['with a limit of ten pages', { returnAll: false, limit: 500 }, 5000, 10],
		['with a limit of a few pages more', { returnAll: false, limit: 1250 }, 5000, 25],
		['with a limit of half a page', { returnAll: false, limit: 25 }, 5000, 1],
	])('%s, without a request more than that', async (_, parameters, count, requests) => {
		const service = new ListService(records(count), { turns });
		expect((await read(service, parameters)).log).toEqual([]);
		expect(service.requests).toHaveLength(requests);
		expect(mostUnderWay(service)).toBe(1);
	});

	it('where records have unknown types and events, and a log line says so', async () => {
		const all = records(700, (rank) =>
			rank === 600 ? { licenseType: null, eventType: 'merger' } : {},
		);
		const service = new ListService(all);
		expect(await read(service)).toEqual({
			ids: ids(all),
			log: ['This list is read page by page, because no filter splits it into parts that add up'],
		});
		// The first page is not read again.
		const whole = service.requests.filter(({ query }) => Object.keys(query).join() === 'limit');
		expect(whole).toHaveLength(1);
	});

	it.each([400, 422, 503])(
		'where the service answers a filter with HTTP %i',
		async (statusCode) => {
			const all = records(700);
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
		const all = records(1000, (rank) => (rank === at ? { eventTimestamp: time } : {}));
		expect(await read(new ListService(all))).toEqual({
			ids: ids(all),
			log: ['This list is not newest first everywhere'],
		});
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

describe('A license that changes while a list is read page by page', () => {
	it.each(['key', 'position'] as const)(
		'is brought at the end where it had not been met (%s cursors)',
		async (cursors) => {
			const all = records(300);
			const service: ListService = new ListService(all, {
				cursors,
				before: (_, count) => (count === 3 ? toTop(service, 250) : undefined),
			});
			expect(await read(service)).toEqual({
				ids: [...ids(all).filter((id) => id !== 'lic_250'), 'lic_250'],
				log: [],
			});
			expect(service.requests).toHaveLength(6 + 2);
		},
	);

	it('costs nothing where it had been met', async () => {
		const all = records(300);
		const service: ListService = new ListService(all, {
			before: (_, count) => (count === 3 ? toTop(service, 50) : undefined),
		});
		expect((await read(service)).ids).toEqual(ids(all));
		expect(service.requests).toHaveLength(6);
	});

	it('does not hide another when it is removed', async () => {
		const all = records(300);
		const service: ListService = new ListService(all, {
			cursors: 'position',
			before: (_, count) => void (count === 3 && removeAt(service, 50)),
		});
		expect((await read(service)).ids.sort()).toEqual(ids(all).sort());
	});
});

describe('What changes while a list is read by its parts', () => {
	const changed = async (at: number, change: (service: ListService) => void, more = {}) => {
		const all = records(1000);
		const service: ListService = new ListService(all, {
			turns,
			before: (_request, count) => void (count === at && change(service)),
			...more,
		});
		const { ids: brought, log } = await read(service);
		return { all: ids(all), brought, log, requests: service.requests.length };
	};
	/** Twenty pages, seven parts, and the top once more. */
	const AS_EVER = 20 + 2 + 7;

	it('comes last where it moves up before it was met', async () => {
		const { all, brought, log } = await changed(14, (service) => toTop(service, 990));
		expect(brought).toEqual([...all.filter((id) => id !== 'lic_990'), 'lic_990']);
		expect(log).toEqual([]);
	});

	it('comes once, as it was, where it moves up after it was met', async () => {
		const { all, brought, requests } = await changed(14, (service) => toTop(service, 3));
		expect(brought).toEqual(all);
		expect(requests).toBeLessThanOrEqual(AS_EVER);
	});

	it('comes last where it is filed meanwhile, page after page', async () => {
		const file = (service: ListService) => {
			for (let minute = 1; minute <= 60; minute++) {
				const eventTimestamp = new Date(START + minute * 60_000).toISOString();
				service.insert({ id: `lic_new${minute}`, licenseType: 'COP', eventTimestamp });
			}
		};
		const { all, brought, requests } = await changed(14, file);
		expect(brought.slice(0, 1000)).toEqual(all);
		expect(new Set(brought.slice(1000)).size).toBe(60);
		// Two pages from the top, not all of it again.
		expect(requests).toBeLessThanOrEqual(AS_EVER + 2);
	});

	it.each(['key', 'position'] as const)(
		'hides nothing else where it is removed (%s cursors)',
		async (cursors) => {
			const { all, brought, log } = await changed(14, (service) => removeAt(service, 0), {
				cursors,
			});
			expect([...brought].sort()).toEqual([...all].sort());
			expect(log).toEqual([]);
		},
	);

	it('is not looked for where a limit is full', async () => {
		const service: ListService = new ListService(records(5000), {
			turns,
			before: (_request, asked) => void (asked === 14 && toTop(service, 4990)),
		});
		const { ids: brought } = await read(service, { returnAll: false, limit: 1500 });
		expect(brought).toEqual(ids(records(1500)));
		const again = service.requests.filter(({ query }) => Object.keys(query).join() === 'limit');
		expect(again).toHaveLength(1);
	});

	it('comes last where only what is newer than a day is read', async () => {
		const service: ListService = new ListService(records(20_000), {
			turns,
			before: (_request, asked) => void (asked === 20 && toTop(service, 1400)),
		});
		const filedAfter = new Date(START - 1440 * 60_000).toISOString().slice(0, 10);
		const { ids: brought } = await read(service, { filters: { filedAfter } });
		expect(brought.at(-1)).toBe('lic_1400');
		expect(service.requests.length).toBeLessThan(100);
	});

	it('is brought where a part holds fewer records than it announces', async () => {
		const all = records(1000);
		const service: ListService = new ListService(all, {
			before({ query }) {
				const { data = [], ...page } = service.page(query) ?? {};
				const isShort = query.license_type === 'COP' && !query.cursor;
				return isShort ? { statusCode: 200, body: { ...page, data: data.slice(1) } } : undefined;
			},
		});
		const { ids: brought, log } = await read(service);
		const missed = ids(all.filter(({ licenseType }) => licenseType === 'COP')).slice(0, 1);
		expect(brought).toEqual([...ids(all).filter((id) => id !== missed[0]), ...missed]);
		expect(log).toEqual([]);
	});
});

describe('A list with', () => {
	it('a record too far down is read in the order of its parts, and a log line says so', async () => {
		const all = records(1000, (rank) =>
			rank > 600 && rank % 100 === 90 ? { eventTimestamp: '2026-08-01T00:00:00Z' } : {},
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

	it.each(['key', 'position'] as const)(
		'no total brings last what moves up meanwhile (%s cursors)',
		async (cursors) => {
			const service: ListService = new ListService(records(1000), {
				totals: false,
				cursors,
				before: (_, count) => void (count === 14 && toTop(service, 990)),
			});
			expect((await read(service)).ids.at(-1)).toBe('lic_990');
		},
	);

	it('a writer slower than the service is read a few pages ahead, and no further', async () => {
		const service = new ListService(records(40_000));
		let met = 0;
		let mostAhead = 0;
		await readWithGetMany(service, {}, 4, {
			async handedOn(licenses) {
				met += licenses.length;
				for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
				mostAhead = Math.max(mostAhead, service.requests.length * 50 - met);
			},
		});
		expect(met).toBe(40_000);
		// What may wait, what is in flight, the last pages of seven parts, and what finding them took.
		expect(mostAhead).toBeLessThan(10_000 + (4 + 7 + 10) * 50);
	});
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

	it.each([400, 404, 410, 422])(
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

describe('Records of the same moment', () => {
	it('cost no request more, whatever their order', async () => {
		const all = records(1000, () => ({ eventTimestamp: '2026-07-01T00:00:00Z' }));
		const service = new ListService(all, { sortedBy: 'eventTimestamp', ties: 'mixed' });
		const { ids: brought, log } = await read(service);
		expect(brought.sort()).toEqual(ids(all).sort());
		expect(log).toEqual([]);
		expect(service.requests.length).toBeLessThanOrEqual(20 + 2 + 7);
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

	it.each(['COP', 'SRX'])('are each brought whole where one list moves: %s', async (type) => {
		const all = records(3000);
		const service: ListService = new ListService(all, {
			cursors: 'position',
			before: ({ query }, count) => {
				const at = service.records.findIndex(({ licenseType }) => licenseType === type);
				if (count === 5 && query.cursor) removeAt(service, at);
			},
		});
		const { ids: brought } = await read(service, { filters: { licenseTypes: ['COP', 'SRX'] } });
		expect([...brought].sort()).toEqual([...asOf(all, ['COP', 'SRX'])].sort());
	});

	it('are divided further where one of them is long', async () => {
		const all = records(4000, (rank) => ({ licenseType: rank % 10 === 0 ? 'SRX' : 'COP' }));
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

	it('ends a long list early side by side as well', async () => {
		const all = records(20_000);
		const service = new ListService(all, { turns });
		const { ids: brought, log } = await read(service, { filters: { filedAfter } });
		expect({ brought, log }).toEqual({ brought: wanted(all), log: [] });
		expect(mostUnderWay(service)).toBe(4);
		expect(service.requests.length).toBeLessThan(100);
	});

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
		new ListService(records(2000), {
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

	/** Pages whose cursor stands for a record below the newest 1,500. */
	const isBeyondLimit = ({ query: { cursor } }: Request) =>
		cursor !== undefined && 5000 - 1 - Number(cursor.split(':')[1]) >= 1500;

	it.each<[string, (request: Request) => number]>([
		['no later than what it needs', (request) => (isBeyondLimit(request) ? 1 : 9)],
		['while one part lags behind', ({ query }) => (query.license_type === 'COP' ? 9 : 1)],
	])('on a page that a limit turns out not to need is no failure: %s', async (_, turns) => {
		const all = records(5000);
		const service: ListService = new ListService(all, {
			turns,
			before: (request) => (isBeyondLimit(request) ? failure(403) : undefined),
		});
		const { ids: brought } = await read(service, { returnAll: false, limit: 1500 }, 10);
		expect(brought).toEqual(ids(all).slice(0, 1500));
		expect(service.requests.filter(isBeyondLimit)).not.toEqual([]);
	});

	it('on a page that a limit needs is a failure, however many others there are', async () => {
		const service: ListService = new ListService(records(5000), {
			turns: ({ query }) => (query.license_type === 'COP' ? 9 : 1),
			before: ({ query }) =>
				query.license_type === 'SRX' && query.cursor ? failure(403) : undefined,
		});
		const error = await errorOf(service, 10, { returnAll: false, limit: 1500 });
		expect(error).toMatchObject({ status: 403 });
		// Once it is known, nothing is read that stands below the page that failed.
		expect(service.requests.length).toBeLessThan(50);
	});

	it('stops those that wait for their turn as well', async () => {
		const service = new ListService(records(2000), {
			turns,
			before: (_, count) => (count > 2 ? failure(401) : undefined),
		});
		await errorOf(service, 2);
		await passTurns();
		// Of the seven parts, those in flight at the refusal, and one for each that came back.
		expect(service.requests.length).toBeLessThanOrEqual(1 + 2 + 2);
	});
});

describe('A rate limit', () => {
	const turnedAway = { statusCode: 429, headers: { 'retry-after': '0.001' }, body: {} };

	it('of one request at a time is read through', async () => {
		const all = records(1500);
		const service = new ListService(all, {
			turns,
			before: ({ underWay }) => (underWay > 1 ? turnedAway : undefined),
		});
		// Not ten: they are halved three times, and a timer that fires early would cost the last try.
		expect((await read(service, {}, 4)).ids).toEqual(ids(all));
	});

	describe('for a moment', () => {
		beforeEach(() => {
			vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
		});
		afterEach(() => {
			vi.useRealTimers();
		});

		const forAMoment = { ...turnedAway, headers: { 'retry-after': '0.2' } };

		/** On a clock that moves only during the waits. */
		const readAtRest = async (service: ListService) => {
			let isRead = false;
			const reading = read(service).finally(() => (isRead = true));
			for (let asked = 0; !isRead; asked = service.requests.length) {
				await passTurns();
				if (asked === service.requests.length) await vi.advanceTimersToNextTimerAsync();
			}
			await reading;
		};

		/** Reads a list with one request turned away. */
		const requestsAround = async (turnedAwayCount: number) => {
			let moment = Number.NaN;
			const before: Request[] = [];
			const after: Request[] = [];
			const service = new ListService(records(2000), {
				turns,
				before: (request, count) => {
					if (count === turnedAwayCount) moment = Date.now();
					(Date.now() > moment ? after : before).push(request);
					return count === turnedAwayCount ? forAMoment : undefined;
				},
			});
			await readAtRest(service);
			return { before, after };
		};

		it('lets the request that it turned away go first', async () => {
			// Of the first pages of the seven types, while some have not been asked for yet.
			const { before, after } = await requestsAround(3);
			// Two may go at once now.
			const next = after.slice(0, 2).map(({ query }) => query);
			expect(next).toContainEqual(before[2]?.query);
		});

		it('is one warning where it meets all requests that are under way', async () => {
			const service = new ListService(records(2000), {
				turns,
				before: (_, count) => (count > 20 && count <= 24 ? forAMoment : undefined),
			});
			await readAtRest(service);
			expect(Math.max(...service.requests.slice(26, 36).map(({ underWay }) => underWay))).toBe(2);
		});

		it('makes the others wait too', async () => {
			const { before, after } = await requestsAround(15);
			// No more than those that were in flight, or about to be, when the answer came.
			expect(before.length - 15).toBeLessThanOrEqual(4);
			expect(after.length).toBeGreaterThan(20);
		});
	});
});

it('A text is met once for the first time, however many there are', () => {
	const seen = new SeenHashes();
	const texts = Array.from({ length: 50_000 }, (_, at) => `lic_${at}`);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(50_000);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(0);
});
