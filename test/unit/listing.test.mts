import { describe, expect, it } from 'vitest';

import type { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	ALL_EVENT_TYPES,
	COUNTIES,
	LICENSE_TYPES,
} from '../../nodes/LicensingData/licenses/knownValues.ts';
import { ListService, readWithGetMany } from '../support/list-service.mts';
import { license } from '../support/records.mts';

const START = Date.parse('2026-07-01T00:00:00Z');
const TYPES = LICENSE_TYPES.map(({ value }) => value);
const EVENTS = ALL_EVENT_TYPES.map(({ value }) => value);

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
const mostUnderWay = ({ requests }: ListService) =>
	Math.max(...requests.map(({ underWay }) => underWay));
const isReadSideBySide = ({ requests }: ListService) =>
	requests.filter(({ underWay }) => underWay > 1).length > requests.length / 2;
/** As many turns as an answer takes over a network, so that requests made together overlap. */
const turns = () => 3;
/** Long enough for everything in flight to come back. */
const passTurns = async () => {
	for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
};
/** What reading page by page would cost. */
const least = (records: number) => Math.ceil(records / 50);

it.each([1, 2, 7])(
	'A long list is read with %i requests under way at once, and no more',
	async (most) => {
		const all = records(LONG);
		const service = new ListService(all, { turns });
		expect(await read(service, {}, most)).toEqual({ ids: ids(all), log: [] });
		expect(mostUnderWay(service)).toBe(most);
		const cost = service.requests.length / least(LONG);
		expect(cost).toBeLessThanOrEqual(most === 1 ? 1 : 1.05);
	},
);

