import { describe, expect, it } from 'vitest';

import { counties } from '../../sandbox/dataset/florida.mts';
import { eventTypes, licenseTypes, type License } from '../../sandbox/dataset/license.mts';
import { started } from './client.mts';

async function testRecords(): Promise<License[]> {
	const { sandbox, client } = await started();
	return await client.all({}, sandbox.keys.test);
}

describe('2. Resources and their fields', () => {
	it('gives every license an id and a number of its own, the number with type and year', async () => {
		const records = await testRecords();
		for (const { licenseNumber, licenseType, filedDate } of records)
			expect(licenseNumber).toMatch(
				new RegExp(`^${licenseType}-${filedDate?.slice(0, 4)}-\\d{6,}$`),
			);
		for (const names of [records.map(({ id }) => id), records.map((one) => one.licenseNumber)])
			expect(new Set(names).size).toBe(records.length);
	});

	it('shows all seven license types, five event types and 67 counties, and no other', async () => {
		const records = await testRecords();
		const shown = (valueOf: (record: License) => unknown) =>
			[...new Set(records.map(valueOf))].sort();
		expect(shown(({ licenseType }) => licenseType)).toEqual([...licenseTypes].sort());
		expect(shown(({ eventType }) => eventType)).toEqual([...eventTypes].sort());
		expect(counties.length).toBe(67);
		expect(shown(({ address }) => address?.county)).toEqual(
			counties.map(({ name }) => name).sort(),
		);
	});

	it('has no legal name, trade name, source or premises for some licenses', async () => {
		const records = await testRecords();
		const gaps: Array<(record: License) => boolean> = [
			({ legalName }) => legalName === null,
			({ dbaName }) => dbaName === null,
			(record) => !('dbaName' in record),
			(record) => !('sourceUrl' in record),
			({ address }) => address?.street === null && address.lat === null && address.lng === null,
		];
		for (const isGap of gaps) {
			const some = records.filter(isGap).length;
			expect(some).toBeGreaterThan(0);
			expect(some).toBeLessThan(records.length / 2);
		}
	});

	it('has no license in effect while it is pending, and no event before its filing', async () => {
		for (const { filedDate, effectiveDate, eventTimestamp, status } of await testRecords()) {
			expect(effectiveDate === null).toBe(status === 'pending');
			expect(eventTimestamp! >= filedDate!).toBe(true);
		}
	});

	it('gives a cursor and hasMore while a further page exists, and null and false on the last', async () => {
		const { client } = await started({ records: 6 });
		const first = await client.list({ limit: 3 });
		expect(first.body.pagination).toEqual({
			cursor: expect.any(String),
			hasMore: true,
			total: 6,
			limit: 3,
		});
		const last = await client.list({ limit: 3, cursor: first.body.pagination.cursor! });
		expect(last.body.data).toHaveLength(3);
		expect(last.body.pagination).toEqual({ cursor: null, hasMore: false, total: 6, limit: 3 });
	});
});
