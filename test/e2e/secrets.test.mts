import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Credential, Node } from '../../playground/client.mts';
import { installHost } from '../../playground/host.mts';
import { to, using } from './forwarding.mts';
import { openStage, type Stage } from './stage.mts';

/** Recognizable, and made of characters that look different in a URL. */
const KEY = 'ls_live_example+Secret/e2e==';

const FORMS = {
	plain: KEY,
	'URL-encoded': encodeURIComponent(KEY),
};

/** What the service does with a request; every word it says gives the key away. */
const echo = JSON.stringify({
	error: {
		type: 'odd',
		message: `Your key ${KEY}, or ${encodeURIComponent(KEY)}`,
	},
});
const record = { id: 'lic_e2e_marker', businessName: 'Marked', eventType: 'new_filing' };
const list = JSON.stringify({
	data: [record],
	pagination: { cursor: null, hasMore: false, total: 1, limit: 50 },
});

type Trouble = (response: ServerResponse, elsewhere: string) => void;

/**
 * One for each way on which a service's words get into n8n, and what a user then reads. All other troubles are
 * met without n8n, in test/hostile.
 */
const TROUBLES: Array<[name: string, said: string, trouble: Trouble]> = [
	['a good answer', record.id, (response) => response.end(list)],
	['status 401', 'The API key was not accepted', (response) => response.writeHead(401).end(echo)],
	[
		'a web page as a good answer',
		'The answer is a web page',
		(response) =>
			response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${KEY}</html>`),
	],
	[
		'a record whose field is named by the key',
		'Record 2 of 2 should be a license, but has neither',
		(response) => response.end(list.replace(']', `,{"${KEY}":1}]`)),
	],
	[
		'a redirect',
		'The service redirects to ',
		(response, elsewhere) =>
			response.writeHead(302, { location: `${elsewhere}/v1/licenses` }).end(echo),
	],
];

let stage: Stage;
let service: Server;
let elsewhere: Server;
/** What n8n answered, which is where a person would see the key. */
const told: string[] = [];
const keysHeard = new Set<string | undefined>();
const heardElsewhere: IncomingMessage[] = [];

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
	elsewhere = createServer((request, response) => {
		heardElsewhere.push(request);
		response.end(list);
	}).listen(0, '127.0.0.1');
	service = createServer((request, response) => {
		keysHeard.add(request.headers.authorization);
		const index = Number(/^(?:http:\/\/[^/]+)?\/(\d+)\//.exec(request.url ?? '')?.[1]);
		TROUBLES[index]?.[2](response, originOf(elsewhere));
	}).listen(0, '127.0.0.1');
	await Promise.all([service, elsewhere].map(async (server) => await once(server, 'listening')));
	stage = await openStage('secrets', {
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_OUTPUT: 'console,file',
		EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true',
		// n8n tries a trigger five times in fifteen seconds: nearly all of this test is such waits, in parallel.
		N8N_WORKFLOW_PUBLICATION_CONCURRENCY: '50',
	});
});
afterAll(async () => {
	await stage?.close();
	service?.closeAllConnections();
	service?.close();
	elsewhere?.close();
});

/** Asks n8n, and keeps every word of what it says, good or bad. */
async function ask<T>(work: Promise<T>): Promise<T | undefined> {
	try {
		const answer = await work;
		told.push(JSON.stringify(answer) ?? '');
		return answer;
	} catch (error) {
		told.push(`${(error as Error).message} ${(error as Error).stack}`);
		return undefined;
	}
}

const PREFIX = 'n8n-nodes-licensing-data';

function nodeOf(credential: Credential, type: string, parameters: object, more = {}): Node {
	return {
		id: randomUUID(),
		name: `${type} ${randomUUID().slice(0, 8)}`,
		type: `${PREFIX}.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters: { ...parameters },
		credentials: using(credential),
		...more,
	};
}

/** All but Search continue on failure: n8n stores the two in different places. */
async function runOperations(credential: Credential): Promise<string> {
	const path = randomUUID();
	const options = { retries: 1 };
	const licensing = (parameters: object, more = {}) =>
		nodeOf(credential, 'licensingData', { resource: 'license', options, ...parameters }, more);
	const webhook: Node = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		position: [0, 0],
		webhookId: path,
		parameters: { path, responseMode: 'lastNode', responseData: 'allEntries', options: {} },
	};
	const goesOn = { onError: 'continueRegularOutput' };
	const nodes = [
		webhook,
		licensing({ operation: 'get', licenseId: 'lic_1' }, goesOn),
		licensing({ operation: 'getAll', output: 'raw' }, { ...goesOn, alwaysOutputData: true }),
		licensing({ operation: 'match', businessName: 'Marked' }, goesOn),
		licensing({ operation: 'count' }, goesOn),
		licensing({ operation: 'export', format: 'csv' }, goesOn),
		licensing({ operation: 'search', query: 'bar' }),
	];
	const connections = Object.fromEntries(
		nodes.slice(0, -1).map(({ name }, index) => [name, to(nodes[index + 1]?.name ?? '')]),
	);
	const workflow = await stage.client.createWorkflow({ name: path, nodes, connections });
	await ask(stage.client.activate(workflow.id));
	const response = await fetch(`${stage.client.address}/webhook/${path}`);
	told.push(await response.text());
	await stage.client.deactivate(workflow.id);
	return workflow.id;
}

