import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { asHtml, asLine } from '../../nodes/LicensingData/service/nodeError.ts';
import { Client } from '../../probe/client.mts';
import { contextFor, ListService, runAction } from '../support/list-service.mts';
import { license } from '../support/records.mts';

/**
 * Run with a heap of 512 MB and --expose-gc: each subject, what came of it, and the most that the heap held.
 * `node --max-old-space-size=512 --expose-gc --import tsx` with this file prints them.
 */
type Subject = [
	what: string,
	/** Part of what the user reads, or what is counted; how many items come otherwise. */
	bound: string | number,
	run: () => Promise<string | number>,
];

/** In megabytes. */
let most = 0;
const megabytes = () => Math.round(process.memoryUsage().heapUsed / 1e6);
function kept(): number {
	globalThis.gc?.();
	return megabytes();
}

interface Sent {
	/** The body for a request; the first is 1. */
	body: (request: number, query: Record<string, string>) => string;
	status?: number;
}

const json = (value: unknown) => JSON.stringify(value);
const page = (data: unknown[], cursor: string | null = null, total = data.length) =>
	json({ data, pagination: { cursor, hasMore: cursor !== null, total } });
const many = (count: number, of: (index: number) => object) =>
	Array.from({ length: count }, (_, index) => of(index));
const record = (more: object) => ({ ...license(), ...more });
const NOTE = 'x'.repeat(90_000);
const LONG = 'a '.repeat(0.45 * LARGEST_RECORD);
const PARAMETERS: Partial<Record<Operation, IDataObject>> = {
	match: { businessName: `${'ﷺ'.repeat(100)} Bar`, street: '1 Bay St', city: 'Tampa' },
};

const serviceOf = ({ body, status = 200 }: Sent): ListService =>
	new ListService([], {
		before: ({ query }, count) => {
			most = Math.max(most, megabytes());
			return { statusCode: status, text: body(count, query) };
		},
		turns: (request) => {
			const { license_type: type } = request.query;
			// It remembers its requests, which must not count as kept.
			request.query = {};
			return type === 'COP' ? 9 : 1;
		},
	});

async function prepareBinaryData(stream: AsyncIterable<unknown>): Promise<object> {
	let bytes = 0;
	for await (const chunk of stream) bytes += String(chunk).length;
	return { bytes };
}

