import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/domain/licenseTypes.ts';
import { EVENT_TYPES } from '../../nodes/LicensingData/domain/eventTypes.ts';
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

	it('may be longer than a call can take arguments', async () => {
		const { ids: found } = await read(new ListService(records(150_000)));
		expect(found).toHaveLength(150_000);
	});

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
			log: [
				'Get Many reads this list page by page, because no filter splits it into parts that add up',
			],
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
		[12, 'records left it while it was read'],
		[23, 'it does not hold as many records as it announces'],
	])('where a record is removed at request %i, and a log line says so', async (at, why) => {
		const service: ListService = new ListService(records(1000), {
			before: (_request, count) => void (count === at && removeAt(service, 650)),
		});
		expect(await read(service)).toEqual({
			ids: ids(service.records),
			log: [`Get Many reads this list page by page, because ${why}`],
		});
	});

	it('where a part holds fewer records than it announces', async () => {
		const service: ListService = new ListService(records(1000), {
			before({ query }) {
				const { data = [], ...page } = service.page(query) ?? {};
				const isShort = query.license_type === 'COP' && !query.cursor;
				return isShort ? { statusCode: 200, body: { ...page, data: data.slice(1) } } : undefined;
			},
		});
		expect(await read(service)).toEqual({
			ids: ids(service.records),
			log: [expect.stringContaining('it does not hold as many records as it announces')],
		});
	});

	it('where the list is not newest first', async () => {
		const all = records(1000, (rank) =>
			rank === 990 ? { eventTimestamp: '2026-08-01T00:00:00Z' } : {},
		);
		expect(await read(new ListService(all))).toEqual({
			ids: ids(all),
			log: [expect.stringContaining('not newest first')],
		});
	});

	it('where records without a timestamp do not stand at its end', async () => {
		const all = records(1000, (rank) => ({
			licenseType: TYPES[rank < 60 ? 0 : 1 + (rank % 6)],
			...(rank < 60 && { eventTimestamp: null }),
		}));
		expect(await read(new ListService(all))).toEqual({
			ids: ids(all),
			log: [expect.stringContaining('has no date')],
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

describe('What moves to the top while a list is read by its parts', () => {
	it('is taken from there, where a limit leaves parts unread', async () => {
		const service: ListService = new ListService(records(5000), {
			turns,
			before: (_request, asked) => void (asked === 14 && toTop(service, 990)),
		});
		expect(await read(service, { returnAll: false, limit: 1500 })).toEqual({
			ids: ids(service.records).slice(0, 1500),
			log: [],
		});
		expect(mostUnderWay(service)).toBe(4);
	});

	it('is brought once, as it stands now, where it had been read before', async () => {
		const service: ListService = new ListService(records(1000), {
			turns,
			before: (_request, asked) => void (asked === 14 && toTop(service, 3)),
		});
		expect(await read(service)).toEqual({ ids: ids(service.records), log: [] });
	});

	it('is taken from there, a page and more of it, as far as it is wanted', async () => {
		const service: ListService = new ListService(records(1000), {
			turns,
			before(_, count) {
				if (count !== 14) return;
				for (let minute = 1; minute <= 60; minute++) {
					const eventTimestamp = new Date(START + minute * 60_000).toISOString();
					const filedDate = minute === 1 ? '2026-07-02' : '2026-07-01';
					service.insert({ id: `lic_new${minute}`, licenseType: 'COP', eventTimestamp, filedDate });
				}
			},
		});
		const { ids: brought, log } = await read(service, { filters: { filedBefore: '2026-07-01' } });
		expect(brought).toEqual(ids(service.records).filter((id) => id !== 'lic_new1'));
		expect(log).toEqual([]);
		// Two pages from the top, not all of it again.
		expect(service.requests.length).toBeLessThanOrEqual(20 + 2 + 7 + 2);
	});

	it('is taken from there, where the parts are the values of a filter', async () => {
		const wanted = ({ licenseType }: License) => ['COP', 'SRX'].includes(String(licenseType));
		const all = records(1000);
		const last = all.findLastIndex(wanted);
		const service: ListService = new ListService(all, {
			turns,
			before: (_request, asked) => void (asked === 4 && toTop(service, last)),
		});
		expect(await read(service, { filters: { licenseTypes: ['COP', 'SRX'] } })).toEqual({
			ids: ids(service.records.filter(wanted)),
			log: [],
		});
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

	it('cost one request each where a page holds all', async () => {
		const service = new ListService(records(100), { turns });
		await read(service, { filters: { licenseTypes: 'allLiquor' } });
		expect(service.requests).toHaveLength(4);
	});

	it.each(['COP', 'SRX'])('are read page by page where one list moves: %s', async (type) => {
		const service: ListService = new ListService(records(3000), {
			before: ({ query }, count) => {
				const at = service.records.findIndex(({ licenseType }) => licenseType === type);
				if (count === 5 && query.cursor) removeAt(service, at);
			},
		});
		const { ids: brought, log } = await read(service, {
			filters: { licenseTypes: ['COP', 'SRX'] },
		});
		expect(brought).toEqual(asOf(service.records, ['COP', 'SRX']));
		expect(log).toHaveLength(1);
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

	it.each([401, 403, 404])(
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

	it('on a page that a limit turns out not to need is no failure', async () => {
		const isBeyondLimit = ({ query: { cursor } }: Request) =>
			cursor !== undefined && 5000 - 1 - Number(cursor.split(':')[1]) >= 1500;
		const service: ListService = new ListService(records(5000), {
			turns,
			before: (request) => (isBeyondLimit(request) ? failure(404) : undefined),
		});
		const { licenses } = await readWithGetMany(service, { returnAll: false, limit: 1500 }, 10);
		expect(licenses).toHaveLength(1500);
		expect(service.requests.filter(isBeyondLimit)).not.toEqual([]);
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