async function executionOf(workflowId: string): Promise<string> {
	const { results } = await stage.client.executions(workflowId);
	return JSON.stringify(await stage.client.request('GET', `/rest/executions/${results[0]?.id}`));
}

/** Asks the service when its workflow is published. */
async function publish(credential: Credential, type: string): Promise<void> {
	const parameters = { eventTypes: [], output: 'raw' };
	const { id } = await stage.client.createWorkflow({
		name: `${type} ${randomUUID()}`,
		nodes: [nodeOf(credential, type, parameters, { webhookId: randomUUID() })],
		connections: {},
	});
	await ask(stage.client.activate(id));
	await ask(stage.client.deactivate(id));
}

async function openList(credential: Credential): Promise<void> {
	await ask(
		stage.client.request('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
			path: 'parameters.licenseId',
			methodName: 'searchLicenses',
			nodeTypeAndVersion: { name: `${PREFIX}.licensingData`, version: 1 },
			currentNodeParameters: { resource: 'license', operation: 'get' },
			credentials: using(credential),
		}),
	);
}

interface Address {
	name: string;
	said: string;
	baseUrl: string;
}

async function goThrough({ name, said, baseUrl }: Address): Promise<void> {
	const credential = await connectTo(name, baseUrl);
	told.push(JSON.stringify(credential));
	const workflowId = await runOperations(credential);
	await expect.poll(async () => await executionOf(workflowId), { message: name }).toContain(said);
	await Promise.all([
		publish(credential, 'licensingDataTrigger'),
		publish(credential, 'licensingDataWebhookTrigger'),
		openList(credential),
		ask(stage.client.testCredential(credential, { baseUrl, apiKey: KEY })),
	]);
}

const connectTo = async (name: string, baseUrl: string) =>
	await stage.client.saveCredential(name, 'licensingDataApi', { baseUrl, apiKey: KEY });

describe('A live key', () => {
	const addresses = (): Address[] => [
		...TROUBLES.map(([name, said], index) => ({
			name,
			said,
			baseUrl: `${originOf(service)}/${index}/v1`,
		})),
		{
			// Of what breaks below HTTP, this alone is not tried again, five times for each of n8n's own five tries.
			name: 'a name that does not exist',
			said: 'address does not exist',
			baseUrl: 'https://licensing.invalid/v1',
		},
	];

	it(
		'meets failures of every kind, in every operation and both triggers',
		{ timeout: 900_000 },
		async () => {
			// n8n waits a while before it gives up on a trigger; all wait together.
			await Promise.all(addresses().map(goThrough));

			const executions = await stage.client.request<{ results: Array<{ id: string }> }>(
				'GET',
				'/rest/executions?limit=100',
			);
			for (const { id } of executions.results) {
				await ask(stage.client.request('GET', `/rest/executions/${id}`));
			}
			for (const { id } of await stage.client.credentials()) {
				await ask(stage.client.request('GET', `/rest/credentials/${id}?includeData=true`));
			}
			expect(executions.results.length).toBeGreaterThanOrEqual(addresses().length);
			expect(keysHeard).toEqual(new Set([`Bearer ${KEY}`]));
		},
	);

	it('was carried to no other host by a redirect', () => {
		expect(heardElsewhere).toEqual([]);
	});

	it('was told to nobody', () => {
		const words = told.join('\n');
		expect(words).toContain('The API key was not accepted');
		expect(words).toContain(record.businessName);
		for (const [form, text] of Object.entries(FORMS))
			expect(words.includes(text), form).toBe(false);
	});

	it('stands in nothing that n8n wrote: database, logs, events', async () => {
		await stage.close();
		const written = new Map<string, string>();
		for (const path of await filesBelow(stage.folder)) {
			written.set(path, await readFile(path, 'latin1'));
		}
		const database = [...written.keys()].find((path) => path.endsWith('database.sqlite')) ?? '';
		written.set('every row of the database', await rowsOf(database));

		const all = [...written.values()].join('\n');
		expect(all).toContain('The API key was not accepted');
		expect(written.get('every row of the database')).toContain(record.businessName);
		expect([...written.keys()].join('\n')).toMatch(/n8nEventLog.*\.log/);
		expect(all).toMatch(/\bdebug\b/);
		for (const [path, content] of written) {
			for (const [form, text] of Object.entries(FORMS)) {
				expect(content.includes(text), `${form} in ${path}`).toBe(false);
			}
		}
	});
});

/** Everything in this n8n's folder, except for the package that was put there. */
async function filesBelow(folder: string): Promise<string[]> {
	const names = await readdir(folder, { recursive: true });
	const paths = names
		.filter((name) => !name.includes('node_modules') && !name.includes('.cache'))
		.map((name) => join(folder, name));
	const isFile = await Promise.all(paths.map(async (path) => (await stat(path)).isFile()));
	return paths.filter((_, index) => isFile[index]);
}

/** A row may be split between two pages of the file, so its text is queried as well. */
async function rowsOf(database: string): Promise<string> {
	const { node } = await installHost();
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(process.argv[1], { readOnly: true });
		for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()) {
			for (const row of database.prepare('SELECT * FROM "' + name + '"').all()) {
				console.log(Object.values(row).map((value) => value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)).join('\\n'));
			}
		}`;
	const { stdout } = await promisify(execFile)(node, ['-e', script, database], {
		maxBuffer: 1_000_000_000,
	});
	return stdout;
}
