import { describe, expect, it } from 'vitest';

import { watchForEnd } from '../../nodes/LicensingData/actions/earlyEnd.ts';
import type { LicensePage, ListQuery } from '../../nodes/LicensingData/domain/licenseList.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { SeenTexts } from '../../nodes/LicensingData/listing/seenTexts.ts';
import { streamList } from '../../nodes/LicensingData/listing/streamList.ts';
import { asSent, FakeService, type FakeServiceOptions } from '../support/fake-service.mts';

const TYPES = ['APS', 'BEV', 'COP', 'FOOD_SERVICE', 'MOBILE_FOOD', 'SEATING', 'SRX'];
const FIRST = Date.parse('2026-01-01T00:00:00Z');

/** One event a minute: the highest number is the newest. */
const recordOf = (number: number, more: License = {}): License => ({
	id: `lic_${number}`,
	licenseType: TYPES[(number * 5) % 7],
	eventType: 'new_filing',
	eventTimestamp: new Date(FIRST + number * 60_000).toISOString(),
	...more,
});

function serviceWith(count: number, options: Partial<FakeServiceOptions> = {}): FakeService {
	const service = new FakeService(options);
	for (let number = 1; number <= count; number++) service.insert(recordOf(number));
	return service;
}

interface Watched {
	readers?: number;
	matches?: (license: License) => boolean;
	queries?: ListQuery[];
	watchForEnd?: () => (page: License[]) => boolean;
	/** Runs before a request is answered. An answer returned here replaces the service's. */
	before?: (count: number, query: ListQuery) => LicensePage | void;
	onPage?: (page: License[]) => Promise<void>;
}

async function read(service: FakeService, watched: Watched = {}) {
	const { readers = 4, matches = () => true, before, onPage } = watched;
	const { queries = [{ limit: 50 }], watchForEnd = () => () => false } = watched;
	const asked: ListQuery[] = [];
	const ids: unknown[] = [];
	let missing = 0;
	const pages = streamList({
		fetchPage: async (query) => {
			asked.push(query);
			const given = before?.(asked.length, query);
			await new Promise(setImmediate);
			return given ?? (service.page(asSent(query)) as LicensePage);
		},
		queries,
		matches,
		watchForEnd,
		readers,
		onMissing: (met, announced) => (missing = announced - met),
	});
	for await (const page of pages) {
		ids.push(...page.map(({ id }) => id));
		await onPage?.(page);
	}
	return { ids, missing, asked };
}

const idsOf = (records: License[]) => records.map(({ id }) => id);

describe.each(['key', 'position'] as const)('A long list with %s cursors', (cursors) => {
	it.each([1, 4])('is brought newest first, each record once, by %i at once', async (readers) => {
		const service = serviceWith(5000, { cursors });
		const { ids, missing, asked } = await read(service, { readers });
		expect(ids).toEqual(idsOf(service.records));
		expect(missing).toBe(0);
		const types = new Set(asked.map(({ license_type }) => license_type));
		expect(types.size).toBe(readers === 1 ? 1 : 8);
	});

	it('is read a few pages ahead and no further, however long it is', async () => {
		const service = serviceWith(20_000, { cursors });
		let asked = 0;
		let met = 0;
		let mostAhead = 0;
		let largest = 0;
		await read(service, {
			before: (count) => void (asked = count),
			async onPage(page) {
				met += page.length;
				largest = Math.max(largest, page.length);
				// The file is written more slowly than the service answers.
				for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
				mostAhead = Math.max(mostAhead, asked * 50 - met);
			},
		});
		expect(met).toBe(20_000);
		expect(largest).toBe(50);
		// Of each of seven parts: the page it is at and four more, some of them not full, and what finding them took.
		expect(mostAhead).toBeLessThan((7 * 6 + 10) * 50);
	});

	it.each([1, 4])('brings at the end what is filed or moves up, %i at once', async (readers) => {
		const service = serviceWith(3000, { cursors });
		const before = idsOf(service.records);
		const { ids, missing } = await read(service, {
			readers,
			before(count) {
				if (count !== 20) return;
				for (const number of [500, 2990]) {
					const old = service.records.find(({ id }) => id === `lic_${number}`) as License;
					service.remove(old);
					service.insert(
						recordOf(number + 5000, {
							...old,
							eventType: 'renewal',
							eventTimestamp: recordOf(number + 5000).eventTimestamp,
						}),
					);
				}
				service.insert(recordOf(9000));
			},
		});
		expect(ids).toHaveLength(new Set(ids).size);
		expect(new Set(ids)).toEqual(new Set([...before, 'lic_9000']));
		expect(missing).toBe(0);
	});
});

