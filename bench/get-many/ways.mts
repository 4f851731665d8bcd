import { loadN8nNode, loadPackage, runWorkflow, type Step } from '../n8n/workflow.mts';

export interface Source {
	baseUrl: string;
	key: string;
	/** All of Florida unless given. */
	county?: string;
	records: number;
}

export const WAYS = ['Get Many', 'a plain loop', "n8n's HTTP Request, then Split Out"] as const;
export type Way = (typeof WAYS)[number];

const PAGE = 50;

/** The ways to read a whole list. Each returns how many records it holds at the end. */
export function waysOf(packageFolder: string): Record<Way, (source: Source) => Promise<number>> {
	const { license, credential } = loadPackage(packageFolder);

	return {
		'Get Many': async (source) => {
			const parameters = {
				resource: 'license',
				operation: 'getAll',
				returnAll: true,
				output: 'raw',
				filters: source.county === undefined ? {} : { counties: [source.county] },
			};
			const type = 'n8n-nodes-licensing-data.licensingData';
			const step = { type, nodeType: license, typeVersion: 1, parameters };
			return (await runWorkflow([step], credential, source)).length;
		},

		'a plain loop': async ({ baseUrl, key, county }) => {
			const records: unknown[] = [];
			for (let cursor: string | null = ''; cursor !== null; ) {
				const query = new URLSearchParams({ limit: `${PAGE}` });
				if (county !== undefined) query.set('county', county);
				if (cursor !== '') query.set('cursor', cursor);
				const headers = { authorization: `Bearer ${key}` };
				const answer = await fetch(`${baseUrl}/licenses?${query}`, { headers });
				const page = (await answer.json()) as { data: unknown[]; pagination: { cursor: string } };
				records.push(...page.data);
				cursor = page.pagination.cursor;
			}
			return records.length;
		},

		"n8n's HTTP Request, then Split Out": async (source) =>
			(await runWorkflow(httpRequestSteps(source), credential, source)).length,
	};
}

/** The way in n8n's documentation for a service with a cursor in the body of its answers. */
export function httpRequestSteps({ baseUrl, county }: Omit<Source, 'records'>): Step[] {
	const filters = county === undefined ? [] : [{ name: 'county', value: county }];
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
				queryParameters: { parameters: [{ name: 'limit', value: `${PAGE}` }, ...filters] },
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
