import { describe, expect, it } from 'vitest';

import { simulatedClock } from '../../sandbox/index.mts';
import { started } from './client.mts';

const DAY = 24 * 3_600_000;
const start = '2026-09-24T12:00:00Z';

describe('The living dataset', () => {
	it('brings all five events as time passes, some late, hours below the top, and some in bursts', async () => {
		const clock = simulatedClock(start);
		const { sandbox } = await started({ clock, rate: 1 });
		await clock.advance(2 * DAY);
		expect(sandbox.live.records().length).toBeGreaterThan(300);
		const { events } = sandbox.live;
		expect(new Set(events.map(({ eventType }) => eventType)).size).toBe(5);
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
		// One a minute.
		expect(perMoment.size).toBeGreaterThan(2600);
		expect(perMoment.size).toBeLessThan(3200);
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
			legalName: 7,
			eventTimestamp: '2026-09-24T08:00:00.123+02:00',
			address: { county: 'MIAMI-DADE COUNTY', city: 'Opa-locka', zip: ['33054'] },
			licensee: 'a field of tomorrow',
		};
		const { id } = sandbox.live.insert(planted);
		const { body } = await client.get(id);
		expect(body.data).toMatchObject(planted);
		expect((await client.all({ q: 'unlikely opa-locka' })).map((one) => one.id)).toEqual([id]);
		expect((await client.all({ county: 'miami dade' })).map((one) => one.id)).toContain(id);
	});

	it('finds what is planted and no text by no filter and no search', async () => {
		const { sandbox, client } = await started({ checkAnswers: false });
		for (const odd of [null, 7, true]) {
			const planted = { businessName: odd, status: odd, address: { city: odd, county: odd } };
			const { id } = sandbox.live.insert(planted);
			expect((await client.get(id)).body.data).toMatchObject(planted);
			for (const name of ['q', 'status', 'county'])
				expect((await client.all({ [name]: `${odd}` })).map((one) => one.id)).not.toContain(id);
		}
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
});

describe('3. States and transitions', () => {
	it.each([
		['a changed status', { status: 'suspended' }, 'status_change'],
		['a cancelled status', { status: 'cancelled' }, 'cancellation'],
		['another legal name', { legalName: 'Example Holdings LLC' }, 'ownership_transfer'],
		['nothing in particular', {}, 'renewal'],
	])('shows %s as the event it is', async (_what, patch, eventType) => {
		const { sandbox, client } = await started();
		const { id } = sandbox.live.records()[9]!;
		sandbox.live.update(id, patch);
		const { body } = await client.get(id);
		expect(body.data).toMatchObject({ ...patch, eventType });
	});

	it('moves an updated record to the top under a new timestamp, and leaves the total as it was', async () => {
		const { sandbox, client } = await started();
		const before = sandbox.live.records()[200]!;
		for (let time = 0; time < 5; time++) sandbox.live.update(before.id);
		const { body } = await client.list({ limit: 1 });
		expect(body.data[0]!.id).toBe(before.id);
		expect(body.data[0]!.eventTimestamp! > before.eventTimestamp!).toBe(true);
		expect(body.pagination.total).toBe(300);
		// No two events of a record share a key.
		expect(new Set(sandbox.live.events.map((event) => event.eventTimestamp)).size).toBe(5);
	});
});
