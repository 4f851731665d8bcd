import type { IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';

import type { License, LicensePage } from '../../sandbox/index.mts';
import { loadN8nNode, loadPackage, runWorkflow, type Step } from '../n8n/workflow.mts';

export interface Source {
	baseUrl: string;
	key: string;
	records: number;
}

export type Way =
	| 'Get Many'
	| 'HTTP Request and Split Out'
	| 'fetch loop'
	| 'limit'
	| 'limit in n8n';

const PAGE = 50;

/** The ways to read a whole list. Each returns how many records it holds at the end. */
export function waysOf(
	packageFolder: string,
): Record<Way, (source: Source, parallel?: number) => Promise<number>> {
	const { license, credential } = loadPackage(packageFolder);

	return {
		'Get Many': async (source, parallelRequests) => {
			const parameters = {
				...{ resource: 'license', operation: 'getAll', returnAll: true, output: 'raw' },
				options: parallelRequests === undefined ? {} : { parallelRequests },
			};
			const type = 'n8n-nodes-licensing-data.licensingData';
			const step = { type, nodeType: license, typeVersion: 1, parameters };
			return (await runWorkflow([step], credential, source)).length;
		},

		'HTTP Request and Split Out': async (source) =>
			(await runWorkflow(httpRequestSteps(source), credential, source)).length,

		'fetch loop': async (source) => (await loops(byFetch(source), source)).length,

		// No reader can do better: the pages are divided evenly, and nobody waits for anybody.
		limit: async (source, parallel) => (await loops(byFetch(source), source, parallel)).length,

		// No node can do better, since n8n wants every request of a node to go through it.
		'limit in n8n': async (source, parallel) => {
			const nodeType: INodeType = {
				description: { ...license.description, properties: [] },
				async execute() {
					const read = await loops(byN8n(this, source), source, parallel);
					return [read.map((one) => ({ json: one as unknown as IDataObject }))];
				},
			};
			const type = 'n8n-nodes-licensing-data.limit';
			const step = { type, nodeType, typeVersion: 1, parameters: {} };
			return (await runWorkflow([step], credential, source)).length;
		},
	};
}

/** As in n8n's documentation for a service with a cursor in the body of its answers. */
export function httpRequestSteps({ baseUrl }: Source): Step[] {
	const nextCursor = {
		type: 'qs',
		name: 'cursor',
		value: '={{ $response.body?.pagination?.cursor }}',
	};
	return [
		{
			type: 'n8n-nodes-base.httpRequest',
			nodeType: loadN8nNode('HttpRequest/HttpRequest.node.js', 'HttpRequest', 4.2),
			typeVersion: 4.2,
			parameters: {
				method: 'GET',
				url: `${baseUrl}/licenses`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'licensingDataApi',
				sendQuery: true,
				queryParameters: { parameters: [{ name: 'limit', value: `${PAGE}` }] },
				options: {
					pagination: {
						pagination: {
							paginationMode: 'updateAParameterInEachRequest',
							parameters: { parameters: [nextCursor] },
							paginationCompleteWhen: 'other',
							completeExpression: '={{ !$response.body.pagination.hasMore }}',
							limitPagesFetched: false,
							requestInterval: 0,
						},
					},
				},
			},
		},
		{
			type: 'n8n-nodes-base.splitOut',
			nodeType: loadN8nNode('Transform/SplitOut/SplitOut.node.js', 'SplitOut', 1),
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'data', options: {} },
		},
	];
}

type FetchPage = (query: Record<string, string>) => Promise<LicensePage>;

async function loops(fetchPage: FetchPage, { records }: Source, parallel = 1): Promise<License[]> {
	const pages = Math.ceil(records / PAGE / parallel);
	const parts = Array.from({ length: parallel }, async () => await readPages(fetchPage, pages));
	return (await Promise.all(parts)).flat();
}

async function readPages(fetchPage: FetchPage, pages: number): Promise<License[]> {
	const licenses: License[] = [];
	let cursor: string | null = null;
	for (let page = 0; page < pages; page++) {
		const { data, pagination } = await fetchPage({ limit: `${PAGE}`, ...(cursor && { cursor }) });
		licenses.push(...data);
		({ cursor } = pagination);
	}
	return licenses;
}

const byFetch =
	({ baseUrl, key }: Source): FetchPage =>
	async (query) => {
		const answer = await fetch(`${baseUrl}/licenses?${new URLSearchParams(query)}`, {
			headers: { Authorization: `Bearer ${key}` },
		});
		return (await answer.json()) as LicensePage;
	};

const byN8n =
	(context: IExecuteFunctions, { baseUrl }: Source): FetchPage =>
	async (qs) =>
		(await context.helpers.httpRequestWithAuthentication.call(context, 'licensingDataApi', {
			url: `${baseUrl}/licenses`,
			qs,
		})) as LicensePage;
