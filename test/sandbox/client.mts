import { expect, onTestFinished } from 'vitest';

import { checkOf, operationOf, type Content } from '../../sandbox/contract.mts';
import {
	createSandbox,
	type LicensePage,
	type Sandbox,
	type SandboxOptions,
} from '../../sandbox/index.mts';
import { resolved } from '../support/openapi.mts';

interface Answer<Body> {
	status: number;
	headers: Headers;
	text: string;
	body: Body;
}

export interface ErrorBody {
	error: { type?: string; message: string };
}

type Query = Record<string, string | number | undefined>;

/** Asks a sandbox as any HTTP client would, with the live key unless told otherwise. */
function clientOf(sandbox: Sandbox, isChecked: boolean) {
	async function ask<Body>(
		path: string,
		{
			query = {},
			key = sandbox.keys.live as string,
			...init
		}: RequestInit & { query?: Query; key?: string } = {},
	): Promise<Answer<Body>> {
		const search = new URLSearchParams();
		for (const [name, value] of Object.entries(query))
			if (value !== undefined) search.set(name, `${value}`);
		const response = await fetch(
			`${sandbox.baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`,
			{
				...init,
				headers: { Authorization: `Bearer ${key}`, ...init.headers },
			},
		);
		const text = await response.text();
		const isJson = response.headers.get('content-type')?.startsWith('application/json');
		const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as Body;
		const line = `${init.method ?? 'GET'} ${path}`;
		if (isChecked) expect(answerFault(line, response.status, body)).toBeUndefined();
		return { status: response.status, headers: response.headers, text, body };
	}
	const list = (query: Query = {}, key?: string) =>
		ask<LicensePage>('/licenses', { query, ...(key === undefined ? {} : { key }) });
	return {
		ask,
		list,
		get: <Body = { data: LicensePage['data'][number] },>(idOrNumber: string) =>
			ask<Body>(`/licenses/${encodeURIComponent(idOrNumber)}`),
		fault: (path: string, options?: Parameters<typeof ask>[1]) => ask<ErrorBody>(path, options),
		/** Every record that a filter lets through, page after page. */
		async all(query: Query = {}, key?: string): Promise<LicensePage['data']> {
			const records: LicensePage['data'] = [];
			let cursor: string | null = null;
			do {
				const page: Answer<LicensePage> = await list(
					{ limit: 50, ...query, ...(cursor === null ? {} : { cursor }) },
					key,
				);
				records.push(...page.body.data);
				cursor = page.body.pagination.cursor;
			} while (cursor !== null);
			return records;
		},
	};
}

/** A small register for one test, all of whose answers are checked against openapi.yaml unless it is told not to. */
export async function opened(options: SandboxOptions = {}, isChecked = true) {
	const sandbox = await createSandbox({ records: 400, today: '2025-03-03', ...options });
	onTestFinished(() => sandbox.close());
	return { sandbox, register: sandbox.register, client: clientOf(sandbox, isChecked) };
}

const OPERATIONS: ReadonlyArray<[line: RegExp, operationId: string]> = [
	[/^GET \/licenses$/, 'listLicenses'],
	[/^GET \/licenses\/search$/, 'searchLicenses'],
	[/^GET \/licenses\/[^/]+$/, 'getLicense'],
	[/^POST \/webhooks$/, 'createWebhook'],
	[/^DELETE \/webhooks\/[^/]+$/, 'deleteWebhook'],
];

/** How an answer departs from openapi.yaml, or nothing. */
export function answerFault(line: string, status: number, body: unknown): string | undefined {
	const [, operationId] = OPERATIONS.find(([pattern]) => pattern.test(line)) ?? [];
	if (operationId === undefined) return undefined;
	const answer = operationOf(operationId).responses[String(status)];
	if (!answer) return `${operationId} ${status} is not in openapi.yaml`;
	const { content } = '$ref' in answer ? resolved<Content>(answer.$ref) : answer;
	const key = `${operationId} ${status}`;
	const check = checks.get(key) ?? checkOf(content?.['application/json']?.schema);
	checks.set(key, check);
	return content && check(body);
}

const checks = new Map<string, ReturnType<typeof checkOf>>();