it('A record that stands in two parts for a while is brought once', async () => {
	const service = serviceWith(2000);
	const newest = service.records.find(({ licenseType }) => licenseType === 'COP') as License;
	const { ids, missing } = await read(service, {
		before(_, { license_type, cursor }) {
			if (license_type !== 'SRX' || cursor) return;
			const page = service.page({ license_type, limit: '50' }) as LicensePage;
			return { ...page, data: [newest, ...page.data.slice(1)] };
		},
	});
	expect(ids).toHaveLength(2000);
	expect(new Set(ids)).toEqual(new Set(idsOf(service.records)));
	expect(missing).toBe(0);
});

it('Only what is wanted is brought, also of what is filed meanwhile, page after page', async () => {
	const service = serviceWith(3000);
	const isWanted = ({ licenseType }: License) => licenseType === 'COP';
	const { ids } = await read(service, {
		matches: isWanted,
		before(count) {
			if (count !== 20) return;
			for (let number = 9001; number <= 9140; number++) service.insert(recordOf(number));
		},
	});
	expect(ids).toHaveLength(new Set(ids).size);
	expect(new Set(ids)).toEqual(new Set(idsOf(service.records.filter(isWanted))));
});

it('A list is read to the end that is wanted, and no further', async () => {
	const { ids, asked } = await read(serviceWith(3000), {
		readers: 1,
		watchForEnd: () => (page) => page.some(({ id }) => id === 'lic_2800'),
	});
	expect(ids.at(-1)).toBe('lic_2751');
	// Five pages, and the top once more.
	expect(asked).toHaveLength(5 + 1);
});

it('What moves up is brought, too, where only the newest are wanted', async () => {
	const service = serviceWith(3000);
	const { ids } = await read(service, {
		readers: 1,
		watchForEnd: () => (page) => page.some(({ id }) => id === 'lic_2800'),
		before(count) {
			if (count === 3) service.insert(recordOf(9000));
		},
	});
	expect(ids).toHaveLength(251);
	expect(ids.at(-1)).toBe('lic_9000');
});

it.each([
	['an old record', '2019-01-01T00:00:00Z'],
	['one without a date', null],
])('A list with %s on top does not end another', async (_, eventTimestamp) => {
	const lists: Record<string, License[]> = {
		Lee: [recordOf(0, { eventTimestamp }), recordOf(300_000)],
		Bay: Array.from({ length: 60 }, (_, at) => recordOf(60 - at)),
	};
	const { ids } = await read(serviceWith(0), {
		queries: Object.keys(lists).map((county) => ({ county, limit: 50 })),
		watchForEnd: () => watchForEnd({ happenedAfter: '2026-07-01' }),
		before: (_, { county }) => ({
			data: lists[String(county)]?.slice(0, 50) ?? [],
			pagination: { cursor: county === 'Bay' ? 'next' : null, hasMore: county === 'Bay' },
		}),
	});
	expect(ids).toContain('lic_300000');
});

it.each([0, 40])('A list of %i records costs one request', async (count) => {
	const { ids, asked } = await read(serviceWith(count));
	expect(ids).toHaveLength(count);
	expect(asked).toHaveLength(1);
});

it('A record that leaves the list before it is met is not missing', async () => {
	const service = serviceWith(3000);
	const { ids, missing } = await read(service, {
		before(count) {
			if (count === 20) service.remove(service.records.at(-1) as License);
		},
	});
	expect(ids).toEqual(idsOf(service.records));
	expect(missing).toBe(0);
});

it('A list that announces more than it brings is read once more, and the rest is reported', async () => {
	const records = serviceWith(400).records;
	const { ids, missing, asked } = await read(serviceWith(0), {
		before: (_, { cursor }) => ({
			data: cursor ? records.slice(50, 90) : records.slice(0, 50),
			pagination: { cursor: cursor ? null : 'next', hasMore: !cursor, total: 400 },
		}),
	});
	expect(ids).toHaveLength(90);
	expect(missing).toBe(310);
	expect(asked).toHaveLength(4);
});

it('A list that does not say how long it is is read to its end', async () => {
	const service = serviceWith(1000, { totals: false });
	const { ids, missing } = await read(service);
	expect(ids).toEqual(idsOf(service.records));
	expect(missing).toBe(0);
});

it('A record without a moment comes after those that have one', async () => {
	const service = serviceWith(1000);
	service.insert({ id: 'lic_undated', licenseType: 'COP' });
	const { ids } = await read(service);
	expect(ids).toHaveLength(1001);
	expect(ids.at(-1)).toBe('lic_undated');
});

it('A part that cannot be read ends the reading', async () => {
	const reading = read(serviceWith(5000), {
		before(count, { license_type }) {
			if (count > 40 && license_type === 'COP') throw new Error('The service is gone');
		},
	});
	await expect(reading).rejects.toThrow('The service is gone');
});

it('A text is met once for the first time, however many there are', () => {
	const seen = new SeenTexts();
	const texts = Array.from({ length: 50_000 }, (_, at) => `lic_${at}`);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(50_000);
	expect(texts.filter((text) => seen.add(text))).toHaveLength(0);
});
