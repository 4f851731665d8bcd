import type { IDataObject } from 'n8n-workflow';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { operations } from '../../nodes/LicensingData/actions/operations.ts';
import { createSandbox, type License, type StreamSandbox } from '../../sandbox/index.mts';
import { choicesOf, questions, type ShapeOptions } from '../../sandbox/shapes.mts';
import { pollerOf, runLicense } from '../support/nodes.mts';
import { sleepOnClock } from '../support/waits.mts';
import { WebhookHost } from '../support/webhook-node.mts';
import { COMPANIONS, EXPECTED, type Outcome } from './shapes.mts';

/** What an operation found, and what it should have found. */
interface Found {
	found: unknown[];
	wanted: unknown[];
}

/** Of the nodes and of the sandbox. */
const clock = { time: Date.parse('2026-09-24T12:00:00.500Z') };

beforeEach(() => sleepOnClock(clock));
afterEach(() => vi.restoreAllMocks());

const idsOf = (records: Array<{ id?: unknown }>): unknown[] => records.map(({ id }) => id);
const eventsOf = (records: IDataObject[]): string[] =>
	records.map(({ id, status }) => `${String(id)} ${String(status).toLowerCase()}`);
const isIn =
	(...counties: string[]) =>
	({ address }: License): boolean =>
		counties.includes(address?.county ?? '');

/** Whether an operation said so above its output. */
let saysMissing = false;

async function run(sandbox: StreamSandbox, parameters: IDataObject): Promise<IDataObject[]> {
	const ran = await runLicense(
		{ options: { retries: 1, timeout: 600_000 }, ...parameters },
		{ credentials: sandbox.credentials },
	);
	if (ran.error) throw ran.error;
	saysMissing ||= ran.hints.some((hint) => hint.includes('may be missing'));
	return ran.items.map(({ json }) => json);
}

const listed =
	(filters: IDataObject, isWanted: (license: License) => boolean) =>
	async (sandbox: StreamSandbox): Promise<Found> => ({
		found: idsOf(await run(sandbox, { operation: 'getAll', returnAll: true, filters })),
		wanted: idsOf(sandbox.live.records().filter(isWanted)),
	});

/** What users do, and what they then expect. */
const OPERATIONS: Record<string, (sandbox: StreamSandbox) => Promise<Found>> = {
	async Get(sandbox) {
		const { id, licenseNumber } = sandbox.live.records()[7]!;
		const found = await run(sandbox, { operation: 'get', licenseId: licenseNumber });
		return { found: idsOf(found), wanted: [id] };
	},
	'Get Many': listed({}, () => true),
	async Count(sandbox) {
		const found = await run(sandbox, { operation: 'count', groupBy: 'county' });
		const counties = sandbox.live.records().map(({ address }) => address?.county ?? '');
		const wanted = [...new Set(counties)].map(
			(county) => `${county} ${counties.filter((one) => one === county).length}`,
		);
		const groups = found.filter(({ count }) => count !== 0);
		return { found: groups.map(({ county, count }) => `${county} ${count}`), wanted };
	},
	async Export(sandbox) {
		const filters = { counties: 'St. Johns' };
		const [summary] = await run(sandbox, { operation: 'export', format: 'csv', filters });
		const wanted = sandbox.live.records().filter(isIn('St. Johns'));
		return { found: [summary?.count], wanted: [wanted.length] };
	},
	'Get Many of two counties': listed(
		{ counties: ['St. Johns', 'Miami-Dade'] },
		isIn('St. Johns', 'Miami-Dade'),
	),
	'Get Many of a type': listed(
		{ licenseTypes: ['COP'] },
		({ licenseType }) => licenseType === 'COP',
	),
	async Search(sandbox) {
		const { id } = sandbox.live.insert({
			businessName: 'The Purple Pelican Tavern',
			address: { county: 'Leon', city: 'Tallahassee' },
		});
		const found = await run(sandbox, { operation: 'search', query: 'purple pelican' });
		// Where one of the words is enough, others come along.
		return { found: idsOf(found).filter((one) => one === id), wanted: [id] };
	},
	async 'Search of a county'(sandbox) {
		const { id } = sandbox.live.insert({
			businessName: 'Zanzibar',
			address: { county: 'St. Johns', city: 'St. Augustine' },
		});
		sandbox.live.insert({ businessName: 'Zanzibar', address: { county: 'Leon' } });
		const filters = { counties: ['St. Johns'] };
		const found = await run(sandbox, { operation: 'search', query: 'Zanzibar', filters });
		return { found: idsOf(found), wanted: [id] };
	},
	async Match(sandbox) {
		const known = sandbox.live.records().filter(({ address }) => address?.street && address.zip);
		const found: unknown[] = [];
		for (const { businessName, address } of known.slice(0, 5)) {
			const { street, city, zip } = address!;
			const asked = { operation: 'match', businessName, street, city, zip };
			found.push(...idsOf(await run(sandbox, asked)));
		}
		return { found, wanted: idsOf(known.slice(0, 5)) };
	},
	async 'Polling trigger'(sandbox) {
		const filters = { counties: ['Miami-Dade'] };
		const parameters = { output: 'raw', eventTypes: [], filters };
		const poller = pollerOf(sandbox.credentials, parameters);
		await poller.activate();
		const address = { county: 'Miami-Dade', city: 'Miami' };
		const news = [sandbox.live.insert({ address }), sandbox.live.insert({ address })];
		sandbox.live.insert({ address: { county: 'Leon' } });
		const found: IDataObject[] = [];
		for (let polls = 0; polls < 3; polls++) {
			found.push(...(await poller.poll()));
			clock.time += 61_000;
		}
		return { found: idsOf(found), wanted: idsOf(news) };
	},
	async 'Webhook trigger'(sandbox) {
		const filters = { licenseTypes: ['COP'] };
		const host = new WebhookHost({
			parameters: { eventTypes: [], filters, output: 'raw' },
			credentials: sandbox.credentials,
		});
		await host.listen();
		try {
			await host.activate();
			const filed = sandbox.live.insert({ licenseType: 'COP', status: 'pending' });
			const changes = ['inactive', 'suspended'].map((status) =>
				sandbox.live.update(filed.id, { status }),
			);
			await sandbox.webhooks?.deliveries.settled();
			const wanted = eventsOf([filed, ...changes] as unknown as IDataObject[]);
			return { found: eventsOf(host.licenses), wanted };
		} finally {
			host.close();
		}
	},
};

