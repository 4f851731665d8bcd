import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { pageIn, type Fields } from '../../probe/page.mts';
import { type Exchange, Recorder } from '../../probe/recorder.mts';
import { report, rowsOf } from '../../probe/report.mts';
import { survey } from '../../probe/survey.mts';
import { createSandbox, simulatedClock, type SandboxOptions } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { ROOT } from '../support/manifest.mts';
import { ids, pollerOf, runLicense } from '../support/nodes.mts';
import { replay } from '../support/replay.mts';

const SHAPES: Record<string, SandboxOptions> = {
	'a register': { rates: { withoutCounty: 0.04 }, records: 800 },
	'a service as the interface describes it': {
		...{ order: 'eventTimestamp', cursors: 'key', freeText: 'everyWord', searchShape: 'page' },
	},
	'a stranger service': {
		...{ ties: 'change', pages: 'topLevel', rateLimits: 'five', rateLimitHeaders: 'structured' },
		...{ counties: (name) => `${name} County`, countyFilter: 'asShown', freeText: 'anyWord' },
		...{ statuses: 'capitals', searchShape: () => ({ found: 1 }) },
	},
};

type Service = { baseUrl: string; apiKey: string };

async function probe(service: Service, clock = simulatedClock('2026-09-24T12:00:00Z')) {
	const redactor = redactorFor(service.apiKey);
	const look = async (recorder?: Recorder) => {
		const seen = await survey({
			...{ ...service, now: () => clock.now(), recorder },
			sleep: async (milliseconds) => await clock.advance(milliseconds),
		});
		return report(rowsOf(seen, redactor.redact), seen.requests);
	};
	const recorder = new Recorder(redactor);
	return { plain: look, recorded: async () => await look(recorder), recorder };
}

async function opened(options: SandboxOptions) {
	const clock = simulatedClock('2026-09-24T12:00:00Z');
	const sandbox = await createSandbox({ records: 500, listEvery: 60_000, clock, ...options });
	onTestFinished(() => sandbox.close());
	return { sandbox, clock };
}

async function replayed(exchanges: Exchange[]) {
	const service = await listen(replay(exchanges));
	onTestFinished(() => service.close());
	return service.credentials;
}

/** The texts of a register that say whose license it is. */
const tellingTexts = (records: Iterable<object>): string[] =>
	[...records].flatMap((record) => {
		const { id, licenseNumber, businessName, legalName, dbaName, address, enrichment } =
			record as Fields;
		const { street, lat } = (address ?? {}) as Fields;
		const { phone, website } = (enrichment ?? {}) as Fields;
		return [id, licenseNumber, businessName, legalName, dbaName, street, lat, phone, website]
			.map((value) => String(value ?? ''))
			.filter(({ length }) => length > 5);
	});

describe.each(Object.entries(SHAPES))('--record, at %s', (_, options) => {
	it('finds the same as without, keeps dates, places, types and the order, and names nobody', async () => {
		const plain = await opened(options);
		const { plain: look } = await probe(plain.sandbox.credentials, plain.clock);
		const { sandbox, clock } = await opened(options);
		const { recorded, recorder } = await probe(sandbox.credentials, clock);
		const printed = await recorded();
		expect(printed).toBe(await look());

		const text = `${recorder}`;
		const texts = tellingTexts(sandbox.register.all());
		expect(texts.length).toBeGreaterThan(500);
		expect(texts.filter((one) => text.includes(one))).toEqual([]);
		expect(text).not.toContain(sandbox.keys.live);
		expect(text).not.toContain(sandbox.baseUrl);

		const { sandbox: other } = await opened(options);
		const asked = await fetch(`${other.baseUrl}/licenses`, {
			headers: { Authorization: `Bearer ${other.keys.live}` },
		});
		const body: unknown = await asked.json();
		const { records = [] } = pageIn({ status: 200, headers: asked.headers, body }) ?? {};
		const kept = pageIn({ ...recorder.exchanges[0]!, headers: asked.headers } as never);
		const stays = ({
			filedDate,
			eventTimestamp,
			licenseType,
			status,
			eventType,
			address,
		}: Fields) => {
			const { city, county, state } = address as Fields;
			return { filedDate, eventTimestamp, licenseType, status, eventType, city, county, state };
		};
		expect(kept?.records.map(stays)).toEqual(records.map(stays));
		expect(kept?.records.map(Object.keys)).toEqual(records.map(Object.keys));
	});

	it('replays: the probe finds the same again', async () => {
		const { sandbox, clock } = await opened(options);
		const { recorded, recorder } = await probe(sandbox.credentials, clock);
		const printed = await recorded();
		const again = await probe(await replayed(JSON.parse(`${recorder}`) as Exchange[]));
		expect(await again.plain()).toBe(printed);
	});
});

