import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, ILoadOptionsFunctions, IPollFunctions } from 'n8n-workflow';

import type { OperationType } from '../../nodes/LicensingData/operations/operationType.ts';
import { searchLicenses } from '../../nodes/LicensingData/operations/get.operation.ts';
import { operations, type Operation } from '../../nodes/LicensingData/operations/operations.ts';
import { LARGEST_RECORD } from '../../nodes/LicensingData/licenses/license.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { LONGEST_COMPARED, plain, similarity } from '../../nodes/LicensingData/licenses/text.ts';
import { cityKey } from '../../nodes/LicensingData/places/places.ts';
import { nameSimilarity } from '../../nodes/LicensingData/match/names.ts';
import { streetOf } from '../../nodes/LicensingData/match/street.ts';
import { crmLead } from '../../nodes/LicensingData/output/outputForms.ts';
import { poll } from '../../nodes/LicensingData/trigger/poll.ts';
import { readDelivery } from '../../nodes/LicensingData/webhook/receive.ts';
import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { asHtml, asLine } from '../../nodes/LicensingData/service/nodeError.ts';
import { Client } from '../../probe/client.mts';
import { contextFor, ListService, runAction } from '../support/list-service.mts';
import { license } from '../support/records.mts';

/**
 * Run with a heap of 512 MB and --expose-gc: each subject, what came of it, the most that the heap held, and the
 * largest pause of the event loop in milliseconds. `node --max-old-space-size=512 --expose-gc --import tsx` with
 * this file prints them.
 */
interface Subject {
	what: string;
	/** Part of what the user reads, or what is counted; how many items come otherwise. */
	bound: string | number;
	run: (watch: Watch) => Promise<string | number>;
}

/** What waits, and what stays in memory between two moments. */
class Watch {
	/** In megabytes. */
	most = 0;
	private before = 0;

	look(): void {
		this.most = Math.max(this.most, Math.round(process.memoryUsage().heapUsed / 1e6));
	}

	begin(): void {
		this.before = heap();
	}

	/** In megabytes, since `begin`. */
	get kept(): number {
		return Math.round((heap() - this.before) / 1e6);
	}
}

function heap(): number {
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
}

interface Sent {
	/** The body for a request; the first is 1. */
	body: (request: number, query: Record<string, string>) => string;
	status?: number;
	headers?: Record<string, string>;
}

const json = (value: unknown) => JSON.stringify(value);
const page = (data: unknown[], cursor: string | null = null, total = data.length) =>
	json({ data, pagination: { cursor, hasMore: cursor !== null, total } });
/** Another fifty tiny records at each request. */
const endless = (at: number) =>
	json({
		data: Array.from({ length: 50 }, (_, index) => ({
			id: `${at}-${index}`,
			status: 'active',
			address: { city: `${at}-${index}` },
		})),
		pagination: { cursor: `c${at}`, hasMore: true },
	});
const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const DEEP = deep(100_000);
const TOO_MANY = 'more than 20,000 values';
const LONG = 'a '.repeat(0.45 * LARGEST_RECORD);
const record = (more: object) => ({ ...license(), ...more });
const match = { businessName: `${'ﷺ'.repeat(100)} Bar`, street: '1 Bay St', city: 'Tampa' };
const PARAMETERS: Partial<Record<Operation, IDataObject>> = {
	get: { licenseId: 'lic_1' },
	search: { query: 'bar' },
	match,
};

const serviceOf = ({ body, status = 200, headers }: Sent, watch = new Watch()): ListService =>
	new ListService([], {
		before: ({ query }, count) => {
			watch.look();
			return { statusCode: status, headers, text: body(count, query) };
		},
		turns: (request) => {
			const { license_type: type } = request.query;
			// It remembers its requests, which must not count as kept.
			request.query = {};
			return type === 'COP' ? 9 : 1;
		},
	});

/** How many items come, or what the user reads instead. */
const asked =
	(operation: Operation, sent: Sent, parameters: IDataObject = {}): Subject['run'] =>
	async (watch) => {
		const helpers = {
			prepareBinaryData: async (stream: AsyncIterable<unknown>) => {
				let bytes = 0;
				for await (const chunk of stream) bytes += String(chunk).length;
				return { bytes };
			},
		};
		try {
			const { items } = await runAction(
				operations[operation] as OperationType,
				serviceOf(sent, watch),
				{ ...PARAMETERS[operation], ...parameters },
				{ helpers: helpers as never },
			);
			return items.length;
		} catch (error) {
			const { message, description } = error as Error & { description?: string };
			return `${message}. ${description}`;
		}
	};

