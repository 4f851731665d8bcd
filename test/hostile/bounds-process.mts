import type { IDataObject } from 'n8n-workflow';

import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { ListService, runOn } from '../support/list-service.mts';

/** Run by bounds.test.mts, in a small heap. Prints what came of each service, none of which comes to an end. */
const counties = COUNTIES.map(({ value }) => value);
const records = (count: number, request: number, more: object) =>
	Array.from({ length: count }, (_, at) => ({ id: `${request}-${at}`, status: 'active', ...more }));

async function print(operation: string, parameters: IDataObject, count: number, more: object) {
	const before = (_: unknown, request: number) => {
		const pagination = { cursor: `c${request}`, hasMore: true };
		return { body: { data: records(count, request, more), pagination } };
	};
	const service = new ListService([], { before });
	await runOn(service, { operation, ...parameters }).then(
		() => console.log('It ended'),
		({ message }: Error) => console.log(message),
	);
}

// A hundred lists, whose pages take half a megabyte each.
await print('count', { filters: { counties, cities: 'Tampa' } }, 50, { note: 'x'.repeat(9_000) });
// Without the columns of a table, which take most of the time.
await print('export', { format: 'jsonl', filters: { counties: counties.slice(0, 10) } }, 1000, {});
