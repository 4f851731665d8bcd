import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { count } from '../../nodes/LicensingData/actions/count.operation.ts';
import { exportFile } from '../../nodes/LicensingData/actions/export.operation.ts';
import { getMany } from '../../nodes/LicensingData/actions/getMany.operation.ts';
import { keepFiles } from '../support/binary-data.mts';
import { ListService, runAction } from '../support/list-service.mts';

const FILTERS = { counties: 'Lee', status: 'actve' };
const HINT =
	"No license with this 'Status' matches the filters. The newest licenses have: Active, Pending.";

const register = [
	{ id: 'lic_1', status: 'Pending', address: { county: 'Lee' } },
	{ id: 'lic_2', status: 'Active', address: { county: 'Lee' } },
	{ id: 'lic_3', status: 'Revoked', address: { county: 'Bay' } },
];

describe.each([
	['Get Many', getMany, []],
	['Count', count, [expect.objectContaining({ count: 0 })]],
	['Export', exportFile, [expect.objectContaining({ count: 0 })]],
])('%s', (_, action, nothing) => {
	async function run(filters: IDataObject, service = new ListService(register)) {
		const { helpers } = await keepFiles('on disk');
		const ran = await runAction(action as Action, service, { filters }, { helpers });
		const asked = service.requests.map(({ query }) => JSON.stringify(query));
		return { hints: ran.hints, items: ran.items.map(({ json }) => json), asked };
	}

	it('names the statuses that there are if no license has the one that was typed', async () => {
		expect(await run(FILTERS)).toMatchObject({ hints: [HINT], items: nothing });
	});

	it.each([
		['something was found', { counties: 'Lee', status: 'active' }],
		['no status was asked for', { counties: 'Clay' }],
		['there is no license of any status', { counties: 'Clay', status: 'active' }],
	])('says nothing of statuses if %s', async (_case, filters) => {
		const { hints } = await run(filters);
		expect(hints.filter((line) => line.includes('Status'))).toEqual([]);
	});

	it('returns the empty result also if the service refuses to say which statuses there are', async () => {
		const body = { error: { message: 'Not without a status' } };
		const before = ({ query }: { query: IDataObject }) =>
			query.status === undefined ? { statusCode: 403, body } : undefined;
		const service = new ListService(register, { before });
		expect(await run({ status: 'actve' }, service)).toMatchObject({ hints: [], items: nothing });
	});
});