it('--record keeps no key, host, phone, exact position or text of a field that it does not know', () => {
	const apiKey = 'ls_live_0123456789';
	const recorder = new Recorder(redactorFor(apiKey));
	const address = { zip: '33130-1234', lat: 25.7654321, lng: -80.1987654, county: 'Miami-Dade' };
	const data = {
		...{ id: 4711, licenseNumber: 'BEV1234567', status: `active ${apiKey}`, address },
		...{ sourceUrl: 'https://www.register.example.gov/4711', phone: '(305) 555-0142' },
		...{ owner: { 'Jane Roe': 'jane@roe.example' }, filedDate: '2026-09-01', isNew: true },
	};
	const cursor = Buffer.from('{"after":"BEV1234567"}').toString('base64url');
	const body = { pagination: { cursor, total: 63_042 }, data };
	const headers = new Headers({
		'X-RateLimit-Remaining': '7',
		Server: 'secret',
		'Retry-After': '3',
	});
	recorder.keep('/licenses', {}, true, { status: 200, headers, body });
	const [kept] = JSON.parse(`${recorder}`) as Exchange[];
	expect(kept?.headers).toEqual({ 'retry-after': '3', 'x-ratelimit-remaining': '7' });
	const shown = kept?.body as { pagination: Fields; data: Fields };
	expect(shown.pagination.total).toBe(63_042);
	expect(shown.data).toEqual({
		id: expect.any(Number) as number,
		licenseNumber: expect.stringMatching(/^BEV[1-9]{7}$/) as string,
		status: 'active [hidden API key]',
		address: {
			...{ lat: 25.8, lng: -80.2, county: 'Miami-Dade' },
			zip: expect.stringMatching(/^33130-[1-9]{4}$/) as string,
		},
		sourceUrl: expect.stringMatching(/^https:\/\/example\.com\/x/) as string,
		phone: expect.stringMatching(/^\([1-9]{3}\) [1-9]{3}-[1-9]{4}$/) as string,
		...{ owner: expect.anything() as object, filedDate: '2026-09-01', isNew: true },
	});
	const gone = [apiKey.slice(8), '4711', '1234567', 'Jane', 'Roe', 'roe', '305', 'register'];
	const text = `${recorder}`;
	expect([...gone, cursor].filter((one) => text.includes(one))).toEqual([]);
});

/** What an answer to a question showed. */
const listOf = ({ status, body }: Exchange) => pageIn({ status, headers: new Headers(), body });

/** The list that was read to its end, as its questions and its records. */
function wholeList(exchanges: Exchange[]) {
	const last = exchanges.findLast(
		({ path, query, ...answer }) =>
			path === '/licenses' &&
			'license_type' in query &&
			'event_type' in query &&
			listOf({ path, query, ...answer })?.next === undefined,
	);
	const { license_type: type, event_type: event } = last?.query ?? {};
	const pages = exchanges.filter(
		({ query }) => query.license_type === type && query.event_type === event,
	);
	const ofPages = pages.flatMap((page) => listOf(page)?.records ?? []);
	return { type, event, ids: new Set(ofPages.map(({ id }) => id)) };
}

async function playThroughNodes(exchanges: Exchange[]) {
	const credentials = await replayed(exchanges.filter(({ status }) => status !== 429));
	const { type, event, ids: whole } = wholeList(exchanges);
	expect(whole.size).toBeGreaterThan(0);
	const filters = { licenseTypes: [type], eventTypes: [event] };
	const list = await runLicense({ operation: 'getAll', returnAll: true, filters }, { credentials });
	expect(list.error).toBeUndefined();
	expect(new Set(ids(list))).toEqual(whole);

	const fifty = exchanges.find(
		({ query, status }) => status === 200 && Object.entries(query).join() === 'limit,50',
	);
	const top = await runLicense({ operation: 'getAll', limit: 50 }, { credentials });
	expect(ids(top)).toEqual(listOf(fifty!)?.records.map(({ id }) => id));

	const known = exchanges.find(
		({ path, status }) => /^\/licenses\/(?!search)/.test(path) && status === 200,
	);
	const licenseId = decodeURIComponent(known?.path.slice('/licenses/'.length) ?? '');
	const got = await runLicense({ operation: 'get', licenseId }, { credentials });
	expect(got.error).toBeUndefined();
	const { data } = known?.body as { data: Fields };
	expect(got.items[0]?.json).toMatchObject({ id: data.id, licenseNumber: data.licenseNumber });

	const counted = await runLicense({ operation: 'count', filters }, { credentials });
	expect(counted.items[0]?.json.count).toBe(whole.size);

	const quiet = pollerOf(credentials, { eventTypes: [event], filters: { licenseTypes: [type] } });
	expect(await quiet.activate()).toEqual([]);
	const options = { startFrom: '1900-01-01', lookbackDays: 0 };
	const trigger = pollerOf(credentials, {
		...{ eventTypes: [event], filters: { licenseTypes: [type] }, options },
	});
	const events = [...(await trigger.activate()), ...(await trigger.poll())];
	expect(new Set(events.map(({ id }) => id))).toEqual(whole);
}

const FOLDER = join(ROOT, 'test/recordings');
const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];

it.each(files)('What a real service answered replays through the nodes: %s', async (file) => {
	await playThroughNodes(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Exchange[]);
});

it.each(Object.entries(SHAPES).slice(0, 2))(
	'What the probe has recorded replays through the nodes: of %s',
	async (_, options) => {
		const { sandbox, clock } = await opened(options);
		const { recorded, recorder } = await probe(sandbox.credentials, clock);
		await recorded();
		await playThroughNodes(JSON.parse(`${recorder}`) as Exchange[]);
	},
);
