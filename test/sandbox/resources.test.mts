import { describe, expect, it } from 'vitest';

import { counties } from '../../sandbox/dataset/florida.mts';
import { eventTypes, licenseTypes, type License } from '../../sandbox/dataset/license.mts';
import { started } from './client.mts';

const isDate = /^\d{4}-\d{2}-\d{2}$/;
const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

async function testRecords(): Promise<License[]> {
	const { sandbox, client } = await started();
	return await client.all({}, sandbox.keys.test);
}

describe('2. Resources and their fields', () => {
	it('gives every license an id of its own, with the prefix', async () => {
		const ids = (await testRecords()).map(({ id }) => id);
		expect(ids.every((id) => /^lic_\w+$/.test(id))).toBe(true);
		expect(new Set(ids).size).toBe(ids.length);
	});

	it('writes a license number as type, year and digits', async () => {
		for (const { licenseNumber, licenseType, filedDate } of await testRecords())
			expect(licenseNumber).toMatch(
				new RegExp(`^${licenseType}-${filedDate?.slice(0, 4)}-\\d{6,}$`),
			);
	});

	it('shows all seven license types and no other', async () => {
		const types = new Set((await testRecords()).map(({ licenseType }) => licenseType));
		expect([...types].sort()).toEqual([...licenseTypes].sort());
	});

	it('shows all five event types and no other', async () => {
		const types = new Set((await testRecords()).map(({ eventType }) => eventType));
		expect([...types].sort()).toEqual([...eventTypes].sort());
	});

	it('gives every status as a lowercase word', async () => {
		for (const { status } of await testRecords()) expect(status).toMatch(/^[a-z]+$/);
	});

	it('gives every license a business name, and a legal name where one is filed', async () => {
		const records = await testRecords();
		for (const { businessName } of records) expect(businessName).toMatch(/\w+ \w+/);
		const legalNames = records.map(({ legalName }) => legalName);
		expect(legalNames).toContain(null);
		expect(legalNames.filter((name) => name !== null).length).toBeGreaterThan(450);
	});

	it('leaves the trade name null or away on some licenses', async () => {
		const records = await testRecords();
		expect(records.some((record) => record.dbaName === null)).toBe(true);
		expect(records.some((record) => !('dbaName' in record))).toBe(true);
		expect(records.some((record) => typeof record.dbaName === 'string')).toBe(true);
	});

	it('writes filing and effective dates as YYYY-MM-DD, with none in effect while pending', async () => {
		for (const { filedDate, effectiveDate, status } of await testRecords()) {
			expect(filedDate).toMatch(isDate);
			if (status === 'pending') expect(effectiveDate).toBeNull();
			else expect(effectiveDate).toMatch(isDate);
		}
	});

	it('writes the event timestamp as an ISO 8601 date and time, never before the filing', async () => {
		for (const { eventTimestamp, filedDate } of await testRecords()) {
			expect(eventTimestamp).toMatch(isTime);
			expect(eventTimestamp! >= filedDate!).toBe(true);
		}
	});

	it('links a source where there is one', async () => {
		const sources = (await testRecords()).map(({ sourceUrl }) => sourceUrl);
		expect(sources.filter((source) => source === undefined).length).toBeGreaterThan(0);
		for (const source of sources.filter((one) => one !== undefined))
			expect(new URL(source).protocol).toBe('https:');
	});

	it('fills an address with street, city, county, state and zip', async () => {
		for (const { address } of await testRecords()) {
			expect(Object.keys(address!)).toEqual([
				'street',
				'city',
				'county',
				'state',
				'zip',
				'lat',
				'lng',
			]);
			expect(address).toMatchObject({ state: 'FL', zip: expect.stringMatching(/^3[2-4]\d{3}$/) });
		}
	});

	it('covers all 67 Florida counties', async () => {
		const named = new Set((await testRecords()).map(({ address }) => address?.county));
		expect(counties.length).toBe(67);
		expect([...named].sort()).toEqual(counties.map(({ name }) => name).sort());
	});

	it('puts latitude and longitude within a kilometer of the city they name', async () => {
		const centers = new Map(
			counties.flatMap(({ name, cities }) =>
				cities.map(([city, latitude, longitude]) => [`${city}, ${name}`, { latitude, longitude }]),
			),
		);
		for (const { address } of await testRecords()) {
			const center = centers.get(`${address?.city}, ${address?.county}`);
			expect(center).toBeDefined();
			if (address?.lat === null) continue;
			expect(Math.abs(address!.lat - center!.latitude)).toBeLessThan(0.006);
			expect(Math.abs(address!.lng! - center!.longitude)).toBeLessThan(0.006);
		}
	});

	it('has neither street nor coordinates for some mobile food', async () => {
		const mobile = (await testRecords()).filter(({ licenseType }) => licenseType === 'MOBILE_FOOD');
		const roaming = mobile.filter(({ address }) => address?.street === null);
		expect(roaming.length).toBeGreaterThan(0);
		expect(roaming.length).toBeLessThan(mobile.length);
		for (const { address } of roaming) expect(address).toMatchObject({ lat: null, lng: null });
	});

	it('gives a cursor and hasMore while a further page exists, and null and false on the last', async () => {
		const { client } = await started({ records: 5 });
		const first = await client.list({ limit: 3 });
		expect(first.body.pagination).toEqual({
			cursor: expect.any(String),
			hasMore: true,
			total: 5,
			limit: 3,
		});
		const last = await client.list({ limit: 3, cursor: first.body.pagination.cursor! });
		expect(last.body.pagination).toEqual({ cursor: null, hasMore: false, total: 5, limit: 3 });
	});

	it('ends with a full page when the records fill it exactly', async () => {
		const { client } = await started({ records: 6 });
		const first = await client.list({ limit: 3 });
		const last = await client.list({ limit: 3, cursor: first.body.pagination.cursor! });
		expect(last.body.data).toHaveLength(3);
		expect(last.body.pagination).toMatchObject({ cursor: null, hasMore: false });
	});

	it('counts in total the records that match the filters', async () => {
		const { client, sandbox } = await started();
		const active = sandbox.live.records().filter(({ status }) => status === 'active');
		const { body } = await client.list({ status: 'active', limit: 1 });
		expect(body.pagination.total).toBe(active.length);
	});

	it('puts type and message into the one member error of an Error', async () => {
		const { client } = await started();
		const { body } = await client.fault('/licenses/none');
		expect(body).toEqual({
			error: { type: 'not_found', message: expect.stringContaining('none') },
		});
	});
});
