import {
	createSandbox,
	simulatedClock,
	type LicensePage,
	type SandboxOptions,
	type StreamSandbox,
	type StreamOptions,
} from '../../sandbox/index.mts';
import { onTestFinished } from 'vitest';

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
export function clientOf(sandbox: Pick<StreamSandbox, 'baseUrl' | 'keys'>) {
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
		return {
			status: response.status,
			headers: response.headers,
			text,
			body: (isJson && text !== '' ? JSON.parse(text) : undefined) as Body,
		};
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

/** A small register for one test, all of whose answers are checked against openapi.yaml. */
export async function opened(options: SandboxOptions = {}) {
	const sandbox = await createSandbox({ records: 400, checkAnswers: true, ...options });
	onTestFinished(() => sandbox.close());
	return { sandbox, register: sandbox.register, client: clientOf(sandbox) };
}

/** A stream for one test: its time stands still unless given a clock, and openapi.yaml checks its answers. */
export async function started(options: StreamOptions = {}) {
	const sandbox = await createSandbox({
		kind: 'stream',
		records: 300,
		clock: simulatedClock('2026-09-24T12:00:00Z'),
		checkAnswers: true,
		...options,
	});
	onTestFinished(() => sandbox.close());
	return { sandbox, client: clientOf(sandbox) };
}
