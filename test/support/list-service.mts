import { Readable } from 'node:stream';

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type {
	OperationType,
	Execution,
} from '../../nodes/LicensingData/operations/operationType.ts';
import { getMany } from '../../nodes/LicensingData/operations/getMany.operation.ts';
import { connect } from '../../nodes/LicensingData/service/client.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/retries.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { asSent, FakeService, type FakeServiceOptions } from './fake-service.mts';

export interface Request {
	query: Record<string, string>;
	/** How many requests, including this one, are in flight when it arrives. */
	underWay: number;
}

/** A text is sent as it is, and a body as JSON. */
type Answer = { statusCode: number; headers?: IDataObject; body?: unknown; text?: string };

interface ListServiceOptions extends Partial<FakeServiceOptions> {
	/** Runs before a request is answered; an answer returned here replaces the list's. */
	before?: (request: Request, count: number) => Answer | undefined | void;
	/** How many turns of the event loop an answer takes. */
	turns?: (request: Request) => number;
	/** How many milliseconds of the clock it takes. */
	takes?: () => number;
}

/**
 * The service's list, called by a node without HTTP in between, so that thousands of histories run in
 * seconds. Everything above the request function is the node's own. Unless told otherwise, it lists the
 * records as they are given.
 */
export class ListService extends FakeService {
	readonly requests: Request[] = [];
	private underWay = 0;
	private readonly before: NonNullable<ListServiceOptions['before']>;
	private readonly turns: (request: Request) => number;
	private readonly takes?: () => number;

	constructor(
		records: License[],
		{ before = () => undefined, turns = () => 1, takes, ...options }: ListServiceOptions = {},
	) {
		super({ sortedBy: 'arrival', ...options });
		this.takes = takes;
		this.before = before;
		this.turns = turns;
		for (const record of [...records].reverse()) this.insert(record);
	}

	async answer(query: Record<string, string>): Promise<Answer> {
		const request = { query, underWay: ++this.underWay };
		this.requests.push(request);
		try {
			const given = this.before(request, this.requests.length);
			for (let turn = this.turns(request); turn > 0; turn--) await new Promise(setImmediate);
			const { takes } = this;
			if (takes) await new Promise((resolve) => setTimeout(resolve, takes()));
			const page = this.page(query);
			return given ?? { statusCode: page ? 200 : 400, body: page ?? {} };
		} finally {
			this.underWay--;
		}
	}
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
	getCredentials: async () => ({ baseUrl, apiKey: 'ls_test_example' }),
	helpers: {
		httpRequestWithAuthentication: async (_: string, { qs }: { qs: IDataObject }) => {
			const { headers = {}, body, text, statusCode } = await answer(asSent(qs ?? {}));
			return {
				statusCode,
				headers,
				body: Readable.from([Buffer.from(text ?? JSON.stringify(body))]),
			};
		},
	},
});

/** Runs an action as the node does, down to the request that n8n would send. Licenses come out raw. */
export async function runAction(
	action: OperationType,
	service: ListService,
	parameters: IDataObject,
	{
		handedOn = () => {},
		parallelRequests,
		...more
	}: Partial<Execution> & { handedOn?: HandedOn; parallelRequests?: number } = {},
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
		const read = action.readParameters((name, fallback) => parameters[name] ?? fallback);
		for await (const some of action.run(connected, read, execution)) {
			await handedOn(some);
			items.push(...some);
		}
	} finally {
		run.hasEnded = true;
	}
	return { items, log, hints };
}

/** Told of every batch of items when the node hands it on. */
type HandedOn = (items: INodeExecutionData[]) => unknown;

export interface Read {
	licenses: License[];
	/** What was logged. */
	log: string[];
	/** What the user reads above the output. */
	hints: string[];
}

export async function readWithGetMany(
	service: ListService,
	parameters: IDataObject = {},
	parallelRequests: number | undefined = 4,
	{ handedOn }: { handedOn?: HandedOn } = {},
): Promise<Read> {
	const { items, ...others } = await runAction(
		getMany as OperationType,
		service,
		{ returnAll: true, ...parameters },
		{ parallelRequests, handedOn },
	);
	return { licenses: items.map(({ json }) => json), ...others };
}
