import { Readable } from 'node:stream';

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type {
	OperationType,
	Execution,
} from '../../nodes/LicensingData/operations/operationType.ts';
import { getMany } from '../../nodes/LicensingData/operations/getMany.operation.ts';
import { connect } from '../../nodes/LicensingData/service/client.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/waitAllowance.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';

/** A record as it is in the list. */
interface ListEntry {
	record: License;
	/** Counts up with each insert: the list shows the highest first. */
	serial: number;
}

interface Request {
	query: Record<string, string>;
	/** How many requests, including this one, are in flight when it arrives. */
	underWay: number;
}

/** A text is sent as it is, and a body as JSON. */
type Answer = { statusCode: number; headers?: IDataObject; body?: unknown; text?: string };

interface Options {
	/** What a cursor stands for: a count of records, or the last record read. */
	cursors?: 'position' | 'key';
	/** Runs before a request is answered; an answer returned here replaces the list's. */
	before?: (request: Request, count: number) => Answer | Promise<Answer> | undefined | void;
	/** How many turns of the event loop an answer takes. */
	turns?: (request: Request) => number;
}

/**
 * The service's list, called by a node without HTTP in between, so that thousands of histories run in seconds: what the
 * interface says about it, and what it leaves open. Everything above the request function is the node's own.
 */
export class ListService {
	readonly requests: Request[] = [];
	private underWay = 0;
	private readonly entries: ListEntry[];
	private everListed: number;
	private readonly views = new Map<string, ListEntry[]>();

	constructor(
		records: License[],
		private readonly options: Options = {},
	) {
		const serials = records.length - 1;
		this.entries = records.map((record, at) => ({ record, serial: serials - at }));
		this.everListed = records.length;
	}

	async answer(query: Record<string, string>): Promise<Answer> {
		const { before, turns = () => 1 } = this.options;
		const request = { query, underWay: ++this.underWay };
		this.requests.push(request);
		try {
			const given = before?.(request, this.requests.length);
			for (let turn = turns(request); turn > 0; turn--) await new Promise(setImmediate);
			return (await given) ?? { statusCode: 200, body: this.page(query) };
		} finally {
			this.underWay--;
		}
	}

	get records(): License[] {
		return this.list({});
	}

	/** Everything that these filters show, from the top. */
	list(filters: Record<string, string>): License[] {
		return this.viewOf(filters).map(({ record }) => record);
	}

	/** On top. */
	insert(record: License): void {
		const entry = { record, serial: this.everListed++ };
		this.entries.unshift(entry);
		this.views.clear();
	}

	remove(record: License): void {
		const index = this.entries.findIndex((entry) => entry.record === record);
		if (index === -1) return;
		this.entries.splice(index, 1);
		this.views.clear();
	}

	page({ cursor, limit = '10', ...filters }: Record<string, string>) {
		const { cursors = 'key' } = this.options;
		const view = this.viewOf(filters);
		const start = cursor === undefined ? 0 : this.startAt(Number(cursor), view);
		const end = start + Number(limit);
		const shown = view.slice(start, end);
		const hasMore = end < view.length;
		const way = cursors === 'position' ? end : shown.at(-1)?.serial;
		return {
			data: shown.map(({ record }) => record),
			pagination: {
				cursor: hasMore ? String(way) : null,
				hasMore,
				total: view.length,
				limit: Number(limit),
			},
		};
	}

	private viewOf(filters: Record<string, string>): ListEntry[] {
		const name = JSON.stringify(filters);
		const view =
			this.views.get(name) ?? this.entries.filter(({ record }) => isShown(record, filters));
		this.views.set(name, view);
		return view;
	}

	private startAt(cursor: number, view: ListEntry[]): number {
		if (this.options.cursors === 'position') return cursor;
		// The record that it stands for may have left the list.
		const index = view.findIndex(({ serial }) => serial < cursor);
		return index === -1 ? view.length : index;
	}
}

/** Whether the service lists the record with these filters. */
function isShown(record: License, filters: Record<string, string>): boolean {
	const same = (asked: string | undefined, value: string | null | undefined): boolean =>
		asked === undefined || asked.toLowerCase() === value?.toLowerCase();
	return (
		same(filters.county, record.address?.county) &&
		same(filters.license_type, record.licenseType) &&
		same(filters.event_type, record.eventType) &&
		same(filters.status, record.status)
	);
}

let services = 0;

/**
 * The parts of n8n's context that lead to a request, with the list right behind them. Each has an address of its own,
 * as all that use a key share how fast it may be used.
 */
export const contextFor = (
	answer: (query: Record<string, string>) => Promise<Answer>,
	baseUrl = `https://api${++services}.example.com/v1`,
) => ({
	getNode: () => ({ type: 'licensingData' }),
	getCredentials: async () => ({ baseUrl, apiKey: 'ls_test_example' }),
	helpers: {
		httpRequestWithAuthentication: async (_: string, { qs = {} }: { qs?: IDataObject }) => {
			const given = Object.entries(qs).filter(([, value]) => value !== undefined);
			const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
			const { headers = {}, body, text, statusCode } = await answer(query);
			const bytes = Buffer.from(text ?? JSON.stringify(body));
			return { statusCode, headers, body: Readable.from([bytes]) };
		},
	},
});

/** Runs an action as the node does, down to the request that n8n would send. Licenses come out raw. */
export async function runAction(
	action: OperationType,
	service: ListService,
	parameters: IDataObject,
	{ parallelRequests, ...more }: Partial<Execution> & { parallelRequests?: number } = {},
) {
	const log: string[] = [];
	const hints: string[] = [];
	const execution = {
		toItem: (license: License) => ({ json: license as IDataObject }),
		log: (line: string) => log.push(line),
		hint: (line: string) => hints.push(line),
		warn: (line: string) => [log, hints].forEach((lines) => lines.push(line)),
		timeZone: 'UTC',
		...more,
		run: new WaitAllowance((line) => execution.warn(line)).open(parallelRequests),
	} as Execution;
	const { run } = execution;
	const context = contextFor((query) => service.answer(query)) as unknown as IExecuteFunctions;
	const items: INodeExecutionData[] = [];
	try {
		const connected = await connect(context, { retries: 3, timeout: 30_000, caller: run });
		const read = action.readParameters(
			(name, fallback) => parameters[name] ?? fallback,
			execution.timeZone,
		);
		for await (const some of action.run(connected, read, execution)) items.push(...some);
	} finally {
		run.hasEnded = true;
	}
	return { items, log, hints };
}

/** Without a number of parallel requests, the node finds out how many the service likes. */
export async function readWithGetMany(
	service: ListService,
	parameters: IDataObject = {},
	parallelRequests?: number,
) {
	const { items, ...others } = await runAction(
		getMany as OperationType,
		service,
		{ returnAll: true, ...parameters },
		{ parallelRequests },
	);
	return { licenses: items.map(({ json }) => json), ...others };
}