/** A polling trigger of all events; its memory outlasts its polls. */
function triggerAt(sent: Sent, id: string) {
	const service = serviceOf(sent);
	const saved = {};
	const parameters: IDataObject = { eventTypes: [], output: 'raw' };
	const context = {
		...contextFor((query) => service.answer(query)),
		getActivationMode: () => 'init',
		getMode: () => 'trigger',
		getNode: () => ({ id, name: 'Trigger' }),
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
		getPollBudgetMs: () => 60_000,
		getTimezone: () => 'UTC',
		getWorkflow: () => ({ id }),
		getWorkflowStaticData: () => saved,
		logger: { info: () => {}, warn: () => {} },
	};
	return { poll: async () => await poll(context as unknown as IPollFunctions), saved };
}

const SUBJECTS: Subject[] = [
	{
		what: '1: a record with an ID of 0.9 MB, page after page',
		run: asked(
			'getAll',
			{
				body: (at) =>
					page(
						[record({ id: 'x'.repeat(900_000), filedDate: `${at}` })],
						at < 200 ? `c${at}` : null,
						200,
					),
			},
			{ returnAll: true },
		),
		bound: 200,
	},
	{
		what: '1: megabytes that are kept of 3,000 pages with long cursors and IDs',
		async run(watch) {
			let kept = 0;
			await asked('export', {
				body: (at) => {
					if (at === 10) watch.begin();
					if (at === 3000) kept = watch.kept;
					const ids = Array.from({ length: 10 }, (_, index) => `${at}-${index}`.padEnd(300, 'x'));
					const cursor = at < 3000 ? `${at}`.padEnd(8_000, 'x') : null;
					return page(
						ids.map((id) => ({ id, status: 'active' })),
						cursor,
						30_000,
					);
				},
			})(watch);
			return kept < 8 ? 'few' : kept;
		},
		bound: 'few',
	},
	{
		what: '2: records of 90 KB, while another list answers slowly',
		run: asked(
			'getAll',
			{
				body: (_, { license_type: type, cursor }) => {
					const number = Number(cursor?.slice(1) ?? 0);
					const eventTimestamp = `2026-07-0${type === 'COP' ? 3 : 2}T00:00:00Z`;
					const data = Array.from({ length: 10 }, (_, index) =>
						record({ id: `${type}${number}-${index}`, eventTimestamp, note: 'x'.repeat(90_000) }),
					);
					return page(data, number < 99 ? `c${number + 1}` : null, 1000);
				},
			},
			{ returnAll: true, filters: { licenseTypes: ['COP', 'SRX'] } },
		),
		bound: 2000,
	},
	{
		what: '2: megabytes that 5,000 leads keep of names of 90 KB',
		async run(watch) {
			watch.begin();
			const body = (at: number) => {
				const data = Array.from({ length: 10 }, (_, index) =>
					record({ id: `${at}-${index}`, legalName: LONG }),
				);
				return page(data, at < 500 ? `c${at}` : null, 5000);
			};
			const { items } = await runAction(
				operations.getAll as OperationType,
				serviceOf({ body }, watch),
				{ limit: 5000 },
				{ toItem: (one) => ({ json: crmLead(one) }) },
			);
			const { kept } = watch;
			return items.length === 5000 && kept < 40 ? 'few' : `${items.length}, ${kept} MB`;
		},
		bound: 'few',
	},
	{
		what: '3: a megabyte of empty objects',
		run: asked(
			'getAll',
			{ body: () => `{"data":[${'{},'.repeat(330_000)}{}]}` },
			{ filters: { counties: 'Palm Beach' } },
		),
		bound: TOO_MANY,
	},
	{
		what: '4: letters that stand for eighteen, from the user and the service',
		run: asked('match', {
			body: () =>
				page(
					Array.from({ length: 50 }, (_, at) =>
						record({ id: `${at}`, businessName: 'ﷺ'.repeat(1000), dbaName: 'ﷺ'.repeat(200) }),
					),
				),
		}),
		bound: 1,
	},
	{
		what: '4: letters that are compared of such a text',
		run: async () => plain('ﷺ'.repeat(LONGEST_COMPARED * 2)).length,
		bound: 200,
	},
	{
		what: '4: a name of a hundred names, from the user and the service',
		run: asked(
			'match',
			{
				body: () =>
					page(
						Array.from({ length: 50 }, (_, at) =>
							record({ id: `${at}`, businessName: 'y/'.repeat(8_000) }),
						),
					),
			},
			{ businessName: 'x/'.repeat(100), minimumScore: 0 },
		),
		bound: 1,
	},
	{
		what: '4: how alike the fifth of its names makes it, in hundredths',
		run: async () => Math.round(100 * nameSimilarity('Ay/Bee/Cee/Dee/Pelican', 'Pelican')),
		bound: 60,
	},
	{
		what: '4: how alike two names are whose lengths differ too much, without a look',
		run: async () => similarity('Pelican', 'P'.repeat(200), 0.7),
		bound: 0,
	},
	{
		what: '5: a record with 60,000 keys',
		run: asked('getAll', {
			body: () => `{"data":[{${Array.from({ length: 60_000 }, (_, key) => `"${key}":0`).join()}}]}`,
		}),
		bound: TOO_MANY,
	},
	...['street', 'legalName', 'city'].map((field) => ({
		what: `6: a ${field} of a megabyte`,
		run: asked('match', {
			body: () => page([record({ [field]: 'a '.repeat(450_000) })]),
		}),
		bound: 'is larger than 100 KB',
	})),
	{
		what: '6: long texts of licenses of 90 KB',
		run: asked(
			'match',
			{
				body: () =>
					page(
						Array.from({ length: 3 }, () => [
							record({ legalName: LONG }),
							record({ address: { ...license().address, street: LONG } }),
							record({ address: { ...license().address, city: LONG } }),
						]).flat(),
					),
			},
			{ minimumScore: 0 },
		),
		bound: 1,
	},
	{
		what: '6: characters that are handled at a time of such a street, city or name',
		run: async () => {
			const { replace } = String.prototype;
			let most = 0;
			String.prototype.replace = function (this: string, ...given: [never, never]) {
				most = Math.max(most, this.length);
				return replace.apply(this, given);
			};
			streetOf({ street: LONG });
			cityKey(LONG);
			nameSimilarity(LONG, 'Pelican');
			String.prototype.replace = replace;
			return most;
		},
		bound: LONGEST_COMPARED,
	},
	{
		what: '7: a header as long as Node takes them, 16 KB',
		run: asked('getAll', {
			body: () => 'Sign in first',
			headers: { 'content-type': `${'x'.repeat(16_000)}html` },
		}),
		bound: 'The answer is a web page',
	},
	{
		what: '8: megabytes and bytes that a trigger keeps of lists whose walks go on',
		async run(watch) {
			const pages = new Map<string, number>();
			const body = (at: number, { event_type: eventType = '', cursor }: Record<string, string>) => {
				const number = cursor === undefined ? 1 : (pages.get(eventType) ?? 0) + 1;
				pages.set(eventType, number);
				// Fails again and again, so that the reading stays open.
				if (number === 390) return '{}';
				const id = `${eventType} ${number}`.padEnd(300, 'x');
				return page([record({ id, eventType })], `${at}`.padEnd(8_000, 'x'), 20_000);
			};
			const trigger = triggerAt({ body }, 'eight');
			watch.begin();
			for (let polls = 0; polls < 2; polls++) await trigger.poll();
			const { kept } = watch;
			const saved = json(trigger.saved).length;
			return kept < 8 && saved < 256_000 ? 'few' : `${kept} MB, ${saved} bytes saved`;
		},
		bound: 'few',
	},
	...['.'.repeat(900_000), 'a '.repeat(450_000), '%41'.repeat(300_000)].map((message) => ({
		what: `10: a refusal in almost a megabyte of ${message.slice(0, 2)}`,
		run: asked('getAll', { status: 422, body: () => json({ error: { message: `${message}x` } }) }),
		bound: 'The service did not accept the request',
	})),
	{
		what: '10: characters that are handled at a time of a hint about statuses of 90 KB',
		run: async (watch) => {
			const status = `${'. '.repeat(45_000)}x`;
			let most = 0;
			const redact = (text: string) => {
				most = Math.max(most, text.length);
				return redactorFor('ls_live_0123456789abcdef').redact(text);
			};
			watch.look();
			asHtml(status.repeat(20), redact);
			asLine('.'.repeat(1_900_000), redact);
			return most <= 1000 ? 'few' : most;
		},
		bound: 'few',
	},
	{
		what: '2: a hundred lists to count, whose pages take almost a megabyte each, and do not end',
		run: asked(
			'count',
			{
				body: (at) =>
					page(
						Array.from({ length: 10 }, (_, index) =>
							record({ id: `${at}-${index}`, note: 'x'.repeat(90_000) }),
						),
						`c${at}`,
						40,
					),
			},
			{ filters: { counties: COUNTIES.map(({ value }) => value), cities: 'Tampa' } },
		),
		bound: 'too many to read',
	},
	{
		what: '9: a list without a total and without an end, counted by city',
		run: asked('count', { body: endless }, { groupBy: 'city' }),
		bound: 'The list to count has more than 5,000 licenses, too many to read',
	},
	{
		what: '10: ten counties of tiny records without an end, exported',
		run: asked(
			'export',
			{ body: endless },
			{ filters: { counties: COUNTIES.slice(0, 10).map(({ value }) => value) } },
		),
		bound: 'The list has more than 500,000 licenses',
	},
	{
		what: '11: headers that say nothing is left until the year 2286',
		run: asked('getAll', {
			body: () => page([license()]),
			headers: {
				ratelimit: '"default";r=0;t=99999',
				'x-ratelimit-remaining': '0',
				'x-ratelimit-reset': '9999999999',
			},
		}),
		bound: 1,
	},
	{
		what: '12: a refusal whose words are a hundred thousand levels deep',
		run: asked('getAll', {
			status: 422,
			body: () => `{"error":{"message":${DEEP},"param":${DEEP}}}`,
		}),
		bound: 'The service gave no reason',
	},
	{
		what: '12: a delivery 51 levels deep',
		run: async () => {
			const body = `{"data":{"id":"lic_1","status":"active","x":${deep(49)}}}`;
			return readDelivery(Buffer.from(body)) === undefined ? 'refused' : 'taken';
		},
		bound: 'refused',
	},
	{
		what: '15: characters of the longest text that From List brings',
		run: async () => {
			const service = serviceOf({
				body: () =>
					page([
						record({ id: 'x'.repeat(90_000) }),
						record({ businessName: LONG }),
						record({ sourceUrl: `https://${'x'.repeat(90_000)}` }),
					]),
			});
			const context = contextFor((query) => service.answer(query));
			const { results } = await searchLicenses.call(context as unknown as ILoadOptionsFunctions);
			return Math.max(
				...results.flatMap((entry) => Object.values(entry)).map((x = '') => `${x}`.length),
			);
		},
		bound: 255,
	},
	{
		what: '15: megabytes that the probe reads of an answer without end',
		async run() {
			let sent = 0;
			const server = createServer((_, response) => {
				const piece = Buffer.alloc(64 * 1024, ' ');
				const more = () => {
					while (!response.destroyed && response.write(piece)) sent += piece.length;
				};
				response.on('error', () => {}).on('drain', more);
				more();
			});
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
			const client = new Client({ baseUrl, apiKey: 'x', sleep: async () => {}, now: Date.now });
			const { body } = await client.ask('/licenses');
			server.closeAllConnections();
			server.close();
			return body === undefined && sent < 20_000_000 ? 'few' : sent;
		},
		bound: 'few',
	},
	{
		what: '2: records of 90 KB that a trigger reads while as many as Max Items wait',
		async run() {
			let isPublished = false;
			let sent = 0;
			const body = (at: number, { event_type: eventType }: Record<string, string>) => {
				const known = record({ eventType, licenseNumber: 'KNOWN-1' });
				if (!isPublished) return page([known]);
				sent += 10;
				const data = Array.from({ length: 10 }, (_, index) =>
					record({ licenseNumber: `${at}-${index}`, eventType, note: 'x'.repeat(90_000) }),
				);
				return page(data, `c${at}`, 8000);
			};
			const trigger = triggerAt({ body }, 'two');
			await trigger.poll();
			isPublished = true;
			await trigger.poll();
			// The page that fills it may be the last of several lists.
			return sent <= 1000 + 10 ? 'few' : sent;
		},
		bound: 'few',
	},
];

for (const { what, bound, run } of SUBJECTS) {
	const watch = new Watch();
	const pauses = monitorEventLoopDelay({ resolution: 1 });
	pauses.enable();
	const came = await run(watch);
	// A pause is counted once the loop turns again.
	await sleep(20);
	pauses.disable();
	const isHeld = typeof bound === 'number' ? came === bound : String(came).includes(bound);
	console.log(
		json({
			what,
			isHeld,
			came: String(came).slice(0, 300),
			megabytes: watch.most,
			pause: Math.round(pauses.max / 1e6),
		}),
	);
}
