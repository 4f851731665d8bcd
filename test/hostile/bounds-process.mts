import type { IDataObject } from 'n8n-workflow';

import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { operations, type Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { ListService, runAction } from '../support/list-service.mts';
import { license } from '../support/records.mts';

/** Run by bounds.test.mts, in a heap of 512 MB. Prints what came of each service. */
interface Subject {
	operation: Operation;
	parameters: IDataObject;
	/** The body for a request; the first is 1. */
	body: (request: number, query: Record<string, string>) => object;
	/** How many items come, or part of what the user reads instead. */
	bound: number | string;
}

const page = (data: object[], cursor: string | null = null, total = data.length) => ({
	data,
	pagination: { cursor, hasMore: cursor !== null, total },
});
const many = (count: number, of: (index: number) => object) =>
	Array.from({ length: count }, (_, index) => of(index));
const record = (more: object) => ({ ...license(), ...more });
const NOTE = 'x'.repeat(90_000);
const counties = COUNTIES.map(({ value }) => value);

const SUBJECTS: Record<string, Subject> = {
	'records of 90 KB, while another list answers slowly': {
		operation: 'getAll',
		parameters: { returnAll: true, filters: { licenseTypes: ['COP', 'SRX'] } },
		body: (_, { license_type: type, cursor }) => {
			const number = Number(cursor?.slice(1) ?? 0);
			const eventTimestamp = `2026-07-0${type === 'COP' ? 3 : 2}T00:00:00Z`;
			const data = many(10, (index) =>
				record({ id: `${type}${number}-${index}`, eventTimestamp, note: NOTE }),
			);
			return page(data, number < 49 ? `c${number + 1}` : null, 500);
		},
		bound: 1000,
	},
	'a hundred lists to count, whose pages take almost a megabyte each, and do not end': {
		operation: 'count',
		parameters: { filters: { counties, cities: 'Tampa' } },
		body: (at) => {
			const note = NOTE.slice(0, 18_000);
			const data = many(50, (index) => record({ id: `${at}-${index}`, note }));
			return page(data, `c${at}`, 40);
		},
		bound: 'too many to read',
	},
	'ten counties of tiny records without an end, exported': {
		operation: 'export',
		// Without the columns of a table, which take most of the time.
		parameters: { format: 'jsonl', filters: { counties: counties.slice(0, 10) } },
		body: (at) => {
			const data = many(1000, (index) => ({ id: `${at}-${index}`, status: 'active' }));
			return { data, pagination: { cursor: `c${at}`, hasMore: true } };
		},
		bound: 'The list has more than 500,000 licenses',
	},
};

for (const [what, { operation, parameters, body, bound }] of Object.entries(SUBJECTS)) {
	const service = new ListService([], {
		before: ({ query }, count) => ({ statusCode: 200, text: JSON.stringify(body(count, query)) }),
		turns: ({ query }) => (query.license_type === 'COP' ? 9 : 1),
	});
	const came = await runAction(operations[operation] as OperationType, service, parameters)
		.then(({ items }) => items.length)
		.catch(({ message, description }) => `${message}. ${description}`);
	const isHeld = typeof bound === 'number' ? came === bound : String(came).includes(bound);
	console.log(JSON.stringify({ what, isHeld, came }));
}
