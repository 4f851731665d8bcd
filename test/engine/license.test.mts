import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';
import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	it,
	onTestFinished,
	vi,
} from 'vitest';

import type { Filter } from '../../nodes/LicensingData/parameters/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/parameters/licenseFilters.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { createSandbox, type Sandbox, type Trouble } from '../../sandbox/index.mts';
import { compiled } from '../support/compiled.mts';
import type { RunOptions } from '../support/host.mts';
import { ids, runLicense } from '../support/nodes.mts';
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

const getMany = (
	filters: IDataObject = {},
	{ credentials } = sandbox,
	more: Partial<RunOptions> = {},
) =>
	runLicense(
		{ operation: 'getAll', filters, returnAll: true },
		{ ...compiled('LicensingData'), credentials, ...more },
	);

type Truth = ReturnType<Sandbox['live']['records']>[number];

const idsWhere = (holds: (license: Truth) => boolean) =>
	sandbox.live
		.records()
		.filter(holds)
		.map(({ id }) => id);

/** The last word of the editor's example, or a choice that some record has. */
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
});

describe('The compiled node in trouble', () => {
	beforeEach(() => void skipWaits());
	afterEach(() => vi.restoreAllMocks());

	it.each<[string, Trouble]>([
		['a rate limit', { kind: 'rateLimit' }],
		['a connection that drops at once', { kind: 'droppedConnection' }],
		['a connection that drops in the middle', { kind: 'droppedBody' }],
	])('brings the whole list in spite of %s', async (_, trouble) => {
		sandbox.trouble.next(trouble, { withCursor: true });
		const ran = await getMany();
		expect(ran.error).toBeUndefined();
		expect(ids(ran)).toEqual(idsWhere(() => true));
		expect(sandbox.trouble.pending).toBe(0);
	});
});

describe('The compiled node on a long list', () => {
	async function longList(records: number): Promise<Sandbox> {
		const long = await createSandbox({ records });
		onTestFinished(() => long.close());
		return long;
	}

	it('brings all of it by its parts, newest first', async () => {
		const long = await longList(3000);
		const { items, error } = await getMany({}, long);
		expect(error).toBeUndefined();
		const read = items.map(({ json }) => json);
		const times = read.map(({ eventTimestamp }) => Date.parse(String(eventTimestamp)));
		expect(times).toEqual([...times].sort((a, b) => b - a));
		// The order of records of the same moment is open.
		const byId = (records: object[]) =>
			records.map((record) => JSON.stringify(record)).sort((a, b) => (a < b ? -1 : 1));
		expect(byId(read)).toEqual(byId(long.live.records()));
		const types = long.requests.entries.map(({ query }) => query.license_type);
		expect(new Set(types.filter(Boolean)).size).toBe(7);
	});

	it('asks for nothing more when its execution is stopped', async () => {
		const long = await longList(5000);
		let countAtStop = Number.NaN;
		let release = () => {};
		const held = new Promise<void>((resolve) => (release = resolve));
		const cancel = (stop: () => void) =>
			void long.trouble.betweenPages(async (pages) => {
				if (pages === 10) {
					countAtStop = long.requests.count;
					stop();
				}
				if (pages >= 10) await held;
			});
		const { run } = await getMany({}, long, { cancel });
		expect(run.status).not.toBe('success');
		release();
		// Whatever these answers made it request would have arrived before the last of this.
		for (let turn = 0; turn < 50; turn++) await fetch(new URL('/', long.baseUrl));
		// What was in flight when the execution was stopped may still arrive.
		expect(long.requests.count).toBeLessThanOrEqual(countAtStop + 7);
	});
});
