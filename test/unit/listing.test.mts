import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { ListService, readWithGetMany } from '../support/list-service.mts';

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
const read = async (service: ListService, parameters: object = {}, parallelRequests?: number) => {
	const { licenses, hints } = await readWithGetMany(service, { ...parameters }, parallelRequests);
	return { ids: ids(licenses), hints };
};
const mostUnderWay = ({ requests }: ListService) =>
	Math.max(...requests.map(({ underWay }) => underWay));
const isReadSideBySide = ({ requests }: ListService) =>
	requests.filter(({ underWay }) => underWay > 1).length > requests.length / 2;
/** As many turns as an answer takes over a network, so that requests made together overlap. */
const turns = () => 3;
/** What reading page by page would cost. */
const least = (records: number) => Math.ceil(records / 50);

it.each([1, 2, 7])(
	'A long list is read with %i requests under way at once, and no more',
	async (most) => {
		const all = records(LONG);
		const service = new ListService(all, { turns });
		expect(await read(service, {}, most)).toEqual({ ids: ids(all), hints: [] });
		expect(mostUnderWay(service)).toBe(most);
		const cost = service.requests.length / least(LONG);
		expect(cost).toBeLessThanOrEqual(most === 1 ? 1 : 1.05);
	},
);

it('Licenses of no known event come last, also where a list is read in parts', async () => {
	const none = { eventType: null, eventTimestamp: null, filedDate: null };
	const all = records(LONG, (rank) => (rank < 600 ? { licenseType: TYPES[rank % 3] } : none));
	const service = new ListService(all, { turns });
	const { licenses } = await readWithGetMany(service, {}, undefined);
	expect(ids(licenses).slice(0, 600)).toEqual(ids(all).slice(0, 600));
	expect(ids(licenses).sort()).toEqual(ids(all).sort());
	expect(isReadSideBySide(service)).toBe(true);
});

