import type { IDataObject } from 'n8n-workflow';

import { ALL_EVENT_TYPES as EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { ListService, runOn } from '../support/list-service.mts';
import { license, register } from '../support/records.mts';

const run = async (service: ListService, parameters: IDataObject) =>
	await runOn(service, { operation: 'count', ...parameters });

/** The one number, if nothing is counted separately. */
const all = async (service: ListService, filters: IDataObject = {}) =>
	(await run(service, { filters })).items[0]?.count;

describe('Count', () => {
	it('says how many licenses match several filters, in one request, without a warning', async () => {
		const service = new ListService(register(8000));
		const filters = { counties: 'Orange', licenseTypes: 'COP', status: 'active' };
		const count = service.list({ county: 'Orange', license_type: 'COP', status: 'active' }).length;
		expect(await run(service, { filters })).toEqual({ items: [{ count }], hints: [] });
		expect(service.requests).toHaveLength(1);
	});

	it('takes several values of several filters, and counts nothing else', async () => {
		const service = new ListService(register(9000));
		const filters = { counties: ['Orange', 'Lee'], licenseTypes: ['COP', 'APS', 'SEATING'] };
		const ofTypes = service.records.filter(({ licenseType }) =>
			filters.licenseTypes.includes(licenseType!),
		);
		const truth = ofTypes.filter(({ address }) => filters.counties.includes(address!.county!));
		expect(await all(service, filters)).toBe(truth.length);
		expect(service.requests).toHaveLength(6);
	});
});

const truthBy = (records: License[], valueOf: (license: License) => string) => {
	const counts = new Map<string, number>();
	for (const license of records)
		counts.set(valueOf(license), (counts.get(valueOf(license)) ?? 0) + 1);
	return counts;
};

describe('Count in groups', () => {
	it('asks once a group, side by side, and returns the largest first, with zeros', async () => {
		const service = new ListService(register(9000), { turns: 3 });
		const { items } = await run(service, { groupBy: 'licenseType' });
		const truth = truthBy(service.records, ({ licenseType }) => licenseType!);
		const sizes = LICENSE_TYPES.map(({ value }) => truth.get(value) ?? 0).sort((a, b) => b - a);
		expect(items.map(({ count: size }) => size)).toEqual(sizes);
		const names = { licenseType: 'BEV', licenseTypeName: 'Beverage (BEV)' };
		expect(items[0]).toEqual({ count: sizes[0], ...names });
		expect(Math.max(...service.requests.map(({ underWay }) => underWay))).toBeGreaterThan(1);
	});

	it('fails where a group cannot be asked for, instead of counting none of it', async () => {
		const service = new ListService(register(9000), {
			before: ({ query }) => (query.license_type === 'COP' ? { status: 403, body: {} } : undefined),
		});
		await expect(run(service, { groupBy: 'licenseType' })).rejects.toThrow('does not allow this');
	});

	it('makes a table of two, and takes at most two', async () => {
		const service = new ListService(register(9000));
		const { items, hints } = await run(service, { groupBy: 'event type, county' });
		const truth = truthBy(service.records, (one) => `${one.eventType} ${one.address?.county}`);
		expect(items).toHaveLength(EVENT_TYPES.length * COUNTIES.length);
		for (const { count: size, eventType, county } of items)
			expect(size).toBe(truth.get(`${String(eventType)} ${String(county)}`) ?? 0);
		expect(items[0]).toHaveProperty('eventTypeName');
		expect(hints).toEqual([`Requests for this count: ${service.requests.length}`]);
		const groupBy = ['city', 'county', 'status'];
		await expect(run(service, { groupBy })).rejects.toThrow("'Group By' has 3 entries");
	});

	it.each([
		['city', ['NOWHERE KEY', 'St. Petersburg', 'Tampa']],
		['status', ['active', 'expired', 'pending']],
	])('takes each %s as it is, in one spelling, and what has none last', async (groupBy, values) => {
		const records = [...register(900), license({ status: null, address: null })];
		const { items } = await run(new ListService(records), { groupBy });
		expect(items.pop()).toEqual({ count: 1, [groupBy]: 'Other' });
		expect(items.map((item) => item[groupBy]).sort()).toEqual(values);
		expect(items.reduce((sum, { count: size }) => sum + Number(size), 0)).toBe(900);
	});

	it('shows only the values that a filter leaves', async () => {
		const service = new ListService(register(9000));
		const { items } = await run(service, { filters: { counties: 'Lee, Bay' }, groupBy: 'county' });
		const sizes = ['Lee', 'Bay'].map((county) => [county, service.list({ county }).length]);
		expect(items.map(({ county, count }) => [county, count])).toEqual(sizes);
	});

	it('brings cities and statuses as single lines of a sensible length', async () => {
		const status = `Odd\r\nBcc: x\u2028\0${'x'.repeat(1000)}`;
		const odd = register(60).map((one) => ({ ...one, status, address: { city: status } }));
		const { items } = await run(new ListService(odd), { groupBy: ['status', 'city'] });
		for (const value of [items[0]?.status, items[0]?.city])
			expect(value).toMatch(/^odd Bcc: x x{243}…$/i);
	});

	it('takes what filings are for', async () => {
		const numbers = ['COP-2026-1', 'COP-2026-2', 'COP-2019-3', '10004'];
		const records = numbers.map((licenseNumber) => license({ id: licenseNumber, licenseNumber }));
		const { items } = await run(new ListService(records), { groupBy: 'Filing Kind' });
		expect(items[0]).toEqual({ count: 2, filingKind: 'newLicense', filingKindName: 'New License' });
		expect(items.map(({ filingKind }) => filingKind).slice(1)).toEqual(['newHolder', 'notKnown']);
	});

	it.each([
		[50, 1],
		[9000, LICENSE_TYPES.length + 1],
	])('of %i, says in an item Other what is in no group', async (size, requests) => {
		const odd = register(size).map((license, at) =>
			at % 10 === 0 ? { ...license, licenseType: at % 20 ? 'RETAIL' : null } : license,
		);
		const service = new ListService(odd);
		const { items } = await run(service, { groupBy: 'licenseType' });
		const other = { count: size / 10, licenseType: 'Other', licenseTypeName: 'Other' };
		expect(items.at(-1)).toEqual(other);
		expect(items).toHaveLength(LICENSE_TYPES.length + 1);
		// A list of one page is just read.
		expect(service.requests).toHaveLength(requests);
	});
});

describe('What the service cannot count is counted by reading', () => {
	const FEW = { filedAfter: '2025-12-22', eventTypes: 'new_filing' };
	const DATED = {
		cities: 'st petersburg',
		counties: 'Lee, Hillsborough',
		filedBefore: '2025-12-01',
	};

	it.each<[filters: IDataObject, pattern: RegExp, most: number]>([
		[{ cities: 'Tampa' }, /"city":"tampa"/i, 200],
		[DATED, /"Lee","city":"\w+\.? Petersburg"\},"filedDate":"(2024|2025-(0|1[01]|12-01))/, 100],
		// No further than the first day that is wanted.
		[FEW, /"new_filing".*"filedDate":"(2026|2025-12-(2[2-9]|3))/, 20],
	])('by %j', async (filters, pattern, most) => {
		const service = new ListService(register(9000));
		const wanted = service.records.filter((record) => pattern.test(JSON.stringify(record)));
		expect(await all(service, filters)).toBe(wanted.length);
		expect(service.requests.length).toBeLessThan(most);
	});

	it('but a longer list is refused before it is read', async () => {
		const service = new ListService(register(20_001));
		const advice = /by city, ZIP code, distance or date, or group.*'Counties'.*Export/;
		await expect(all(service, { cities: 'Tampa' })).rejects.toMatchObject({
			message: 'The list to count has 20,001 licenses, too many to read',
			description: expect.stringMatching(advice),
		});
		expect(service.requests).toHaveLength(1);
	});

	const ignoring = (records: License[]) => {
		const service: ListService = new ListService(records, {
			before: ({ query: { county: _, ...query } }) => ({ body: service.page(query) }),
		});
		return service;
	};

	it('what matches, where the service ignores a filter', async () => {
		const records = register(900);
		const lee = records.filter(({ address }) => address?.county === 'Lee');
		expect(await all(ignoring(records), { counties: 'Lee' })).toBe(lee.length);
		const others = records.filter((record) => !lee.includes(record));
		const bay = others.filter(({ address }) => address?.county === 'Bay');
		// The first page is as if the filter for Lee were applied.
		const both = all(ignoring([...lee, ...others]), { counties: 'Lee, Bay' });
		expect(await both).toBe(lee.length + bay.length);
	});

	it('all of a list whose total is that of a page', async () => {
		const service: ListService = new ListService(register(171), {
			before: ({ query }) => {
				const { data, pagination } = service.page(query);
				return { body: { data, pagination: { ...pagination, total: data.length } } };
			},
		});
		expect(await all(service)).toBe(171);
	});

	it('all of it where the service ignores the filter of the groups', async () => {
		const groupBy = 'county';
		const records = register(900);
		const truth = truthBy(records, ({ address }) => address?.county ?? '');
		const { items } = await run(ignoring(records), { groupBy });
		expect(items.slice(0, 4).map(({ county, count }) => [county, count])).toEqual(
			[...truth].sort(([, a], [, b]) => b - a),
		);
		const long = run(ignoring(register(22_000)), { groupBy });
		await expect(long).rejects.toThrow('The list to count has 22,000 licenses, too many to read');
	});
});
