import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Circumstances } from '../../nodes/LicensingData/actions/action.ts';
import { getMany } from '../../nodes/LicensingData/actions/getMany.ts';
import { Pace } from '../../nodes/LicensingData/api/pace.ts';
import { connect } from '../../nodes/LicensingData/api/request.ts';
import type { License } from '../../nodes/LicensingData/api/types.ts';

/** A record with the place it was given by the service, which no client sees. */
export interface Entry {
	license: License;
	rank: number;
	/** When its event was, in milliseconds; undefined where it has none. */
	time: number | undefined;
}

export interface Request {
	query: Record<string, string>;
	/** How many requests, this one included, are on their way when it arrives. */
	underWay: number;
}

type Answer = { statusCode: number; headers?: IDataObject; body: unknown };

interface ListServiceOptions {
	/** How records of the same moment stand; by rank unless given. */
	ties?: (a: Entry, b: Entry) => number;
	cursors?: 'key' | 'position';
	/** Happens before a request is answered; an answer given here replaces the list's. */
	before?: (request: Request, count: number) => Answer | undefined | void;
	/** How many turns of the event loop an answer takes. */
	turns?: () => number;
}

/**
 * The list of the service without HTTP around it, so that thousands of histories are run in seconds.
 * Everything from the request function up is the node's own.
 */
export class ListService {
	readonly requests: Request[] = [];
	private underWay = 0;
	private readonly inOrder: (a: Entry, b: Entry) => number;

	constructor(
		public entries: Entry[],
		private readonly options: ListServiceOptions = {},
	) {
		const { ties = (a, b) => a.rank - b.rank } = options;
		// Records without a moment stand at the end.
		this.inOrder = (a, b) => (b.time ?? 0) - (a.time ?? 0) || ties(a, b);
		this.sort();
	}

	sort(): void {
		this.entries.sort(this.inOrder);
	}

	async answer(query: Record<string, string>): Promise<Answer> {
		const request = { query, underWay: ++this.underWay };
		this.requests.push(request);
		try {
			const { turns = () => 1, before } = this.options;
			const given = before?.(request, this.requests.length);
			for (let turn = turns(); turn > 0; turn--) await new Promise(setImmediate);
			return given ?? { statusCode: 200, body: this.page(query) };
		} finally {
			this.underWay--;
		}
	}

	private page({ cursor, limit = '10', license_type, event_type, county }: Record<string, string>) {
		const matches = this.entries.filter(
			({ license }) =>
				(license_type === undefined || license.licenseType === license_type) &&
				(event_type === undefined || license.eventType === event_type) &&
				(county === undefined || license.address?.county === county),
		);
		const start = cursor === undefined ? 0 : this.startAt(cursor, matches);
		const shown = matches.slice(start, start + Number(limit));
		const hasMore = start + shown.length < matches.length;
		const last = shown.at(-1);
		const next = this.options.cursors === 'position' ? start + shown.length : last;
		return {
			data: shown.map(({ license }) => license),
			pagination: {
				cursor: hasMore ? JSON.stringify(next) : null,
				hasMore,
				total: matches.length,
				limit: Number(limit),
			},
		};
	}

	private startAt(cursor: string, matches: Entry[]): number {
		const place = JSON.parse(cursor) as Entry | number;
		if (typeof place === 'number') return place;
		const start = matches.findIndex((entry) => this.inOrder(entry, place) > 0);
		return start === -1 ? matches.length : start;
	}
}

export interface Read {
	licenses: License[];
	/** What was logged. */
	log: string[];
}

/** Runs Get Many as the node does, down to the request that n8n would send. */
export async function readWithGetMany(
	service: ListService,
	parameters: IDataObject = {},
	parallelRequests = 4,
	{ stop, handedOn }: { stop?: AbortSignal; handedOn?: (licenses: License[]) => void } = {},
): Promise<Read> {
	const context = {
		getCredentials: async () => ({
			baseUrl: 'https://api.example.com/v1',
			apiKey: 'ls_test_example',
		}),
		getExecutionCancelSignal: () => stop,
		helpers: {
			httpRequestWithAuthentication: async (_: string, { qs }: { qs: IDataObject }) => {
				const sent = Object.entries(qs).filter(([, value]) => value !== undefined);
				const asked = sent.map(([name, value]) => [name, String(value)] as const);
				const { headers = {}, ...answer } = await service.answer(Object.fromEntries(asked));
				stop?.throwIfAborted();
				return { ...answer, headers, body: JSON.stringify(answer.body) };
			},
		},
	} as unknown as IExecuteFunctions;

	const log: string[] = [];
	const circumstances: Circumstances = { parallelRequests, log: (line) => log.push(line) };
	const plan = getMany.plan(
		(name, fallback) => ({ returnAll: true, ...parameters })[name] ?? fallback,
	);
	const pace = new Pace(parallelRequests, stop);
	const licenses: License[] = [];
	try {
		const requests = await connect(context, { retries: 3, timeout: 30_000, pace });
		for await (const piece of getMany.run(requests, plan, circumstances)) {
			handedOn?.(piece);
			licenses.push(...piece);
		}
	} finally {
		pace.close();
	}
	return { licenses, log };
}
