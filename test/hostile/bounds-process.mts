import type { IDataObject } from 'n8n-workflow';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { operations, type Operation } from '../../nodes/LicensingData/actions/operations.ts';
import { LONGEST_COMPARED, MOST_WAITING } from '../../nodes/LicensingData/domain/bounds.ts';
import { plain } from '../../nodes/LicensingData/domain/comparableText.ts';
import { waitingBytes } from '../../nodes/LicensingData/domain/waitingBytes.ts';
import { readDelivery } from '../../nodes/LicensingData/webhook/delivery.ts';
import { ListService, runAction } from '../support/list-service.mts';
import { license } from '../support/records.mts';

/** Run with a heap of 512 MB: each subject, what came of it, and the most that waited meanwhile. */
interface Subject {
	what: string;
	operation?: Operation;
	parameters?: IDataObject;
	/** The body for a request; the first is 1. */
	body: (request: number, query: Record<string, string>) => string;
	status?: number;
	headers?: Record<string, string>;
	/** Part of what the user reads; how many items come otherwise. */
	bound: string | number;
}

const json = (value: unknown) => JSON.stringify(value);
const page = (data: unknown[], cursor: string | null = null, total = data.length) =>
	json({ data, pagination: { cursor, hasMore: cursor !== null, total } });
const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const TOO_DEEP = 'nested more than 50 levels deep';
const TOO_LARGE = 'is larger than 100 KB';
const TOO_MANY = 'more than 100,000 values';
const record = (more: object) => ({ ...license(), ...more });
const endless = (request: number, most: number) => (request < most ? `c${request}` : null);
const match = { businessName: `${'ﷺ'.repeat(100)} Bar`, street: '1 Bay St', city: 'Tampa' };

const SUBJECTS: Subject[] = [
	{
		what: '1: a record with an ID of 1.9 MB, page after page',
		operation: 'getAll',
		parameters: { returnAll: true },
		body: (at) =>
			page([record({ id: 'x'.repeat(1_900_000), filedDate: `${at}` })], endless(at, 200), 200),
		bound: 200,
	},
	{
		what: '2: records of 90 KB, while another list answers slowly',
		operation: 'getAll',
		parameters: { returnAll: true, filters: { licenseTypes: ['COP', 'SRX'] } },
		body: (_, { license_type: type, cursor }) => {
			const number = Number(cursor?.slice(1) ?? 0);
			const eventTimestamp = type === 'COP' ? '2026-07-03T00:00:00Z' : '2026-07-02T00:00:00Z';
			const data = Array.from({ length: 20 }, (_, index) =>
				record({ id: `${type}${number}-${index}`, eventTimestamp, note: 'x'.repeat(90_000) }),
			);
			return page(data, number < 49 ? `c${number + 1}` : null, 1000);
		},
		bound: 2000,
	},
	{
		what: '3: two megabytes of empty objects',
		operation: 'getAll',
		parameters: { filters: { counties: 'Palm Beach' } },
		body: () => `{"data":[${'{},'.repeat(660_000)}{}]}`,
		bound: TOO_MANY,
	},
	{
		what: '4: letters that stand for eighteen, from the user and the service',
		operation: 'match',
		parameters: match,
		body: () => page([record({ businessName: 'ﷺ'.repeat(1000), dbaName: 'ﷺ'.repeat(200) })]),
		bound: 1,
	},
	{
		what: '5: a record with 200,000 keys',
		operation: 'getAll',
		body: () => `{"data":[{${Array.from({ length: 200_000 }, (_, key) => `"${key}":0`).join()}}]}`,
		bound: TOO_MANY,
	},
	...['street', 'legalName', 'city'].map((field) => ({
		what: `6: a ${field} of a megabyte`,
		operation: 'match' as const,
		parameters: match,
		body: () =>
			page([record({ [field]: 'a '.repeat(500_000), address: { [field]: 'a '.repeat(50_000) } })]),
		bound: TOO_LARGE,
	})),
	{
		what: '7 and 11: headers of 16 KB that say nothing is left',
		operation: 'getAll',
		body: () => page([license()]),
		headers: {
			ratelimit: `"default";r=0;t=${'9'.repeat(16_000)}`,
			'x-ratelimit-remaining': '0',
			'x-ratelimit-reset': '9'.repeat(16_000),
		},
		bound: 1,
	},
	...(['getAll', 'get', 'search', 'match', 'count', 'export'] as const).map((operation) => ({
		what: `12: ${operation} is answered a hundred thousand levels deep`,
		operation,
		body: () => `{"data":${deep}}`,
		bound: TOO_DEEP,
	})),
	{
		what: '12: a refusal whose words are a hundred thousand levels deep',
		operation: 'getAll',
		status: 422,
		body: () => `{"error":{"message":${deep},"param":${deep}}}`,
		bound: 'The service gave no reason',
	},
];

const PARAMETERS: Partial<Record<Operation, IDataObject>> = {
	get: { licenseId: 'lic_1' },
	search: { query: 'bar' },
	match,
};

async function run({ operation = 'getAll', parameters, body, status, headers }: Subject) {
	let mostWaiting = 0;
	const service: ListService = new ListService([], {
		before: ({ query }, count) => ({
			statusCode: status ?? 200,
			headers,
			text: body(count, query),
		}),
		turns: ({ query }) => (query.license_type === 'COP' ? 9 : 1),
	});
	const handedOn = () => void (mostWaiting = Math.max(mostWaiting, waitingBytes.bytes));
	try {
		const all = { ...PARAMETERS[operation], ...parameters };
		const action = operations[operation] as Action;
		const helpers = {
			prepareBinaryData: async (stream: AsyncIterable<unknown>) => {
				let bytes = 0;
				for await (const chunk of stream) bytes += String(chunk).length;
				return { bytes };
			},
		};
		const { items } = await runAction(action, service, all, {
			handedOn,
			helpers: helpers as never,
		});
		return { came: items.length, mostWaiting };
	} catch (error) {
		const { message, description } = error as Error & { description?: string };
		return { came: `${message}. ${description}`, mostWaiting };
	}
}

for (const subject of SUBJECTS) {
	const { came, mostWaiting } = await run(subject);
	const isHeld =
		typeof subject.bound === 'number'
			? came === subject.bound
			: String(came).includes(subject.bound);
	console.log(
		json({
			what: subject.what,
			isHeld,
			came: String(came).slice(0, 300),
			isBounded: mostWaiting <= MOST_WAITING + 2 * 4_000_000 && waitingBytes.bytes === 0,
		}),
	);
}
console.log(
	json({
		what: '4: a text that is compared',
		isHeld: plain('ﷺ'.repeat(LONGEST_COMPARED * 2)).length <= 200,
		isBounded: true,
	}),
	json({
		what: '12: a delivery a hundred thousand levels deep',
		isHeld: readDelivery(Buffer.from(`{"data":${deep}}`)) === undefined,
		isBounded: true,
	}).replace(/^/, '\n'),
);
