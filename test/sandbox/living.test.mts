import { describe, expect, it } from 'vitest';

import { simulatedClock, type License } from '../../sandbox/index.mts';
import { started } from './client.mts';

const DAY = 24 * 3_600_000;
const start = '2026-09-24T12:00:00Z';

describe('The living dataset', () => {
	it('stays as it is without a rate', async () => {
		const clock = simulatedClock(start);
		const { sandbox, client } = await started({ clock });
		const before = await client.all();
		await clock.advance(30 * DAY);
		expect(await client.all()).toEqual(before);
		expect(sandbox.live.events).toEqual([]);
	});

	it('brings filings, renewals, transfers, changes and cancellations as time passes', async () => {
		const clock = simulatedClock(start);
		const { sandbox, client } = await started({ clock, rate: 1 });
		await clock.advance(DAY);
		const { body } = await client.list({ limit: 1 });
		const { events } = sandbox.live;
		expect(new Set(events.map(({ eventType }) => eventType)).size).toBe(5);
		expect(body.pagination.total).toBeGreaterThan(300);
		const arrivals = new Set(events.map(({ visibleAt }) => visibleAt)).size;
		expect(arrivals).toBeGreaterThan(1300);
		expect(arrivals).toBeLessThan(1600);
	});

	it('brings some late, hours below the top, and some in bursts that share a timestamp', async () => {
		const { sandbox } = await started({ rate: 1 });
		sandbox.live.advance(2 * DAY);
		const { events } = sandbox.live;
		const hoursLate = events.map(
			({ visibleAt, eventTimestamp }) =>
				(Date.parse(visibleAt) - Date.parse(eventTimestamp!)) / 3_600_000,
		);
		expect(hoursLate.filter((hours) => hours > 1).length).toBeGreaterThan(20);
		expect(Math.max(...hoursLate)).toBeLessThan(24);
		const perMoment = new Map<string, number>();
		for (const { visibleAt } of events)
			perMoment.set(visibleAt, (perMoment.get(visibleAt) ?? 0) + 1);
		expect(Math.max(...perMoment.values())).toBeGreaterThan(20);
	});

	it('brings the same to everybody who starts it with the same seed at the same time', async () => {
		const [one, other, third] = await Promise.all(
			[5, 5, 6].map((seed) => started({ seed, rate: 2, records: 100 })),
		);
		for (const { sandbox } of [one!, other!, third!]) sandbox.live.advance(DAY / 4);
		expect(one!.sandbox.live.records()).toEqual(other!.sandbox.live.records());
		expect(one!.sandbox.live.records()).not.toEqual(third!.sandbox.live.records());
	});

	it('logs every event with when it came to be visible, and when it no longer was', async () => {
		const clock = simulatedClock(start);
		const { sandbox } = await started({ clock });
		const address = { county: 'Leon' };
		const { id } = sandbox.live.insert({ licenseType: 'SRX', status: 'pending', address });
		await clock.advance(60_000);
		sandbox.live.update(id, { status: 'active' });
		await clock.advance(60_000);
		sandbox.live.remove(id);
		const common = { id, county: 'Leon', licenseType: 'SRX' };
		expect(sandbox.live.events).toEqual([
			{
				...common,
				eventType: 'new_filing',
				eventTimestamp: '2026-09-24T12:00:00Z',
				status: 'pending',
				visibleAt: '2026-09-24T12:00:00Z',
				hiddenAt: '2026-09-24T12:01:00Z',
			},
			{
				...common,
				eventType: 'status_change',
				eventTimestamp: '2026-09-24T12:01:00Z',
				status: 'active',
				visibleAt: '2026-09-24T12:01:00Z',
				hiddenAt: '2026-09-24T12:02:00Z',
			},
		]);
	});

	it('plants any field, null and unknown ones included', async () => {
		const { sandbox, client } = await started({ checkAnswers: false });
		const planted = {
			licenseType: 'ROOFTOP',
			status: null,
			businessName: 'The Unlikely Name Ltd',
			legalName: null,
			eventTimestamp: '2026-09-24T08:00:00.123+02:00',
			address: { county: 'MIAMI-DADE COUNTY', city: 'Opa-locka' },
			licensee: 'a field of tomorrow',
		};
		const { id } = sandbox.live.insert(planted);
		const { body } = await client.get(id);
		expect(body.data).toMatchObject(planted);
		expect((await client.all({ q: 'unlikely opa-locka' })).map((one) => one.id)).toEqual([id]);
		expect((await client.all({ county: 'miami dade' })).map((one) => one.id)).toContain(id);
	});

	it('plants what is no text, no moment and no address, shows it so, and answers as before', async () => {
		const { sandbox, client } = await started({ checkAnswers: false, webhooks: true });
		const { live } = sandbox;
		const selection = { counties: ['leon'], events: ['renewal'], license_types: ['SRX'] };
		sandbox.webhooks!.registrations.add('live', { url: 'http://127.0.0.1:9/', ...selection });
		const known = live.records();
		const fields = [...Object.keys(known[0]!), 'licensee'];
		const parts = Object.keys(known[0]!.address!);
		const oddities = [null, 7, true, {}, [], '', 'null', 'yesterday', '2026-99-99', undefined];
		const patches = oddities.flatMap((oddity) => [
			...fields.map((field) => ({ [field]: oddity })),
			...parts.map((part) => ({ address: { [part]: oddity } })),
		]);
		for (const patch of patches) {
			expect(live.insert(patch)).toMatchObject(patch);
			expect(live.update(known.pop()!.id, patch)).toMatchObject(patch);
		}
		live.churn({ update: 30, insert: 5, remove: 30 });

		const records = JSON.parse(JSON.stringify(live.records())) as License[];
		expect(await client.all()).toEqual(records);
		const includes = (word: string) => (record: License) =>
			[record.businessName, record.address?.city, record.address?.county].some(
				(text) => typeof text === 'string' && text.toLowerCase().includes(word),
			);
		const filters: Array<[Record<string, string>, (record: License) => boolean]> = [
			[{ status: 'active' }, ({ status }) => status === 'active'],
			[{ status: 'null' }, ({ status }) => status === 'null'],
			[{ status: '7' }, () => false],
			[{ county: 'leon' }, ({ address }) => address?.county === 'Leon'],
			[{ county: 'null' }, ({ address }) => address?.county === 'null'],
			[{ county: '-' }, () => false],
			[{ license_type: 'SRX' }, ({ licenseType }) => licenseType === 'SRX'],
			[{ event_type: 'renewal' }, ({ eventType }) => eventType === 'renewal'],
			[{ q: 'yesterday' }, includes('yesterday')],
			[{ q: 'e' }, includes('e')],
			[{ q: '7' }, () => false],
		];
		for (const [filter, isWanted] of filters)
			expect([filter, await client.all(filter)]).toEqual([filter, records.filter(isWanted)]);
	});

	it('puts an event whose timestamp names no moment on top, until the next one', async () => {
		const { sandbox, client } = await started({ checkAnswers: false });
		const first = sandbox.live.insert({ eventTimestamp: 'yesterday' });
		const { id } = sandbox.live.records()[9]!;
		sandbox.live.update(id, { eventTimestamp: undefined });
		const last = sandbox.live.insert();
		const { data } = (await client.list({ limit: 3 })).body;
		expect(data.map((license) => license.id).sort()).toEqual([first.id, id, last.id].sort());
		expect(data.map(({ eventTimestamp }) => eventTimestamp)).toContain('yesterday');
		expect(data.find((license) => license.id === id)).not.toHaveProperty('eventTimestamp');
	});

	it('forgets what was planted in a field once that field is given anew', async () => {
		const { sandbox, client } = await started({ checkAnswers: false });
		const odd = { status: 7, licenseType: 8, businessName: null, address: { city: 'Plainfield' } };
		const { id } = sandbox.live.insert(odd);
		const even = { status: 'active', licenseType: 'SRX', businessName: 'Even Name' };
		sandbox.live.update(id, { ...even, address: { county: 'Leon' } });
		const { data } = (await client.get(id)).body;
		expect(data).toMatchObject({ ...even, address: { city: 'Plainfield', county: 'Leon' } });
		expect((await client.all({ q: 'even plainfield leon' })).length).toBe(1);
		expect(sandbox.live.update(id, { address: null }).address).toBeNull();
		expect(await client.all({ q: 'even leon' })).toEqual([]);
	});

	it('refuses to update or remove what it does not have', async () => {
		const { sandbox } = await started();
		expect(() => sandbox.live.update('lic_unknown')).toThrow("no record 'lic_unknown'");
		expect(() => sandbox.live.remove('lic_unknown')).toThrow("no record 'lic_unknown'");
	});
});
