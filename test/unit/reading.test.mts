import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { LICENSE_TYPES } from '../../nodes/LicensingData/fields/licenseType.ts';
import { EVENT_TYPES } from '../../nodes/LicensingData/fields/eventType.ts';
import {
	ListService,
	readWithGetMany,
	type Entry,
	type Request,
} from '../support/list-service.mts';

const START = Date.parse('2026-07-01T00:00:00Z');
const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = EVENT_TYPES.map(({ value }) => value);

/** So many records, a minute apart, spread over all types and events; the first is the newest. */
const records = (count: number, more: (rank: number) => object = () => ({})): Entry[] =>
	Array.from({ length: count }, (_, rank) => {
		const time = START - rank * 60_000;
		const eventTimestamp = new Date(time).toISOString();
		const license = {
			id: `lic_${rank}`,
			licenseType: TYPES[rank % 7],
			eventType: EVENTS[rank % 5],
			eventTimestamp,
			filedDate: eventTimestamp.slice(0, 10),
			...more(rank),
		};
		return { rank, time, license };
	});

const ids = (entries: Entry[]) => entries.map(({ license }) => license.id);
const read = async (service: ListService, parameters: object = {}, parallelRequests = 4) => {
	const { licenses, log } = await readWithGetMany(service, { ...parameters }, parallelRequests);
	return { ids: licenses.map(({ id }) => id), log };
};
const asked = ({ requests }: ListService, by: string) =>
	new Set(requests.map(({ query }) => query[by]).filter((value) => value !== undefined)).size;
/** An update brings a record to the top. */
function toTop({ entries }: ListService, rank: number): void {
	const [updated] = entries.splice(
		entries.findIndex((entry) => entry.rank === rank),
		1,
	);
	const time = START + 60_000;
	const eventTimestamp = new Date(time).toISOString();
	entries.unshift({ rank: -1, time, license: { ...updated?.license, eventTimestamp } });
}
const mostUnderWay = ({ requests }: ListService) =>
	Math.max(...requests.map(({ underWay }) => underWay));
/** As many turns as an answer that has a way to go, so that requests made together overlap. */
const turns = () => 3;
/** Long enough for all that is under way to come home. */
const passTurns = async () => {
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};