/** In the middle of the list, the cursors grow older than a minute. */
async function withStaleCursor<T>(sandbox: StreamSandbox, run: () => Promise<T>): Promise<T> {
	let pages = 0;
	const stop = sandbox.trouble.betweenPages(() => {
		if (++pages === 3) clock.time += 61_000;
	});
	try {
		return await run();
	} finally {
		stop();
	}
}

async function outcomeOf(operation: string, sandbox: StreamSandbox): Promise<Outcome> {
	saysMissing = false;
	try {
		const { found, wanted } = await OPERATIONS[operation]!(sandbox);
		const right = wanted.filter((one) => found.includes(one)).length;
		const isRight = right === wanted.length && found.length === wanted.length;
		return isRight
			? 'works'
			: `finds ${right} of ${wanted.length}, and ${found.length - right} others${saysMissing ? ', and says that some may be missing' : ''}`;
	} catch (error) {
		return (error as Error).message.replace(/ \[item \d+\]$/, '');
	}
}

/** The first choice of each question is the same service. */
const SHAPES_TRIED = questions.flatMap((question, at) =>
	choicesOf(question)
		.slice(at === 0 ? 0 : 1)
		.map((choice) => [question, choice] as const),
);

describe('A service of another shape', () => {
	it('is tried with every operation', () => {
		const names = Object.values<Action>(operations).map(({ name }) => name);
		expect(Object.keys(OPERATIONS)).toEqual(expect.arrayContaining(names));
	});

	it.for(SHAPES_TRIED)('(%s: %s) works, or is refused in words', async ([question, choice]) => {
		const asked: ShapeOptions = { ...COMPANIONS[question], [question]: choice };
		const sandbox = await createSandbox({
			kind: 'stream',
			records: 300,
			webhooks: { attempts: 1 },
			...asked,
		});
		onTestFinished(() => sandbox.close());
		const outcomes: Record<string, Outcome> = {};
		for (const operation of Object.keys(OPERATIONS)) {
			clock.time += 61_000;
			outcomes[operation] = await withStaleCursor(sandbox, () => outcomeOf(operation, sandbox));
		}
		const works = Object.keys(OPERATIONS).map((operation) => [operation, 'works']);
		expect(outcomes).toEqual({ ...Object.fromEntries(works), ...EXPECTED[question]?.[choice] });
	});
});
