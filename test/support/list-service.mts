import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Circumstances } from '../../nodes/LicensingData/actions/action.ts';
import { getMany } from '../../nodes/LicensingData/actions/getMany.ts';
import { RequestLimiter } from '../../nodes/LicensingData/transport/requestLimiter.ts';
import { connect } from '../../nodes/LicensingData/transport/request.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { asSent, FakeService, type FakeServiceOptions } from './fake-service.mts';

export interface Request {
	query: Record<string, string>;
	/** How many requests, including this one, are in flight when it arrives. */
	underWay: number;
}

type Answer = { statusCode: number; headers?: IDataObject; body: unknown };

interface ListServiceOptions extends Partial<FakeServiceOptions> {
	/** Runs before a request is answered; an answer returned here replaces the list's. */
	before?: (request: Request, count: number) => Answer | undefined | void;
	/** How many turns of the event loop an answer takes. */
	turns?: () => number;
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
	private readonly turns: () => number;

	constructor(
		records: License[],
		{ before = () => undefined, turns = () => 1, ...options }: ListServiceOptions = {},
	) {
		super({ sortedBy: 'arrival', ...options });
		this.before = before;
		this.turns = turns;
		for (const record of [...records].reverse()) this.insert(record);
	}

	async answer(query: Record<string, string>): Promise<Answer> {
		const request = { query, underWay: ++this.underWay };
		this.requests.push(request);
		try {
			const given = this.before(request, this.requests.length);
			for (let turn = this.turns(); turn > 0; turn--) await new Promise(setImmediate);
			const page = this.page(query);
			return given ?? { statusCode: page ? 200 : 400, body: page ?? {} };
		} finally {
			this.underWay--;
		}
	}
}

/** The parts of n8n's context that lead to a request, with the list right behind them. */
export const contextFor = (answer: (query: Record<string, string>) => Promise<Answer>) => ({
	getCredentials: async () => ({
		baseUrl: 'https://api.example.com/v1',
		apiKey: 'ls_test_example',
	}),
	helpers: {
		httpRequestWithAuthentication: async (_: string, { qs }: { qs: IDataObject }) => {
			const { headers = {}, body, statusCode } = await answer(asSent(qs));
			return { statusCode, headers, body: JSON.stringify(body) };
		},
	},
});

export interface Read {
	licenses: License[];
	/** What was logged. */
	log: string[];
	/** What the user reads above the output. */
	hints: string[];
}

/** Runs Get Many as the node does, down to the request that n8n would send. */
export async function readWithGetMany(
	service: ListService,
	parameters: IDataObject = {},
	parallelRequests: number | undefined = 4,
	{ handedOn }: { handedOn?: (licenses: License[]) => void } = {},
): Promise<Read> {
	const context = contextFor((query) => service.answer(query)) as unknown as IExecuteFunctions;

	const log: string[] = [];
	const hints: string[] = [];
	const circumstances: Circumstances = {
		parallelRequests,
		log: (line) => log.push(line),
		hint: (line) => hints.push(line),
	};
	const plan = getMany.plan(
		(name, fallback) => ({ returnAll: true, ...parameters })[name] ?? fallback,
	);
	const limiter = new RequestLimiter(parallelRequests);
	const licenses: License[] = [];
	try {
		const requests = await connect(context, { retries: 3, timeout: 30_000, limiter });
		for await (const piece of getMany.run(requests, plan, circumstances)) {
			handedOn?.(piece);
			licenses.push(...piece);
		}
	} finally {
		limiter.close();
	}
	return { licenses, log, hints };
}
