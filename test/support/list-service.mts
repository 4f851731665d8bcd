import { Readable } from 'node:stream';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { API_KEY } from './answers.mts';
import { runLicense } from './nodes.mts';

export type Query = Record<string, string>;

export interface Answer {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/** Whether the service lists a record with these filters; what says nothing, with any of them if it is lenient. */
export function isListed(
	{ county, license_type, event_type, status }: Query,
	{ address, licenseType, eventType, status: its }: License,
	isLenient = false,
): boolean {
	const is = (asked: string | undefined, value: unknown): boolean =>
		asked === undefined || (isLenient ? String(value ?? asked).startsWith(asked) : value === asked);
	return (
		is(county, address?.county) &&
		is(license_type, licenseType) &&
		is(event_type, eventType) &&
		is(status, its)
	);
}

/** A page of a list. A cursor is a position. */
export function pageOf<Shown>(all: Shown[], { cursor = '0', limit = '10' }: Query) {
	const end = Number(cursor) + Number(limit);
	const hasMore = end < all.length;
	return {
		data: all.slice(Number(cursor), end),
		pagination: { cursor: hasMore ? String(end) : null, hasMore, total: all.length },
	};
}

/** Puts the service right behind the node, without HTTP in between: thousands of requests take seconds. */
export function answerWith(
	helpers: object,
	answer: (query: Query) => Answer | Promise<Answer>,
): void {
	const httpRequestWithAuthentication = async (_: string, { qs = {} }: { qs?: IDataObject }) => {
		const given = Object.entries(qs).filter(([, value]) => value !== undefined);
		const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
		const { status: statusCode = 200, headers = {}, body = {} } = await answer(query);
		return { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
	};
	Object.assign(helpers, { httpRequestWithAuthentication });
}

interface Request {
	query: Query;
	/** How many requests, including this one, are in flight when it arrives. */
	underWay: number;
}

interface Options {
	/** Runs before a request is answered; an answer returned here replaces the list's. */
	before?: (request: Request, count: number) => Answer | Promise<Answer> | undefined | void;
	/** How many turns of the event loop an answer takes. */
	turns?: number;
}

let services = 0;

/** The service's list in memory, from the top. */
export class ListService {
	readonly requests: Request[] = [];
	/** Each has an address of its own, as all that use a key share how fast it may be used. */
	readonly credentials = { baseUrl: `https://api${++services}.example.com/v1`, apiKey: API_KEY };
	private underWay = 0;
	private readonly views = new Map<string, License[]>();

	constructor(
		readonly records: License[],
		private readonly options: Options = {},
	) {}

	/** Everything that these filters show. */
	list(filters: Query): License[] {
		const name = JSON.stringify(filters);
		const view = this.views.get(name) ?? this.records.filter((one) => isListed(filters, one));
		this.views.set(name, view);
		return view;
	}

	page(query: Query) {
		const { cursor: _cursor, limit: _limit, ...filters } = query;
		return pageOf(this.list(filters), query);
	}

	async answer(query: Query): Promise<Answer> {
		const request = { query, underWay: ++this.underWay };
		this.requests.push(request);
		try {
			const given = this.options.before?.(request, this.requests.length);
			for (let turn = this.options.turns ?? 1; turn > 0; turn--) await new Promise(setImmediate);
			return (await given) ?? { body: this.page(query) };
		} finally {
			this.underWay--;
		}
	}
}

/** Runs the License node on the list. What makes the node fail is thrown. */
export async function runOn(service: ListService, parameters: IDataObject, timeZone = 'UTC') {
	const nodeType = new LicensingData();
	const { execute } = nodeType;
	nodeType.execute = async function (): Promise<INodeExecutionData[][]> {
		answerWith(this.helpers, async (query) => await service.answer(query));
		this.getTimezone = () => timeZone;
		return await execute.call(this);
	};
	const { credentials } = service;
	const { items, error, hints } = await runLicense(parameters, { nodeType, credentials });
	if (error) throw error;
	return { items: items.map(({ json }) => json), hints };
}