/** How many items come, or what the user reads instead. */
const asked =
	(operation: Operation, sent: Sent, parameters: IDataObject = {}): Subject[2] =>
	async () => {
		const action = operations[operation] as OperationType;
		const given = { ...PARAMETERS[operation], ...parameters };
		const more = { helpers: { prepareBinaryData } as never };
		try {
			return (await runAction(action, serviceOf(sent), given, more)).items.length;
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

/** The most characters that a function is called with while something else happens. */
async function longestOf(run: (look: (text: string) => void) => void): Promise<number> {
	let longest = 0;
	run((text) => (longest = Math.max(longest, text.length)));
	return longest;
}

const all = { returnAll: true };
const counties = COUNTIES.map(({ value }) => value);

const SUBJECTS: Subject[] = [
	[
		'a record with an ID of 0.9 MB, page after page',
		100,
		asked(
			'getAll',
			{
				body: (at) => {
					const one = record({ id: 'x'.repeat(900_000), filedDate: `${at}` });
					return page([one], at < 100 ? `c${at}` : null, 100);
				},
			},
			all,
		),
	],
	[
		'megabytes that are kept of 1,000 pages with long cursors and IDs',
		'few',
		async () => {
			let [before, after] = [0, 0];
			const body = (at: number) => {
				if (at === 10) before = kept();
				if (at === 1000) after = kept();
				const data = many(10, (index) => ({
					id: `${at}-${index}`.padEnd(300, 'x'),
					status: 'new',
				}));
				return page(data, at < 1000 ? `${at}`.padEnd(8_000, 'x') : null, 10_000);
			};
			await asked('export', { body })();
			return after > 0 && after - before < 3 ? 'few' : after - before;
		},
	],
	[
		'records of 90 KB, while another list answers slowly',
		1000,
		asked(
			'getAll',
			{
				body: (_, { license_type: type, cursor }) => {
					const number = Number(cursor?.slice(1) ?? 0);
					const eventTimestamp = `2026-07-0${type === 'COP' ? 3 : 2}T00:00:00Z`;
					const more = { eventTimestamp, note: NOTE };
					const data = many(10, (index) => record({ id: `${type}${number}-${index}`, ...more }));
					return page(data, number < 49 ? `c${number + 1}` : null, 500);
				},
			},
			{ ...all, filters: { licenseTypes: ['COP', 'SRX'] } },
		),
	],
	[
		'megabytes that 1,000 leads keep of names of 90 KB',
		'few',
		async () => {
			const before = kept();
			const body = (at: number) => {
				const data = many(10, (index) => record({ id: `${at}-${index}`, legalName: LONG }));
				return page(data, at < 100 ? `c${at}` : null, 1000);
			};
			const { items } = await runAction(
				operations.getAll as OperationType,
				serviceOf({ body }),
				{ limit: 1000 },
				{ toItem: (one) => ({ json: crmLead(one) }) },
			);
			const more = kept() - before;
			return items.length === 1000 && more < 8 ? 'few' : `${items.length}, ${more} MB`;
		},
	],
	[
		'a megabyte of empty objects',
		'more than 20,000 values',
		asked('getAll', { body: () => `{"data":[${'{},'.repeat(330_000)}{}]}` }),
	],
	...[
		{ businessName: 'ﷺ'.repeat(1000), dbaName: 'ﷺ'.repeat(200) },
		{ businessName: 'y/'.repeat(8_000) },
	].map((more): Subject => {
		const body = () => page(many(50, (at) => record({ id: `${at}`, ...more })));
		const given = { ...(!more.dbaName && { businessName: 'x/'.repeat(100) }), minimumScore: 0 };
		const what = 'letters that stand for eighteen, or a name of a hundred, on both sides';
		return [what, 1, asked('match', { body }, given)];
	}),
	[
		'letters that are compared of such a text',
		200,
		async () => plain('ﷺ'.repeat(LONGEST_COMPARED * 2)).length,
	],
	[
		'how alike the fifth of its names makes a name, in hundredths',
		60,
		async () => Math.round(100 * nameSimilarity('Ay/Bee/Cee/Dee/Pelican', 'Pelican')),
	],
	[
		'how alike two names are whose lengths differ too much, without a look',
		0,
		async () => similarity('Pelican', 'P'.repeat(200), 0.7),
	],
	...['street', 'legalName', 'city'].map((field): Subject => {
		const body = () => page([record({ [field]: 'a '.repeat(450_000) })]);
		return [`a ${field} of a megabyte`, 'is larger than 100 KB', asked('match', { body })];
	}),
	[
		'characters that are handled at a time of a street, city or name of 90 KB',
		LONGEST_COMPARED,
		async () =>
			await longestOf((look) => {
				const { replace } = String.prototype;
				String.prototype.replace = function (this: string, ...given: [never, never]) {
					look(this);
					return replace.apply(this, given);
				};
				streetOf({ street: LONG });
				cityKey(LONG);
				nameSimilarity(LONG, 'Pelican');
				String.prototype.replace = replace;
			}),
	],
	[
		'megabytes and bytes that a trigger keeps of lists whose walks go on',
		'few',
		async () => {
			const pages = new Map<string, number>();
			const body = (at: number, { event_type: eventType = '', cursor }: Record<string, string>) => {
				const number = cursor === undefined ? 1 : (pages.get(eventType) ?? 0) + 1;
				pages.set(eventType, number);
				// Fails again and again, so that the reading stays open.
				if (number === 390) return '{}';
				const id = `${eventType} ${number}`.padEnd(300, 'x');
				return page([record({ id, eventType })], `${at}`.padEnd(8_000, 'x'), 20_000);
			};
			const trigger = triggerAt({ body }, 'walks');
			const before = kept();
			for (let polls = 0; polls < 2; polls++) await trigger.poll();
			const more = kept() - before;
			const saved = json(trigger.saved).length;
			return more < 8 && saved < 256_000 ? 'few' : `${more} MB, ${saved} bytes saved`;
		},
	],
	...['.'.repeat(900_000), 'a '.repeat(450_000), '%41'.repeat(300_000)].map((message): Subject => {
		const body = () => json({ error: { message: `${message}x` } });
		const what = `a refusal in almost a megabyte of ${message.slice(0, 2)}`;
		return [what, 'The service did not accept', asked('getAll', { status: 422, body })];
	}),
	[
		'characters that are handled at a time of a hint about statuses of 90 KB',
		1000,
		async () =>
			await longestOf((look) => {
				const redact = (text: string) => {
					look(text);
					return redactorFor('ls_live_0123456789abcdef').redact(text);
				};
				asHtml('. '.repeat(900_000), redact);
				asLine('.'.repeat(1_900_000), redact);
			}),
	],
	[
		'a hundred lists to count, whose pages take almost a megabyte each, and do not end',
		'too many to read',
		asked(
			'count',
			{
				body: (at) =>
					page(
						many(50, (index) => record({ id: `${at}-${index}`, note: NOTE.slice(0, 18_000) })),
						`c${at}`,
						40,
					),
			},
			{ filters: { counties, cities: 'Tampa' } },
		),
	],
	[
		'ten counties of tiny records without an end, exported',
		'The list has more than 500,000 licenses',
		asked(
			'export',
			{
				body: (at) => {
					const data = many(1000, (index) => ({ id: `${at}-${index}`, status: 'active' }));
					return json({ data, pagination: { cursor: `c${at}`, hasMore: true } });
				},
			},
			// Without the columns of a table, which take most of the time.
			{ format: 'jsonl', filters: { counties: counties.slice(0, 10) } },
		),
	],
	[
		'characters of the longest text that From List brings',
		255,
		async () => {
			const odd = [
				{ id: NOTE },
				{ businessName: LONG },
				{ sourceUrl: `https://${'x'.repeat(90_000)}` },
			];
			const service = serviceOf({ body: () => page(odd.map(record)) });
			const context = contextFor((query) => service.answer(query));
			const { results } = await searchLicenses.call(context as unknown as ILoadOptionsFunctions);
			return Math.max(...results.flatMap(Object.values).map((text = '') => `${text}`.length));
		},
	],
	[
		'megabytes that the probe reads of an answer without end',
		'few',
		async () => {
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
	],
	[
		'records of 90 KB that a trigger reads while as many as Max Items wait',
		'few',
		async () => {
			let isPublished = false;
			let sent = 0;
			const body = (at: number, { event_type: eventType }: Record<string, string>) => {
				if (!isPublished) return page([record({ eventType, licenseNumber: 'KNOWN-1' })]);
				sent += 10;
				const more = { eventType, note: NOTE };
				const data = many(10, (index) => record({ licenseNumber: `${at}-${index}`, ...more }));
				return page(data, `c${at}`, 8000);
			};
			const trigger = triggerAt({ body }, 'waiting');
			await trigger.poll();
			isPublished = true;
			await trigger.poll();
			// The page that fills it may be the last of several lists.
			return sent <= 1000 + 10 ? 'few' : sent;
		},
	],
];

for (const [what, bound, run] of SUBJECTS) {
	most = 0;
	const came = await run();
	const isHeld = typeof bound === 'number' ? came === bound : String(came).includes(bound);
	console.log(json({ what, isHeld, came: String(came).slice(0, 300), megabytes: most }));
}
