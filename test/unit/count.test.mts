import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { count } from '../../nodes/LicensingData/operations/count.operation.ts';
import { ALL_EVENT_TYPES as EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { hash } from '../../sandbox/register/random.mts';
import { license } from '../support/records.mts';
import { ListService, runAction } from '../support/list-service.mts';

const CITIES = 'Tampa,TAMPA,St. Petersburg,Saint Petersburg,Nowhere Key,NOWHERE KEY'.split(',');

/** Takes every value of a list, the first ones most often. */
const skewed = <T,>(values: readonly T[], number: number, field: number): T =>
	values[Math.floor(((hash(1, number, field) % 1000) / 1000) ** 2 * values.length)] as T;

/** Licenses in which every field takes its values independently of the others. */
const register = (size: number): License[] =>
	Array.from({ length: size }, (_, number) => {
		const eventTimestamp = new Date(Date.UTC(2026, 0, 1) - number * 3_600_000).toISOString();
		return {
			id: `lic_${number}`,
			licenseType: skewed(LICENSE_TYPES, number, 1)?.value,
			eventType: skewed(EVENT_TYPES, number, 2)?.value,
			status: skewed(['active', 'Pending', ' expired'], number, 3),
			address: {
				county: skewed(['Orange', 'Lee', 'Clay', 'Bay'], number, 4),
				city: skewed(CITIES, number, 5),
			},
			filedDate: eventTimestamp.slice(0, 10),
			eventTimestamp,
		};
	});

const run = async (service: ListService, parameters: IDataObject) => {
	const { items, hints } = await runAction(count as OperationType, service, parameters);
	return { items: items.map(({ json }) => json), hints };
};

/** The one number, if nothing is counted separately. */
const all = async (service: ListService, filters: IDataObject = {}) =>
	(await run(service, { filters })).items[0]?.count;

describe('Count', () => {
	it('says how many licenses match several filters, in one request, and warns of nothing', async () => {
		const service = new ListService(register(8000));
		const filters = { counties: 'Orange', licenseTypes: 'COP', status: 'active' };
		const { items, hints } = await run(service, { filters });
		const query = { county: 'Orange', license_type: 'COP', status: 'active' };
		expect(items).toEqual([{ count: service.list(query).length }]);
		expect(service.requests).toHaveLength(1);
		expect(hints).toEqual([]);
		expect(await all(service)).toBe(8000);
	});

	it('takes several values of several filters, and counts a license of none of them not at all', async () => {
		const service = new ListService(register(9000));
		const filters = { counties: ['Orange', 'Lee'], licenseTypes: ['COP', 'APS', 'SEATING'] };
		const truth = service.records.filter(
			({ address, licenseType }) =>
				filters.counties.includes(address?.county ?? '') &&
				filters.licenseTypes.includes(licenseType ?? ''),
		);
		expect(await all(service, filters)).toBe(truth.length);
		expect(service.requests).toHaveLength(6);
	});
});

const truthBy = (records: License[], valueOf: (license: License) => string) => {
	const counts = new Map<string, number>();
	for (const license of records) {
		counts.set(valueOf(license), (counts.get(valueOf(license)) ?? 0) + 1);
	}
	return counts;
};

describe('Count in groups', () => {
	it('asks once a group, side by side, and returns the largest first, with zeros', async () => {
		const service = new ListService(register(9000), { turns: () => 3 });
		const { items } = await run(service, { groupBy: 'licenseType' });
		const truth = truthBy(service.records, ({ licenseType }) => licenseType ?? '');
		expect(items.map(({ count: size }) => size)).toEqual(
			LICENSE_TYPES.map(({ value }) => truth.get(value) ?? 0).sort((a, b) => b - a),
		);
		expect(items[0]).toEqual({
			count: Math.max(...truth.values()),
			licenseType: 'BEV',
			licenseTypeName: 'Beverage (BEV)',
		});
		expect(Math.max(...service.requests.map(({ underWay }) => underWay))).toBeGreaterThan(1);
	});

	it('fails where a group cannot be asked for, instead of counting none of it', async () => {
		const service = new ListService(register(9000), {
			before: ({ query }) =>
				query.license_type === 'COP' ? { statusCode: 403, body: {} } : undefined,
		});
		await expect(run(service, { groupBy: 'licenseType' })).rejects.toThrow('does not allow this');
	});

	it('makes a table of two, and takes at most two', async () => {
		const service = new ListService(register(9000));
		const { items, hints } = await run(service, { groupBy: 'event type, county' });
		const truth = truthBy(service.records, (one) => `${one.eventType} ${one.address?.county}`);
		expect(items).toHaveLength(EVENT_TYPES.length * COUNTIES.length);
		for (const { count: size, eventType, county } of items) {
			expect(size).toBe(truth.get(`${String(eventType)} ${String(county)}`) ?? 0);
		}
		expect(items[0]).toHaveProperty('eventTypeName');
		expect(hints).toEqual([`Requests for this count: ${service.requests.length}`]);
		const message = "'Group By' has 3 entries";
		const description = 'Choose at most 2, or count several times.';
		const groupBy = ['city', 'county', 'status'];
		await expect(run(service, { groupBy })).rejects.toMatchObject({ message, description });
	});

	it('shows only the values that a filter leaves', async () => {
		const service = new ListService(register(9000));
		const filters = { counties: ['Lee', 'Bay'] };
		const { items } = await run(service, { filters, groupBy: 'county' });
		expect(items).toEqual(
			['Lee', 'Bay'].map((county) => ({ count: service.list({ county }).length, county })),
		);
	});

	it.each([
		['city', ['NOWHERE KEY', 'St. Petersburg', 'Tampa']],
		['status', ['active', 'expired', 'pending']],
	])('takes each %s as it is, in one spelling', async (groupBy, values) => {
		const { items } = await run(new ListService(register(900)), { groupBy });
		expect(items.map((item) => item[groupBy]).sort()).toEqual(values);
		expect(items.reduce((sum, { count: size }) => sum + Number(size), 0)).toBe(900);
	});

	it.each(['city', 'county', 'status'])(
		'has an item Other for what names no %s',
		async (groupBy) => {
			const records = [...register(9), license({ status: null, address: null })];
			const { items } = await run(new ListService(records), { groupBy });
			expect(items.at(-1)).toEqual({ count: 1, [groupBy]: 'Other' });
		},
	);

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
		expect(items).toEqual([
			{ count: 2, filingKind: 'newLicense', filingKindName: 'New License' },
			{ count: 1, filingKind: 'newHolder', filingKindName: 'New Holder' },
			{ count: 1, filingKind: 'notKnown', filingKindName: 'Not Known' },
		]);
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
	it('a city of a county, in days', async () => {
		const service = new ListService(register(3000));
		const filters = { cities: 'st petersburg', counties: 'Orange, Hillsborough' };
		const wanted = service.records.filter(
			({ address, filedDate }) =>
				address?.county === 'Orange' &&
				/Peter/.test(address.city ?? '') &&
				(filedDate ?? '') <= '2025-12-01',
		);
		expect(await all(service, { ...filters, filedBefore: '2025-12-01' })).toBe(wanted.length);
	});

	it('no further than the first day that is wanted, however long the list is', async () => {
		const service = new ListService(register(9000));
		const filters = { filedAfter: '2025-12-22', eventTypes: 'new_filing' };
		const wanted = service.records.filter(
			({ filedDate, eventType }) => (filedDate ?? '') >= '2025-12-22' && eventType === 'new_filing',
		);
		expect(await all(service, filters)).toBe(wanted.length);
		expect(service.requests.length).toBeLessThan(20);
	});

	it('as many as Florida has new filings, but a longer list is refused before it is read', async () => {
		const filings = register(9000);
		const tampa = filings.filter(({ address }) => /^tampa$/i.test(address?.city ?? ''));
		expect(await all(new ListService(filings), { cities: 'Tampa' })).toBe(tampa.length);
		const service = new ListService(register(20_001));
		await expect(all(service, { cities: 'Tampa' })).rejects.toMatchObject({
			message: 'The list to count has 20,001 licenses, too many to read',
			description: expect.stringMatching(
				/by city, ZIP code, distance or date, or group.*'Counties'.*Export/,
			),
		});
		expect(service.requests).toHaveLength(1);
	});

	const ignoring = (records: License[]) => {
		const service: ListService = new ListService(records, {
			before: ({ query: { county: _ignored, ...query } }) => ({
				statusCode: 200,
				body: service.page(query),
			}),
		});
		return service;
	};

	it('what matches, where the service ignores a filter', async () => {
		const records = register(900);
		const lee = records.filter(({ address }) => address?.county === 'Lee');
		expect(await all(ignoring(records), { counties: 'Lee' })).toBe(lee.length);
		const bay = records.filter(({ address }) => address?.county === 'Bay');
		const both = { counties: 'Lee, Bay' };
		expect(await all(ignoring(records), both)).toBe(lee.length + bay.length);
		// The first page is then as if the filter for Bay were applied.
		const others = records.filter((record) => !bay.includes(record));
		expect(await all(ignoring([...bay, ...others]), both)).toBe(lee.length + bay.length);
	});

	it('all of a list whose total is that of a page', async () => {
		const service: ListService = new ListService(register(171), {
			before: ({ query }) => {
				const body = service.page(query);
				body.pagination.total = body.data.length;
				return { statusCode: 200, body };
			},
		});
		expect(await all(service)).toBe(171);
	});

	it('all of it where the service ignores the filter of the groups, if it is not too long', async () => {
		const groupBy = 'county';
		const records = register(900);
		const truth = truthBy(records, ({ address }) => address?.county ?? '');
		const { items } = await run(ignoring(records), { groupBy });
		expect(items.slice(0, 4).map(({ county, count }) => [county, count])).toEqual(
			[...truth].sort(([, a], [, b]) => b - a),
		);
		await expect(run(ignoring(register(22_000)), { groupBy })).rejects.toMatchObject({
			message: 'The list to count has 22,000 licenses, too many to read',
		});
	});
});
