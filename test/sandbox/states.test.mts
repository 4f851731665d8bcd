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
		for (let time = 0; time < 5; time++) sandbox.live.update(before.id);
		const { body } = await client.list({ limit: 1 });
		expect(body.data[0]!.id).toBe(before.id);
		expect(body.data[0]!.eventTimestamp! > before.eventTimestamp!).toBe(true);
		expect(body.pagination.total).toBe(300);
		// No two events of a record share a key.
		expect(new Set(sandbox.live.events.map((event) => event.eventTimestamp)).size).toBe(5);
	});
});
