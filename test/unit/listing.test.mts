import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import {
	ALL_EVENT_TYPES,
	COUNTIES,
	LICENSE_TYPES,
} from '../../nodes/LicensingData/licenses/knownValues.ts';
import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { count } from '../../nodes/LicensingData/operations/count.operation.ts';
import { ListService, readWithGetMany, runAction } from '../support/list-service.mts';
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
const removeAt = (service: ListService, at: number): void =>
	service.remove(service.records[at] as License);
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

describe('A long list', () => {
	it.each([2, 7])('is read with %i requests under way at once, and no more', async (most) => {
		const all = records(LONG);
		const service = new ListService(all, { turns });
		expect(await read(service, {}, most)).toEqual({ ids: ids(all), log: [] });
		expect(mostUnderWay(service)).toBe(most);
	});

	it('is read page by page where Parallel Requests is 1', async () => {
		const service = new ListService(records(LONG), { turns });
		expect(await read(service, {}, 1)).toMatchObject({ log: [] });
		expect(mostUnderWay(service)).toBe(1);
		expect(service.requests).toHaveLength(least(LONG));
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

/**
 * A register's list: new filings by filing date and then the rest, whole days, all types and events that there are,
 * some without a county, and numbers that stand there twice.
 */
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
			licenseType: REGISTER_TYPES[Math.floor((rank * 7) / 5) % REGISTER_TYPES.length],
			eventType: isFiling ? 'new_filing' : (OTHER_EVENTS[rank % 200] ?? 'renewal'),
			address: { county: rank % 99 === 0 ? '' : rank % 5 === 0 ? 'Orange' : 'Lee' },
			filedDate,
			eventTimestamp,
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
	it.each<[string, number, boolean, object]>([
		['all of it', 52_646, false, {}],
		['all of it, where all dates are equal', 52_646, true, {}],
		['one county', 52_646, false, { counties: 'Orange' }],
		['new filings', 52_646, false, { eventTypes: 'new_filing' }],
		['a type', 52_646, false, { licenseTypes: 'COP' }],
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
		expect(isReadSideBySide(service)).toBe(fewest > 150);
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
			const walks = new Map<string, number>();
			for (const { query } of service.requests) {
				const { cursor: _cursor, ...list } = query;
				const name = JSON.stringify(list);
				walks.set(name, (walks.get(name) ?? 0) + 1);
			}
			expect(Math.max(...walks.values()) > least(all.length) / 3).toBe(!isAll);
		},
	);

	it('none is divided where the plan allows no more requests than one after another', async () => {
		const all = foodRegister(52_646);
		const service: ListService = new ListService(all, {
			turns,
			cursors: 'position',
			before: ({ query }) => ({
				statusCode: 200,
				headers: { 'x-ratelimit-limit': '120' },
				body: service.page(query),
			}),
		});
		const { licenses } = await readWithGetMany(service, {}, 8);
		expect(licenses).toHaveLength(all.length);
		expect(service.requests).toHaveLength(least(all.length));
	});

	it('where a type and an event are unknown, each of which is found out', async () => {
		const all = asInRegister(LONG).map((license, rank) => ({
			...license,
			...(rank % 300 === 299 && { licenseType: 'WINE_CLUB', eventType: 'merger' }),
		}));
		const service = new ListService(all, { turns });
		const { licenses } = await readWithGetMany(service, {}, undefined);
		expect(licenses).toHaveLength(all.length);
		expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(1.05);
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

	it('filed lately, of one kind of event: no further than the first page that is older', async () => {
		const service = new ListService(asInRegister(52_646), { turns });
		const filters = { eventTypes: 'new_filing', filedAfter: '2026-06-25' };
		const { licenses, hints } = await readWithGetMany(service, { filters }, undefined);
		expect(hints).toEqual([]);
		expect(licenses).toHaveLength(7 * 40);
		// Seven days, and a page that is older.
		expect(service.requests.length).toBeLessThanOrEqual(8);
	});
});

describe('With Filed On or After, a list is read to its end', () => {
	const late = { filedDate: '2026-06-30', eventTimestamp: '2026-06-30T00:00:00Z' };
	/** A page of one old filing date, and what was filed lately below it. */
	const belowOldOnes = (eventType: string): License[] =>
		records(150, (rank) => ({ eventType, filedDate: '2019-01-01', ...(rank >= 120 && late) }));

	it.each(EVENTS.filter((event) => event !== 'new_filing'))(
		'where %s is chosen, as only new filings are listed by that date',
		async (event) => {
			const filters = { eventTypes: event, filedAfter: '2026-06-01' };
			const service = new ListService(belowOldOnes(event));
			expect((await readWithGetMany(service, { filters })).licenses).toHaveLength(30);
			const { items } = await runAction(count as OperationType, service, { filters });
			expect(items).toEqual([{ json: { count: 30 } }]);
		},
	);

	it('where no event is chosen', async () => {
		const filters = { filedAfter: '2026-06-01' };
		const service = new ListService(belowOldOnes('renewal'));
		expect((await readWithGetMany(service, { filters })).licenses).toHaveLength(30);
	});
});

describe('A list is read page by page', () => {
	it.each([
		['with ten pages', {}, 500, 10],
		['with a limit of ten pages', { returnAll: false, limit: 500 }, LONG, 10],
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
		[{ returnAll: false, limit: 120 }, [1, 2, 3]],
	])(
		'the next page is asked for before the last is handed on, unless there is a limit (%o)',
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

	it('is said where something moves up unread, though the total stays', async () => {
		const { brought, hints } = await changed(1000, (list) => {
			removeAt(list, 990);
			list.insert(onTop(1));
		});
		expect(new Set(brought).size).toBe(999);
		expect(hints).toEqual([
			expect.stringContaining(
				'announced 1000 licenses, but its list contained 999. Some may be missing',
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
			expect(error).toMatchObject({ message: "The service's list never ends" });
			expect(service.requests.length).toBeLessThanOrEqual(3 * pages + 2);
		}
	});
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
			expect(error).toMatchObject({ facts: { status }, message });
			const requests = service.requests.length;
			await passTurns();
			expect(service.requests).toHaveLength(requests);
			expect(requests).toBeLessThanOrEqual(12 + TYPES.length);
		},
	);

	it('long before its page is needed ends the list when it is, and leaves no list short', async () => {
		const all = records(600, (rank) => ({ licenseType: rank < 300 ? 'COP' : 'SRX' }));
		const service = new ListService(all, {
			turns,
			before: ({ query: { license_type: type, cursor } }) =>
				type === 'SRX' && cursor ? failure(403) : undefined,
		});
		const filters = { licenseTypes: ['COP', 'SRX'] };
		expect(await errorOf(service, 4, { filters })).toMatchObject({ facts: { status: 403 } });
	});

	it('by a cursor that the service forgot says so, and what helps', async () => {
		const service: ListService = new ListService(records(1000), {
			before: (_, count) => void (count === 14 && service.expireCursors()),
		});
		const { message, description } = (await errorOf(service, 4)) ?? {};
		expect(message).toContain('did not accept its own marker for the next page (HTTP 400)');
		expect(description).toContain("may have expired. Narrow 'Filters'");
	});
});