describe('At the shapes of a register, no list costs more than a twentieth above the least', () => {
	const types =
		'SEATING MOBILE_FOOD FOOD_SERVICE COP APS SRX BEV TEMP_PERMIT MANUFACTURER BOTTLE_CLUB'.split(
			' ',
		);
	const otherEvents = 'address_change ownership_transfer status_change cancellation'.split(' ');

	/** New filings by filing date and then the rest, whole days, all types and events, some without a county. */
	function register(count: number): License[] {
		const dayOf = (rank: number) => new Date(START - rank * 86_400_000).toISOString().slice(0, 10);
		const filings = Math.floor(count / 6);
		return Array.from({ length: count }, (_, rank) => {
			const isFiling = rank < filings;
			const filedDate = dayOf(Math.floor((isFiling ? rank : rank - filings) / 40));
			// It takes effect on the same day, or weeks later.
			const effective = new Date(Date.parse(filedDate) + (rank % 3) * 14 * 86_400_000);
			return {
				id: `lic_${rank}`,
				licenseType: types[Math.floor((rank * 7) / 5) % types.length],
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
		const service = new ListService(register(count), { turns, cursors: 'position' });
		const { licenses, hints } = await readWithGetMany(service, { filters }, undefined);
		const wanted = service.list({ ...query });
		const order = ({ eventType, filedDate }: License) => [eventType === 'new_filing', filedDate];
		expect(licenses.map(order)).toEqual(wanted.map(order));
		expect(ids(licenses).sort()).toEqual(ids(wanted).sort());
		expect(hints).toEqual([]);
		expect(service.requests.length / least(wanted.length)).toBeLessThanOrEqual(1.05);
		expect(isReadSideBySide(service)).toBe(least(wanted.length) > 150);
	});

	/** Three types, five of seven and one and one, in sixty-six counties, all of one day: the state's food licenses. */
	const foodRegister = (count: number, withoutCounty = 0): License[] =>
		Array.from({ length: count }, (_, rank) => {
			const licenseType = ['MOBILE_FOOD', 'FOOD_SERVICE'][rank % 7] ?? 'SEATING';
			// The first has about a sixth, and each that follows a little less.
			const county = Math.floor(66 * ((rank * 0.618_033_988_7) % 1) ** 2.5);
			const isLost = licenseType === 'SEATING' && rank < withoutCounty * 7;
			return {
				id: `lic_${rank}`,
				licenseType,
				eventType: 'renewal',
				eventTimestamp: '2026-01-01T00:00:00Z',
				filedDate: '2026-01-01',
				address: { county: isLost ? '' : COUNTIES[county]?.value },
			};
		});

	it.each([
		['its counties', 0, []],
		[
			'its types alone, where some of the largest type name no county',
			10,
			[expect.stringContaining('licenses were read one page after another')],
		],
	])('of which one type is three quarters, which is divided by %s', async (_, lost, said) => {
		const all = foodRegister(52_646, lost);
		const service = new ListService(all, { turns, cursors: 'position' });
		const { ids, hints } = await read(service, {}, 8);
		expect(new Set(ids).size).toBe(all.length);
		expect(service.requests.length / least(all.length)).toBeLessThanOrEqual(1.08);
		expect(hints).toEqual(said);
		// The longest walk would be three quarters of the list.
		const walks = service.requests.map(({ query }) => `${query.license_type} ${query.county}`);
		const ofSeating = walks.filter((walk) => walk === 'SEATING undefined');
		expect(ofSeating.length > least(all.length) / 3).toBe(lost > 0);
	});

	it('where a type is unknown, which is found out, and the first page is not read again', async () => {
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
				query.license_type === 'BOTTLE_CLUB' ? { statusCode: 400, body: {} } : undefined,
		});
		expect((await read(service)).ids).toHaveLength(all.length);
		expect(isReadSideBySide(service)).toBe(true);
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
		expect(await read(service, parameters)).toEqual({ ids: ids(all).slice(0, limit), hints: [] });
		expect(service.requests).toHaveLength(least(limit));
		expect(mostUnderWay(service)).toBe(1);
	});

	it.each([undefined, 'renewal'])(
		'to its end, with Filed On or After, where %s is chosen, as only new filings are listed by that date',
		async (eventTypes) => {
			const late = { filedDate: '2026-06-30', eventTimestamp: '2026-06-30T00:00:00Z' };
			/** A page of one old filing date, and what was filed lately below it. */
			const all = records(150, (rank) => ({
				eventType: 'renewal',
				filedDate: '2019-01-01',
				...(rank >= 120 && late),
			}));
			const filters = { eventTypes, filedAfter: '2026-06-01' };
			expect((await read(new ListService(all), { filters })).ids).toHaveLength(30);
		},
	);
});

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
		const said = `it had ${before} licenses at the beginning, and ${after} at the end`;
		expect(await read(service)).toEqual({
			ids: ids(records(size)),
			hints: [expect.stringContaining(said)],
		});
	});

	it('is said where something moves up unread, though the total stays', async () => {
		const service = changing(1000, 14, (list) => {
			list.remove(list.records[990] as License);
			list.insert(newest);
		});
		const said = 'announced 1000 licenses, but its list contained 999. Some may be missing';
		expect((await read(service)).hints).toEqual([expect.stringContaining(said)]);
	});
});

it.each<
	[what: string, pages: number, size: number, requests: number, change?: (at: number) => object]