it('A record comes once that is in two parts while they are read', async () => {
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

/**
 * A register's list: new filings by filing date and then the rest, whole days, all types and events that there are,
 * some without a county, and numbers that stand there twice.
 */
function asInRegister(count: number): License[] {
	const dayOf = (rank: number) => new Date(START - rank * 86_400_000).toISOString().slice(0, 10);
	const filings = Math.floor(count / 6);
	return Array.from({ length: count }, (_, rank) => {
		const isFiling = rank < filings;
		const filedDate = dayOf(Math.floor((isFiling ? rank : rank - filings) / 40));
		// It takes effect on the same day, or weeks later.
		const effective = new Date(Date.parse(filedDate) + (rank % 3) * 14 * 86_400_000);
		const number = rank % 400 === 399 ? rank - 1 : rank;
		return {
			id: `lic_${rank}`,
			licenseNumber: `BEV${String(number).padStart(7, '0')}`,
			legalName: `Holder ${rank}`,
			licenseType: REGISTER_TYPES[Math.floor((rank * 7) / 5) % REGISTER_TYPES.length],
			eventType: isFiling ? 'new_filing' : (OTHER_EVENTS[rank % 200] ?? 'renewal'),
			address: { county: rank % 99 === 0 ? '' : rank % 5 === 0 ? 'Orange' : 'Lee' },
			filedDate,
			eventTimestamp: effective.toISOString(),
		};
	});
}

/** Five of seven, one and one. */
const FOOD_TYPES = 'SEATING SEATING MOBILE_FOOD SEATING SEATING FOOD_SERVICE SEATING'.split(' ');

const REGISTER_TYPES =
	'SEATING MOBILE_FOOD FOOD_SERVICE COP APS SRX BEV TEMP_PERMIT MANUFACTURER BOTTLE_CLUB'.split(
		' ',
	);
const OTHER_EVENTS = 'address_change ownership_transfer status_change cancellation'.split(' ');

describe('At the shapes of a register, no list costs more than a twentieth above the least', () => {
	it.each([
		['all of it', LONG, {}, {}],
		['all of it, at twice that length', 2 * LONG, {}, {}],
		['one county', 4 * LONG, { counties: 'Orange' }, { county: 'Orange' }],
		['new filings', 4 * LONG, { eventTypes: 'new_filing' }, { event_type: 'new_filing' }],
	] as const)('%s, and new filings come first, by filing', async (_, count, filters, query) => {
		const service = new ListService(asInRegister(count), { turns, cursors: 'position' });
		const { licenses, hints } = await readWithGetMany(service, { filters }, undefined);
		const wanted = service.list({ ...query });
		const order = ({ eventType, filedDate }: License) => [eventType === 'new_filing', filedDate];
		expect(licenses.map(order)).toEqual(wanted.map(order));
		expect(ids(licenses).sort()).toEqual(ids(wanted).sort());
		expect(hints).toEqual([]);
		expect(service.requests.length / least(wanted.length)).toBeLessThanOrEqual(1.05);
		expect(isReadSideBySide(service)).toBe(least(wanted.length) > 150);
	});

	/** Three types in sixty-six counties, and all of one day: as the state's list of food licenses. */
	const foodRegister = (count: number, withoutCounty = 0): License[] =>
		Array.from({ length: count }, (_, rank) => {
			const licenseType = FOOD_TYPES[(rank * 7) % FOOD_TYPES.length];
			// The first has about a sixth, and each that follows a little less.
			const county = Math.floor(66 * ((rank * 0.618_033_988_7) % 1) ** 2.5);
			const isLost = licenseType === 'SEATING' && rank < withoutCounty * 7;
			return {
				...license({ id: `lic_${rank}`, licenseType, eventType: 'renewal' }),
				eventTimestamp: '2026-01-01T00:00:00Z',
				filedDate: '2026-01-01',
				address: { county: isLost ? '' : COUNTIES[county]?.value },
			};
		});

	it.each([
		['its counties', 0, 1.08, true],
		['its types alone, where some of the largest type name no county', 10, 1.08, false],
	])(
		'of which one type is three quarters, which is divided by %s',
		async (_, lost, most, isAll) => {
			const all = foodRegister(52_646, lost);
			const service = new ListService(all, { turns, cursors: 'position' });
			const { licenses, hints } = await readWithGetMany(service, {}, 8);
			expect(new Set(ids(licenses)).size).toBe(all.length);
			expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(most);
			expect(hints).toEqual(
				isAll ? [] : [expect.stringContaining('licenses were read one page after another')],
			);
			// No walk is longer than an eighth of the list, or than what cannot be divided.
			const walks: Record<string, number> = {};
			for (const { query } of service.requests) {
				const list = JSON.stringify({ ...query, cursor: undefined });
				walks[list] = (walks[list] ?? 0) + 1;
			}
			expect(Math.max(...Object.values(walks)) > least(all.length) / 3).toBe(!isAll);
		},
	);

	it('none is divided where the plan allows no more requests than one after another', async () => {
		const all = foodRegister(LONG);
		const headers = { 'x-ratelimit-limit': '120' };
		const service: ListService = new ListService(all, {
			cursors: 'position',
			before: ({ query }) => ({ statusCode: 200, headers, body: service.page(query) }),
		});
		expect((await read(service, {}, 8)).ids).toHaveLength(all.length);
		expect(service.requests).toHaveLength(least(all.length));
	});

	it('where a type and an event are unknown, each of which is found out', async () => {
		const all = asInRegister(LONG).map((license, rank) => ({
			...license,
			...(rank % 300 === 299 && { licenseType: 'WINE_CLUB', eventType: 'merger' }),
		}));
		const service = new ListService(all, { turns });
		expect((await read(service)).ids).toEqual(ids(all));
		expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(1.05);
		// The first page is not read again.
		const whole = service.requests.filter(({ query }) => Object.keys(query).join() === 'limit');
		expect(whole).toHaveLength(1);
	});

	it('where the service refuses types that its interface does not list', async () => {
		const all = asInRegister(16_000).filter(({ licenseType }) => licenseType !== 'BOTTLE_CLUB');
		const service = new ListService(all, {
			turns,
			before: ({ query }) =>
				query.license_type === 'BOTTLE_CLUB' ? { statusCode: 400, body: {} } : undefined,
		});
		const { licenses } = await readWithGetMany(service, {}, undefined);
		expect(licenses).toHaveLength(all.length);
		expect(isReadSideBySide(service)).toBe(true);
	});
});

it.each([undefined, ...EVENTS.filter((event) => event !== 'new_filing')])(
	'With Filed On or After, a list is read to its end where %s is chosen, as only new filings are listed by that date',
	async (eventTypes) => {
		const late = { filedDate: '2026-06-30', eventTimestamp: '2026-06-30T00:00:00Z' };
		/** A page of one old filing date, and what was filed lately below it. */
		const all = records(150, (rank) => ({
			eventType: eventTypes ?? 'renewal',
			filedDate: '2019-01-01',
			...(rank >= 120 && late),
		}));
		const filters = { eventTypes, filedAfter: '2026-06-01' };
		expect((await read(new ListService(all), { filters })).ids).toHaveLength(30);
	},
);

describe('A list is read page by page', () => {
	it.each([
		['with ten pages', {}, 500, 10],
		['with a limit of ten pages', { returnAll: false, limit: 500 }, LONG, 10],
	])('%s, without a request more than that', async (_, parameters, count, requests) => {
		const service = new ListService(records(count), { turns });
		expect((await read(service, parameters)).log).toEqual([]);
		expect(service.requests).toHaveLength(requests);
		expect(mostUnderWay(service)).toBe(1);
	});

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

it.each([
	[{ returnAll: true }, [2, 3, 4, 4]],
	[{ returnAll: false, limit: 120 }, [1, 2, 3]],
])(
	'Page by page, the next is asked for before the last is handed on, unless there is a limit (%o)',
	async (parameters, requests) => {
		const service = new ListService(records(180));
		const seen: number[] = [];
		const handedOn = () => seen.push(service.requests.length);
		await readWithGetMany(service, parameters, 1, { handedOn });
		expect(seen).toEqual(requests);
	},
);

describe('What changes while a list is read', () => {
	const newest = {
		...records(1)[0],
		id: 'lic_new',
		eventTimestamp: new Date(START + 60_000).toISOString(),
	};
	const changing = (size: number, at: number, change: (service: ListService) => void) => {
		const service: ListService = new ListService(records(size), {
			turns,
			cursors: 'position',
			before: (_request, count) => void (count === at && change(service)),
		});
		return service;
	};

	it.each([
		[1000, '1,000', '1,001'],
		[LONG, '12,000', '12,001'],
	])('is said where the total changes (%i)', async (size, before, after) => {
		const service = changing(size, 14, (list) => list.insert(newest));
		const { licenses, hints } = await readWithGetMany(service);
		expect(ids(licenses)).toEqual(ids(records(size)));
		const said = `it had ${before} licenses at the beginning, and ${after} at the end`;
		expect(hints).toEqual([expect.stringContaining(said)]);
		expect(service.requests.length / least(size)).toBeLessThanOrEqual(1.1);
	});

	it('is said where something moves up unread, though the total stays', async () => {
		const service = changing(1000, 14, (list) => {
			list.remove(list.records[990] as License);
			list.insert(newest);
		});
		const { licenses, hints } = await readWithGetMany(service);
		expect(licenses).toHaveLength(999);
		const said = 'announced 1000 licenses, but its list contained 999. Some may be missing';
		expect(hints).toEqual([expect.stringContaining(said)]);
	});

	it('is nothing to say where a limit is full', async () => {
		const service = changing(1000, 4, (list) => list.insert(newest));
		const { hints } = await readWithGetMany(service, { returnAll: false, limit: 500 });
		expect(hints).toEqual([]);
	});
});

describe('A list with', () => {
	it.each([
		['an old record', '2019-01-01T00:00:00Z'],
		['one without a date', null],
	])('%s on top does not end another', async (_, time) => {
		const counties = ['Bay', 'Lee'];
		const all = records(121, (rank) => ({
			address: { county: rank === 0 || rank === 120 ? 'Lee' : 'Bay' },
			eventType: 'new_filing',
			...(rank === 0 && { eventTimestamp: time, filedDate: time }),
		}));
		const { ids: brought } = await read(new ListService(all), {
			filters: { counties, eventTypes: 'new_filing', filedAfter: '2026-06-01' },
		});
		expect(brought).toContain('lic_120');
	});

	it.each([1, 2, 7, 30])(
		'cursors that lead back to its start after %i pages is a failure',
		async (pages) => {
			const service: ListService = new ListService(records(100 * 50), {
				before: ({ query }) => {
					const at = Number(query.cursor ?? 0) % pages;
					const data = service.records.slice(at * 50, at * 50 + 50);
					return {
						statusCode: 200,
						body: { data, pagination: { hasMore: true, cursor: String(at + 1), total: 5000 } },
					};
				},
			});
			await expect(read(service, {}, 1)).rejects.toThrow("The service's list never ends");
			expect(service.requests.length).toBeLessThanOrEqual(3 * pages + 2);
		},
	);
});

it('A list that leads ever on is a failure, though no page comes again', async () => {
	const service = new ListService([], {
		before: (_, count) => ({
			statusCode: 200,
			body: { data: [], pagination: { hasMore: true, cursor: `c${count}`, total: 0 } },
		}),
	});
	await expect(readWithGetMany(service, {}, 1)).rejects.toThrow("The service's list never ends");
	expect(service.requests.length).toBeLessThanOrEqual(100);
});

describe('Several values of a filter', () => {
	it.each<[string, { returnAll?: boolean; limit?: number }, number]>([
		['nothing else is read', {}, 6],
		['the newest of all of them come where there is a limit', { returnAll: false, limit: 30 }, 4],
	])('are each asked for, and %s', async (_, parameters, requests) => {
		const all = records(3000);
		const types = ['COP', 'SRX'];
		const events = ['renewal', 'cancellation'];
		const service = new ListService(all, { turns });
		const filters = { licenseTypes: types, eventTypes: events.join() };
		const wanted = all.filter(
			({ licenseType, eventType }) =>
				types.includes(String(licenseType)) && events.includes(String(eventType)),
		);
		expect(await read(service, { filters, ...parameters })).toEqual({
			ids: ids(wanted).slice(0, parameters.limit),
			log: [],
		});
		for (const { query } of service.requests) {
			expect(types).toContain(query.license_type);
			expect(events).toContain(query.event_type);
		}
		expect(service.requests).toHaveLength(requests);
		expect(mostUnderWay(service)).toBe(4);
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
});

describe('A request that fails', () => {
	const FAILURE = { statusCode: 403, body: { error: { type: 'some_kind', message: 'No more.' } } };
	const failing = () =>
		new ListService(records(LONG), {
			turns,
			before: (_, count) => (count >= 12 ? FAILURE : undefined),
		});
	const errorOf = async (service: ListService, parallelRequests: number, filters = {}) =>
		await read(service, { filters }, parallelRequests).catch(
			(thrown: unknown) => thrown as Failure,
		);

	it('says the same as page by page, and stops the others', async () => {
		const service = failing();
		const { message } = (await errorOf(failing(), 1)) as Failure;
		expect(await errorOf(service, 4)).toMatchObject({ facts: { status: 403 }, message });
		const requests = service.requests.length;
		await passTurns();
		expect(service.requests).toHaveLength(requests);
		expect(requests).toBeLessThanOrEqual(12 + TYPES.length);
	});

	it('long before its page is needed ends the list when it is, and leaves no list short', async () => {
		const all = records(600, (rank) => ({ licenseType: rank < 300 ? 'COP' : 'SRX' }));
		const service = new ListService(all, {
			turns,
			before: ({ query: { license_type: type, cursor } }) =>
				type === 'SRX' && cursor ? FAILURE : undefined,
		});
		expect(await errorOf(service, 4, { licenseTypes: ['COP', 'SRX'] })).toMatchObject({
			facts: { status: 403 },
		});
	});

	it('by a cursor that the service forgot says so, and what helps', async () => {
		const service: ListService = new ListService(records(1000), {
			before: (_, count) => void (count === 14 && service.expireCursors()),
		});
		expect(await errorOf(service, 4)).toMatchObject({
			message: expect.stringContaining('its own marker for the next page (HTTP 400)'),
			description: expect.stringContaining("may have expired. Narrow 'Filters'"),
		});
	});
});
