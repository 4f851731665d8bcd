import { describe, expect, it } from 'vitest';

import { started } from './client.mts';

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
		sandbox.live.update(before.id);
		const { body } = await client.list({ limit: 1 });
		expect(body.data[0]!.id).toBe(before.id);
		expect(body.data[0]!.eventTimestamp! > before.eventTimestamp!).toBe(true);
		expect(body.pagination.total).toBe(300);
	});

	it('keeps id, number, name and place of a record that changes hands', async () => {
		const { sandbox, client } = await started();
		const before = sandbox.live.records().find(({ legalName }) => legalName !== null)!;
		sandbox.live.update(before.id, { eventType: 'ownership_transfer', status: 'active' });
		const { body } = await client.get(before.id);
		const { id, licenseNumber, businessName, address, filedDate } = before;
		expect(body.data).toMatchObject({ id, licenseNumber, businessName, address, filedDate });
		expect(body.data.legalName).not.toBe(before.legalName);
	});

	it('never gives two events of a record one key', async () => {
		const { sandbox } = await started();
		const { id } = sandbox.live.insert();
		for (let time = 0; time < 5; time++) sandbox.live.update(id);
		const keys = sandbox.live.events.map((event) => `${event.eventType} ${event.eventTimestamp}`);
		expect(new Set(keys).size).toBe(6);
	});
});
