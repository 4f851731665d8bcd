import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Filter } from '../../nodes/LicensingData/fields/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/fields/filters.ts';
import type { License } from '../../nodes/LicensingData/license/license.ts';
import { createSandbox, type Sandbox, type Trouble } from '../../sandbox/index.mts';
import { runCompiled } from '../support/compiled.mts';
import type { RunOptions } from '../support/host.mts';
import { ids } from '../support/license-node.mts';
import { skipWaits } from '../support/waits.mts';

const RECORDS = 400;

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await createSandbox({ records: RECORDS, checkAnswers: true });
});
afterAll(async () => await sandbox.close());
beforeEach(() => {
	sandbox.requests.reset();
	sandbox.trouble.clear();
});

const run = (parameters: IDataObject, more?: Partial<RunOptions>) =>
	runCompiled({ baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.live }, parameters, more);

const getMany = (filters: IDataObject = {}, more: IDataObject = { returnAll: true }) =>
	run({ operation: 'getAll', filters, ...more });

type Truth = ReturnType<Sandbox['live']['records']>[number];

const idsWhere = (holds: (license: Truth) => boolean) =>
	sandbox.live
		.records()
		.filter(holds)
		.map(({ id }) => id);

/** The last word of what the editor shows as an example, or a choice that some record has. */
function exampleOf(filter: Filter): string {
	const [{ placeholder, options = [] }] = filter.fields;
	if (placeholder !== undefined) return String(placeholder.split(' ').at(-1));
	const choices = (options as INodePropertyOptions[]).map(({ value }) => String(value));
	return String(choices.find((choice) => idsMatched(filter, choice).length > 0));
}

const idsMatched = (filter: Filter, example: string): string[] => {
	const wanted = filter.read(() => example);
	return idsWhere((one) => filter.matches?.(one as unknown as License, wanted) ?? true).sort();
};

describe('The compiled node against the service', () => {
	it('brings every license, newest first, none twice', async () => {
		expect(ids(await getMany())).toEqual(idsWhere(() => true));
	});

	it.each(LIST_FILTERS.filter(({ query }) => query !== undefined))(
		'lets the service filter by $query, of which it lists what the filter matches',
		async (filter) => {
			const name = String(filter.query);
			const example = exampleOf(filter);
			const found = ids(await getMany({ [filter.fields[0].name]: example })).sort();
			expect(found.length).toBeGreaterThan(0);
			expect(found.length).toBeLessThan(RECORDS);
			expect(sandbox.requests.entries.filter(({ query }) => !(name in query))).toEqual([]);
			if (filter.matches) expect(found).toEqual(idsMatched(filter, example));
		},
	);

	it('knows a county in any spelling', async () => {
		const wanted = idsWhere(({ address }) => address?.county === 'Miami-Dade');
		expect(wanted.length).toBeGreaterThan(0);
		expect(ids(await getMany({ county: 'miami-dade county' }))).toEqual(wanted);
	});

	it('filters by the day of filing, both ends included', async () => {
		const days = sandbox.live
			.records()
			.map(({ filedDate }) => String(filedDate))
			.sort();
		const [filedAfter, filedBefore] = [String(days[100]), String(days[300])];
		const wanted = idsWhere(({ filedDate }) => {
			const day = String(filedDate);
			return day >= filedAfter && day <= filedBefore;
		});
		expect(ids(await getMany({ filedAfter, filedBefore }))).toEqual(wanted);
	});

	it('asks for no page more than it needs', async () => {
		expect((await getMany({}, { limit: 60 })).items).toHaveLength(60);
		expect(sandbox.requests.count).toBe(2);
	});

	it('gets one license by its ID and by its number', async () => {
		const [first] = sandbox.live.records();
		for (const value of [first?.id, first?.licenseNumber]) {
			const ran = await run({ operation: 'get', licenseId: { __rl: true, mode: 'id', value } });
			expect(ran.items.map(({ json }) => json)).toEqual([first]);
		}
	});

	it('finds by words', async () => {
		const city = String(sandbox.live.records()[0]?.address?.city);
		const ran = await run({ operation: 'search', query: city, limit: 5 });
		expect(ran.items.length).toBeGreaterThan(0);
		expect(ran.items.length).toBeLessThanOrEqual(5);
		expect(JSON.stringify(ran.items[0]?.json).toLowerCase()).toContain(city.toLowerCase());
	});

	it('pairs the licenses of several items with theirs', async () => {
		const [first, second] = sandbox.live.records();
		const ran = await run(
			{ operation: 'get', licenseId: { __rl: true, mode: 'id', value: '={{ $json.license }}' } },
			{
				items: [{ license: first?.id }, { license: 'lic_nowhere' }, { license: second?.id }],
				continueOnFail: true,
			},
		);
		expect(ran.items.map(({ json, pairedItem }) => [json.id ?? json.error, pairedItem])).toEqual([
			[first?.id, { item: 0 }],
			["No license matches 'lic_nowhere' [item 1]", { item: 1 }],
			[second?.id, { item: 2 }],
		]);
	});

	it.each(['ls_test_nobody', 'ls_live_nobody'])('is refused with the key %s', async (apiKey) => {
		const { error, stored } = await runCompiled(
			{ baseUrl: sandbox.baseUrl, apiKey },
			{ operation: 'getAll' },
		);
		expect(error).toMatchObject({ message: 'The API key was not accepted', httpCode: '401' });
		expect(stored).not.toContain(apiKey);
	});

	it('leaves no key in what n8n stores', async () => {
		const { stored } = await getMany();
		expect(stored).toContain(String(sandbox.live.records()[0]?.id));
		expect(stored).not.toContain(sandbox.keys.live);
	});
});

describe('The compiled node in trouble', () => {
	beforeEach(() => void skipWaits());
	afterEach(() => vi.restoreAllMocks());

	it.each<[string, Trouble]>([
		['a rate limit with a wait in seconds', { kind: 'rateLimit', retryAfter: 0 }],
		['a rate limit with a date', { kind: 'rateLimit', retryAfter: { dateInSeconds: 0 } }],
		['a rate limit without a word', { kind: 'rateLimit' }],
		['a service that is busy', { kind: 'error', status: 503 }],
		['a proxy that lost the service', { kind: 'htmlPage' }],
		['a connection that drops at once', { kind: 'droppedConnection' }],
		['a connection that drops in the middle', { kind: 'droppedBody' }],
	])('brings the whole list in spite of %s', async (_, trouble) => {
		sandbox.trouble.next(trouble, { withCursor: true });
		const ran = await getMany();
		expect(ran.error).toBeUndefined();
		expect(ids(ran)).toEqual(idsWhere(() => true));
		expect(sandbox.trouble.pending).toBe(0);
	});

	it.each<[string, Trouble, string]>([
		['JSON that breaks off', { kind: 'truncatedBody' }, 'The answer is JSON that breaks off'],
		['a web page', { kind: 'htmlPage', status: 200 }, 'The answer is a web page'],
		['an answer of another shape', { kind: 'wrongShape' }, 'a list of licenses in'],
		['a cursor that has expired', { kind: 'expiredCursor' }, 'The service says'],
		['an error body without a type', { kind: 'untypedError', status: 400 }, 'The service says'],
	])('brings nothing at all rather than half a list at %s', async (_, trouble, words) => {
		sandbox.trouble.next(trouble, { withCursor: true });
		const ran = await getMany();
		expect(ran.items).toEqual([]);
		expect(ran.error?.name).toBe('NodeApiError');
		expect(ran.error?.description).toContain(words);
		expect(ran.stored).not.toContain(sandbox.keys.live);
	});
});