describe('A long list', () => {
	it.each([2, 4, 7, 10])(
		'is read with %i requests under way at once, and no more',
		async (most) => {
			const all = records(5000);
			const service = new ListService([...all], { turns });
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

	it('is divided further where one type holds most of it', async () => {
		const all = records(2000, (rank) => ({ licenseType: rank % 10 === 0 ? 'SRX' : 'COP' }));
		const service = new ListService([...all], { turns });
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		const furthest = service.requests.filter(({ query }) => query.license_type === 'COP');
		expect(new Set(furthest.map(({ query }) => query.event_type)).size).toBe(1 + EVENTS.length);
	});

	it('is divided by event type where the license type is filtered already', async () => {
		const all = records(1000, () => ({ licenseType: 'COP' }));
		const service = new ListService([...all], { turns });
		const filters = { licenseType: 'COP' };
		expect(await read(service, { filters })).toEqual({ ids: ids(all), log: [] });
		expect(asked(service, 'event_type')).toBe(EVENTS.length);
		expect(asked(service, 'license_type')).toBe(1);
	});

	it('is divided by event type where a license type is unknown', async () => {
		const all = records(1000, (rank) => (rank === 700 ? { licenseType: 'WINE_CLUB' } : {}));
		expect(await read(new ListService([...all]))).toEqual({ ids: ids(all), log: [] });
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
		const service = new ListService([...all]);
		expect(await read(service)).toEqual({
			ids: ids(all),
			log: [
				'Get Many reads this list page by page, because no filter divides it without a remainder',
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
			const service = new ListService([...all], {
				before: ({ query }) =>
					query.license_type || query.event_type
						? { statusCode, headers: { 'retry-after': '0.001' }, body: {} }
						: undefined,
			});
			expect((await read(service)).ids).toEqual(ids(all));
		},
	);

	it.each([
		[
			'where a record was updated in the meantime',
			(service: ListService) => toTop(service, 650),
			'its pages do not hold as many records as it announces',
		],
		[
			'where a record was removed in the meantime',
			(service: ListService) => void service.entries.splice(650, 1),
			'it changed while it was read',
		],
	])('%s, and a log line says so', async (_, move, why) => {
		const service: ListService = new ListService(records(1000), {
			before: (_request, count) => (count === 12 ? move(service) : undefined),
		});
		const { ids: brought, log } = await read(service);
		expect(brought).toEqual(ids(service.entries));
		expect(log).toEqual([`Get Many reads this list page by page, because ${why}`]);
	});

	it('where records of the same moment stand in an order that none can know', async () => {
		const all = records(1000).map((entry) => ({
			...entry,
			time: START,
			license: {
				...entry.license,
				eventTimestamp: '2026-07-01T00:00:00Z',
				id: `${entry.rank % 3}${entry.rank}`,
			},
		}));
		expect(await read(new ListService([...all]))).toEqual({
			ids: ids(all),
			log: [expect.stringContaining('in an order of its own')],
		});
	});

	it('where the list is not newest first', async () => {
		const all = records(1000, (rank) =>
			rank === 990 ? { eventTimestamp: '2026-08-01T00:00:00Z' } : {},
		);
		expect(await read(new ListService([...all]))).toEqual({
			ids: ids(all),
			log: [expect.stringContaining('not newest first')],
		});
	});

	it('where records without a timestamp do not stand at its end', async () => {
		const all = records(1000, (rank) => ({
			licenseType: TYPES[rank < 60 ? 0 : 1 + (rank % 6)],
			...(rank < 60 && { eventTimestamp: null }),
		}));
		expect(await read(new ListService([...all]))).toEqual({
			ids: ids(all),
			log: [expect.stringContaining('do not begin as it does')],
		});
	});

	it('where a large limit leaves parts unread, and one of them moved', async () => {
		const service: ListService = new ListService(records(5000), {
			before: (_, count) => (count === 14 ? toTop(service, 990) : undefined),
		});
		const { ids: brought, log } = await read(service, { returnAll: false, limit: 1500 });
		expect(brought).toEqual(ids(service.entries).slice(0, 1500));
		expect(log).toEqual([expect.stringContaining('it changed while it was read')]);
	});

	it.each(['yesterday', { toString: 0 }])('where its timestamps are %j', async (eventTimestamp) => {
		const all = records(1000, () => ({ eventTimestamp }));
		expect((await read(new ListService([...all]))).ids).toEqual(ids(all));
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
			const service: ListService = new ListService([...all], {
				cursors,
				before: (_, count) => (count === 3 ? toTop(service, 250) : undefined),
			});
			const { ids: brought } = await read(service);
			expect(brought).toEqual([...ids(all).filter((id) => id !== 'lic_250'), 'lic_250']);
			expect(service.requests).toHaveLength(6 + 2);
		},
	);

	it('costs nothing where it had been met', async () => {
		const all = records(300);
		const service: ListService = new ListService([...all], {
			before: (_, count) => (count === 3 ? toTop(service, 50) : undefined),
		});
		expect((await read(service)).ids).toEqual(ids(all));
		expect(service.requests).toHaveLength(6);
	});

	it('does not hide another when it is removed', async () => {
		const all = records(300);
		const service: ListService = new ListService([...all], {
			cursors: 'position',
			before: (_, count) => void (count === 3 && service.entries.splice(50, 1)),
		});
		expect((await read(service)).ids.sort()).toEqual(ids(all).sort());
	});
});

describe('What is filed while a list is read', () => {
	it.each(['key', 'position'] as const)(
		'on top of it does not hinder reading side by side (%s cursors)',
		async (cursors) => {
			const all = records(1000);
			const service: ListService = new ListService([...all], {
				cursors,
				before: (_, count) => {
					if (count !== 14) return;
					const time = START + 60_000;
					const license = {
						...all[0]?.license,
						id: 'new',
						eventTimestamp: new Date(time).toISOString(),
					};
					service.entries.unshift({ rank: -1, time, license });
				},
			});
			expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		},
	);
});

describe('Records of the same moment', () => {
	/** Alike the service: of the same moment, the lowest id first. */
	const withTies = (...ties: Array<[rank: number, as: number]>) =>
		records(1000, (rank) => ({ id: `lic_${String(rank).padStart(4, '0')}` })).map((entry) => {
			const tie = ties.find(([rank]) => rank === entry.rank);
			const time = START - (tie?.[1] ?? entry.rank) * 60_000;
			const eventTimestamp = new Date(time).toISOString();
			return { ...entry, time, license: { ...entry.license, eventTimestamp } };
		});

	it.each([
		['a little', 60, 1],
		['almost to the end', 900, 18],
	])('of different parts make it read on in the whole: %s', async (_, at, pages) => {
		const all = records(1000, (rank) => ({ id: `lic_${(rank * 7919) % 1000}` }));
		const [one, other] = all.slice(at);
		if (!one || !other) throw new Error('There are too few');
		other.time = one.time;
		other.license.eventTimestamp = one.license.eventTimestamp;
		const service = new ListService([...all]);
		expect(await read(service)).toEqual({ ids: ids(all), log: [] });
		// What reading costs that has nothing to settle, and what settles it.
		expect(service.requests.length).toBeLessThanOrEqual(20 + 2 + 7 + pages);
	});

	it('stand as the list shows it of others, even where it shows it late', async () => {
		// Two pairs are of different types, the last is of one.
		const all = withTies([101, 100], [105, 104], [907, 900]);
		all.sort((a, b) => b.time - a.time || a.rank - b.rank);
		expect(await read(new ListService([...all]))).toEqual({ ids: ids(all), log: [] });
	});
});

describe('A license', () => {
	it('may stand in the list with several events', async () => {
		const all = records(1000, (rank) => ({ id: `lic_${rank % 400}` }));
		expect(await read(new ListService([...all]))).toEqual({ ids: ids(all), log: [] });
	});
});

describe('Microseconds', () => {
	it('order records that share a millisecond', async () => {
		const all = records(1000, (rank) => ({
			eventTimestamp: `2026-07-01T00:00:00.000${String(999 - rank).padStart(3, '0')}Z`,
			id: `${(rank * 7919) % 1000}`,
		})).map((entry) => ({ ...entry, time: START }));
		expect(await read(new ListService([...all]))).toEqual({ ids: ids(all), log: [] });
	});
});

describe('A large limit', () => {
	it.each([1251, 1777, 2000])('of %i brings the newest, and reads little more', async (limit) => {
		const all = records(5000);
		const service = new ListService([...all], { turns });
		const { ids: brought, log } = await read(service, { returnAll: false, limit });
		expect({ brought, log }).toEqual({ brought: ids(all).slice(0, limit), log: [] });
		// For each of the 7 parts a page may be begun that is not needed, and one for each request under way.
		expect(service.requests.length).toBeLessThanOrEqual(Math.ceil(limit / 50) + 2 + 7 + 4);
	});
});

describe('Filed After', () => {
	const filedAfter = new Date(START - 1000 * 60_000).toISOString().slice(0, 10);
	const wanted = (all: Entry[]) =>
		ids(all.filter(({ license }) => String(license.filedDate) >= filedAfter));

	it('ends a long list early side by side as well', async () => {
		const all = records(20_000);
		const service = new ListService([...all], { turns });
		const { ids: brought, log } = await read(service, { filters: { filedAfter } });
		expect({ brought, log }).toEqual({ brought: wanted(all), log: [] });
		expect(mostUnderWay(service)).toBe(4);
		expect(service.requests.length).toBeLessThan(100);
	});

	it('is read page by page where the first page shows that the end is near', async () => {
		const all = records(20_000, () => ({})).map((entry) => {
			const time = START - entry.rank * 3_600_000;
			const eventTimestamp = new Date(time).toISOString();
			const filedDate = eventTimestamp.slice(0, 10);
			return { ...entry, time, license: { ...entry.license, eventTimestamp, filedDate } };
		});
		const service = new ListService([...all], { turns });
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
	const failing = (statusCode: number) =>
		new ListService(records(2000), {
			turns,
			before: (_, count) => (count >= 12 ? failure(statusCode) : undefined),
		});
	const errorOf = async (service: ListService, parallelRequests: number) =>
		await readWithGetMany(service, {}, parallelRequests).then(
			() => undefined,
			(error: Error & { description?: string; status?: number }) => ({
				...error,
				message: error.message,
			}),
		);

	it.each([401, 403, 404])(
		'with HTTP %i tells what it tells page by page, and stops the others',
		async (status) => {
			const service = failing(status);
			const error = await errorOf(service, 4);
			expect(error).toMatchObject({ status });
			expect(error).toEqual(await errorOf(failing(status), 1));
			const requests = service.requests.length;
			await passTurns();
			expect(service.requests).toHaveLength(requests);
			expect(requests).toBeLessThanOrEqual(12 + 3);
		},
	);

	it('on a page that a limit turns out not to need is no failure', async () => {
		const isBeyondLimit = ({ query: { cursor } }: Request) =>
			cursor !== undefined && (JSON.parse(cursor) as Entry).rank >= 1500;
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
		// Of the seven parts those that were under way at the refusal, and one for each that came home.
		expect(service.requests.length).toBeLessThanOrEqual(1 + 2 + 2);
	});
});

describe('A rate limit', () => {
	const turnedAway = { statusCode: 429, headers: { 'retry-after': '0.001' }, body: {} };

	it('halves the requests under way, and answers let them grow again slowly', async () => {
		let turnedAwayAt = 0;
		const service: ListService = new ListService(records(20_000), {
			turns,
			before: ({ underWay }, count) => {
				if (count <= 20 || turnedAwayAt > 0 || underWay < 8) return undefined;
				turnedAwayAt = count;
				return turnedAway;
			},
		});
		await read(service, {}, 8);
		const most = (from: number, count: number) =>
			Math.max(...service.requests.slice(from, from + count).map(({ underWay }) => underWay));
		// Those that were under way come home first.
		expect(most(turnedAwayAt + 8, 8)).toBe(4);
		expect(most(turnedAwayAt + 8, 40)).toBeLessThanOrEqual(6);
		expect(most(turnedAwayAt + 100, 100)).toBe(8);
	});

	it('of one request at a time is read through', async () => {
		const all = records(1500);
		const service = new ListService([...all], {
			turns,
			before: ({ underWay }) => (underWay > 1 ? turnedAway : undefined),
		});
		expect((await read(service, {}, 10)).ids).toEqual(ids(all));
	});

	it.each([2, 4, 10])('of every third request is read through with %i at once', async (most) => {
		const all = records(3000);
		const service = new ListService([...all], {
			turns,
			before: (_, count) => (count % 3 === 0 ? turnedAway : undefined),
		});
		expect((await read(service, {}, most)).ids).toEqual(ids(all));
	});

	describe('for a moment', () => {
		beforeEach(() => {
			vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
		});
		afterEach(() => {
			vi.useRealTimers();
		});

		const forAMoment = { ...turnedAway, headers: { 'retry-after': '0.2' } };

		/** On a clock that stands still but for the waits. */
		const readAtRest = async (service: ListService) => {
			let isRead = false;
			const reading = read(service).finally(() => (isRead = true));
			for (let asked = 0; !isRead; asked = service.requests.length) {
				await passTurns();
				if (asked === service.requests.length) await vi.advanceTimersToNextTimerAsync();
			}
			await reading;
		};

		/** Reads a list of which one request is turned away. */
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
			// No more than those that were on their way, or about to be, when the answer came.
			expect(before.length - 15).toBeLessThanOrEqual(4);
			expect(after.length).toBeGreaterThan(20);
		});
	});
});

describe('A stopped execution', () => {
	it('ends the reading, and no request follows', async () => {
		const controller = new AbortController();
		const service = new ListService(records(5000), {
			turns,
			before: (_, count) => {
				if (count === 20) controller.abort();
			},
		});
		await expect(readWithGetMany(service, {}, 4, { stop: controller.signal })).rejects.toThrow();
		await passTurns();
		expect(service.requests.length).toBeLessThanOrEqual(20 + 4);
	});
});