>([
	['leads back to its start', 1, 50, 2],
	['leads back to a page before', 7, 50, 23],
	['leads ever on, to empty pages', 1000, 0, 100],
	['leads back, to records that have changed', 7, 50, 23, (at: number) => ({ note: at })],
] as const)(
	'A list that %s is a failure',
	async (_, pages, size, requests, change = () => ({})) => {
		const service: ListService = new ListService(records(5000), {
			before: ({ query }) => {
				const at = Number(query.cursor ?? 0) % pages;
				const shown = service.records.slice(at * size, (at + 1) * size);
				const data = shown.map((one) => ({ ...one, ...change(service.requests.length) }));
				const pagination = { hasMore: true, cursor: String(at + 1), total: size && 5000 };
				return { statusCode: 200, body: { data, pagination } };
			},
		});
		await expect(read(service, {}, 1)).rejects.toThrow("The service's list never ends");
		expect(service.requests.length).toBeLessThanOrEqual(requests);
	},
);

it('Of large records, no more is read ahead than fits in memory, however many lists there are', async () => {
	const counties = COUNTIES.slice(0, 34).map(({ value }) => value);
	const note = 'x'.repeat(96_000);
	let askedBelow = 0;
	const service = new ListService([], {
		async before({ query: { county, cursor } }, count) {
			// The first list has the newest, so all others have to wait for it.
			const isNewest = county === counties[0];
			for (let known = 0; isNewest && cursor && known < service.requests.length; ) {
				known = service.requests.length;
				for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
			}
			if (!isNewest && cursor) askedBelow++;
			if (isNewest && cursor) return { statusCode: 403, body: {} };
			const eventTimestamp = isNewest ? '2026-07-02' : '2026-07-01';
			const data = Array.from({ length: 10 }, (_, at) => ({
				...{ id: `${count} ${at}`, status: 'active', eventTimestamp, note },
			}));
			return {
				statusCode: 200,
				body: { data, pagination: { hasMore: true, cursor: `c${count}` } },
			};
		},
	});
	await expect(read(service, { filters: { counties } })).rejects.toThrow('does not allow this');
	expect(askedBelow).toBe(0);
});

it('Several values of a filter are each asked for, and of a limit only the newest', async () => {
	const all = records(3000);
	const types = ['COP', 'SRX'];
	const events = ['renewal', 'cancellation'];
	const filters = { licenseTypes: types, eventTypes: events.join() };
	const wanted = all.filter(
		({ licenseType, eventType }) =>
			types.includes(String(licenseType)) && events.includes(String(eventType)),
	);
	const service = new ListService(all, { turns });
	expect((await read(service, { filters })).ids).toEqual(ids(wanted));
	expect(service.requests).toHaveLength(6);
	for (const { query } of service.requests) {
		expect(types).toContain(query.license_type);
		expect(events).toContain(query.event_type);
	}
	const limited = await read(service, { filters, returnAll: false, limit: 30 });
	expect(limited.ids).toEqual(ids(wanted).slice(0, 30));
	expect(service.requests).toHaveLength(6 + 4);
});

describe('A request that fails', () => {
	const FAILURE = { statusCode: 403, body: { error: { type: 'some_kind', message: 'No more.' } } };

	it('says the same as page by page, and stops the others', async () => {
		const failing = () =>
			new ListService(records(LONG), {
				turns,
				before: (_, count) => (count >= 12 ? FAILURE : undefined),
			});
		const service = failing();
		const alone = await read(failing(), {}, 1).catch((thrown: unknown) => thrown);
		await expect(read(service, {}, 4)).rejects.toEqual(alone);
		expect(alone).toMatchObject({ facts: { status: 403 } });
		const requests = service.requests.length;
		for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
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
		const filters = { licenseTypes: ['COP', 'SRX'] };
		await expect(read(service, { filters }, 4)).rejects.toMatchObject({ facts: { status: 403 } });
	});

	it('by a cursor that the service forgot says so, and what helps', async () => {
		const service = new ListService(records(1000), {
			before: (_, count) => (count === 14 ? { statusCode: 400, body: {} } : undefined),
		});
		await expect(read(service)).rejects.toMatchObject({
			message: expect.stringContaining('its own marker for the next page (HTTP 400)'),
			description: expect.stringContaining("may have expired. Narrow 'Filters'"),
		});
	});
});
