import { parse } from 'csv-parse/sync';
import type { IDataObject, INodePropertyOptions } from 'n8n-workflow';

import type { Filter } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { findZipCode } from '../../nodes/LicensingData/places/zipCodes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { createSandbox, type Sandbox, type Trouble } from '../../sandbox/index.mts';
import { keepFiles } from '../support/binary-data.mts';
import { compiled } from '../support/compiled.mts';
import { ids, pollerOf, runLicense } from '../support/nodes.mts';
import { skipWaits } from '../support/waits.mts';

const RECORDS = 400;

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await createSandbox({ records: RECORDS, today: '2026-09-24', rateLimits: 'off' });
});
afterAll(async () => await sandbox.close());
beforeEach(() => sandbox.requests.reset());

/** The last word of the editor's example, or a choice that some record has. */
function exampleOf(filter: Filter): string {
	const [{ placeholder, options = [] }] = filter.fields;
	if (placeholder !== undefined) return String(placeholder.split(' ').at(-1));
	const choices = (options as INodePropertyOptions[]).map(({ value }) => String(value));
	return String(choices.find((choice) => idsMatched(filter, choice).length > 0));
}

const idsMatched = (filter: Filter, example: string): string[] => {
	const wanted = filter.read(() => example);
	const all = sandbox.register.all() as unknown as Array<License & { id: string }>;
	return all.filter((one) => filter.matches?.(one, wanted!) ?? true).map(({ id }) => id);
};

it.each(LIST_FILTERS.filter(({ query }) => query !== undefined))(
	'The service filters by $query, and lists what the filter matches',
	async (filter) => {
		const example = exampleOf(filter);
		const filters = { [filter.fields[0].name]: example };
		const { credentials } = sandbox;
		const more = { ...compiled('LicensingData'), credentials };
		const found = ids(await runLicense({ operation: 'getAll', filters, returnAll: true }, more));
		expect(found.length).toBeGreaterThan(0);
		expect(found.length).toBeLessThan(RECORDS);
		for (const { query } of sandbox.requests.entries) expect(query).toHaveProperty(filter.query!);
		if (filter.matches) expect(found.sort()).toEqual(idsMatched(filter, example).sort());
	},
);

const ranExport = async (parameters: IDataObject, items: IDataObject[] = [{}]) => {
	const { credentials } = sandbox;
	const more = { ...compiled('LicensingData'), credentials, items };
	return await runLicense({ operation: 'export', ...parameters }, more);
};

it.each<[string, string, (text: string) => unknown]>([
	['csv', 'text/csv', (text) => parse(text, { columns: true, bom: true })],
	['json', 'application/json', JSON.parse],
	['jsonl', 'application/jsonl', (text) => JSON.parse(`[${text.trim().split('\n').join()}]`)],
])('Export writes every license once, as %s', async (format, mimeType, read) => {
	const store = await keepFiles('on disk');
	// All of Florida: nothing is left out, and each row says how far it is.
	const near = { area: { center: '33602', radius: 500 } };
	const filters = format === 'csv' ? { near } : {};
	const { items } = await ranExport({ format, filters });
	const fileName = expect.stringMatching(new RegExp(`^licenses-[-\\d]{10}\\.${format}$`)) as string;
	expect(items).toMatchObject([
		{ json: { count: RECORDS, fileName }, binary: { data: { mimeType } } },
	]);
	const written = read((await store.read(items[0])).toString('utf8')) as IDataObject[];
	const byId = (records: Array<{ id?: unknown }>) => new Map(records.map((one) => [one.id, one]));
	const records = byId(sandbox.register.all());
	expect(written).toHaveLength(RECORDS);
	if (format === 'csv') {
		expect(new Set(byId(written).keys())).toEqual(new Set(records.keys()));
		expect(Number(written[0]?.distanceMiles)).toBeLessThan(501);
	} else expect(byId(written)).toEqual(records);
});

it('Export writes a map once, and says how much of it is approximate', async () => {
	const store = await keepFiles('on disk');
	const { items, hints } = await ranExport({ format: 'geojson' }, [{}, {}]);
	expect(new Set(items.map(({ binary }) => binary?.data?.id)).size).toBe(1);
	expect(sandbox.requests.count).toBe(RECORDS / 50);
	const { features } = JSON.parse((await store.read(items[0])).toString('utf8')) as {
		features: Array<{ geometry: { coordinates: number[] }; properties: IDataObject }>;
	};
	const all = sandbox.register.all();
	const located = all.filter(({ address }) => typeof address?.lat === 'number');
	const places = located.map(({ id, address }) => [id, address?.lng, address?.lat]);
	const shown = features
		.filter(({ properties }) => !properties.isApproximate)
		.map(({ geometry, properties }) => [properties.id, ...geometry.coordinates]);
	expect(shown.sort()).toEqual(places.sort());
	const approximate = features.length - located.length;
	const known = all.filter(({ address }) => findZipCode(address?.zip));
	expect(approximate).toBe(known.length - located.length);
	const withoutCoordinates = RECORDS - features.length;
	expect(items[0]?.json).toMatchObject({ count: features.length, withoutCoordinates });
	expect(hints).toEqual([
		expect.stringMatching(new RegExp(`^${approximate} of .*'isApproximate'`)),
	]);
});

it.each<[string, string, Trouble]>([
	['a refused key', 'auth', { kind: 'error', status: 401 }],
	['a rate limit', 'rate_limited', { kind: 'rateLimit', retryAfter: 120 }],
	['a broken service', 'thrown', { kind: 'htmlPage', status: 502 }],
])(
	'The trigger tells n8n that %s is trouble of the kind %s, and goes on',
	async (_, errorKind, trouble) => {
		onTestFinished(() => sandbox.trouble.clear());
		const trigger = pollerOf(sandbox.credentials, {}, compiled('LicensingDataTrigger'));
		await trigger.activate();
		skipWaits();
		const { id } = sandbox.register.file({ licenseType: 'COP' });
		// The most requests that a poll makes.
		sandbox.trouble.next(trouble, { times: 6 });
		await expect(trigger.poll()).rejects.toThrow();
		expect(trigger.errorKinds.at(-1)).toBe(errorKind);
		sandbox.trouble.clear();
		vi.setSystemTime(Date.now() + 121_000);
		const { saved } = trigger;
		const examples = await trigger.fetchTestEvent();
		expect(examples?.map((example) => example.id)).toContain(id);
		expect(trigger.saved).toEqual(saved);
		expect((await trigger.poll()).map((item) => item.id)).toEqual([id]);
	},
);
