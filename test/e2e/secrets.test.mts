import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

import type { Credential } from '../../playground/client.mts';
import { listen } from '../support/loopback.mts';
import { answeringWebhook, chain, licenseNode, type Step, using } from './forwarding.mts';
import { openStage } from './stage.mts';

/** Recognizable, and made of characters that look different in a URL. */
const KEY = 'ls_live_example+Secret/e2e==';

const holdsKey = (text: string) => [KEY, encodeURIComponent(KEY)].some((it) => text.includes(it));

/** Every word of it gives the key away. */
const echo = JSON.stringify({
	error: { type: 'odd', message: `Your key ${KEY}, or ${encodeURIComponent(KEY)}` },
});
const record = { id: 'lic_e2e_marker', businessName: 'Marked', eventType: 'new_filing' };
const list = JSON.stringify({
	data: [record],
	pagination: { cursor: null, hasMore: false, total: 1, limit: 50 },
});

/**
 * One for each way on which a service's words get into n8n, and what a user then reads. All other troubles are
 * met without n8n, in test/hostile.
 */
const ANSWERS: Array<[said: string, answer: (response: ServerResponse) => void]> = [
	[record.id, (response) => response.end(list)],
	['The API key was not accepted', (response) => response.writeHead(401).end(echo)],
	[
		'Record 2 of 2 should be a license, but has neither',
		(response) => response.end(list.replace(']', `,{"${KEY}":1}]`)),
	],
];

/** What n8n answered, which is where a person would see the key. */
const told: string[] = [];
const keysHeard = new Set<string | undefined>();

const service = await listen(({ headers, url }, response) => {
	keysHeard.add(headers.authorization);
	ANSWERS[Number(url?.split('/')[1])]?.[1](response);
});
const stage = await openStage('secrets', {
	N8N_LOG_LEVEL: 'debug',
	N8N_LOG_OUTPUT: 'console,file',
	EXECUTIONS_DATA_SAVE_ON_PROGRESS: 'true',
	// n8n tries a trigger five times in fifteen seconds: nearly all of this test is such waits, in parallel.
	N8N_WORKFLOW_PUBLICATION_CONCURRENCY: '50',
});
afterAll(async () => {
	for (const one of [stage, service]) await one.close();
});

/** Keeps every word of what n8n says, good or bad. */
async function ask(work: Promise<unknown>): Promise<void> {
	const answer = await work.catch(({ message, stack }: Error) => ({ message, stack }));
	told.push(JSON.stringify({ answer }));
}

const request = async (method: string, path: string, body?: object) =>
	await ask(stage.client.request(method, path, body));

/** All but Search continue on failure: n8n stores the two in different places. */
async function runOperations(credential: Credential): Promise<string> {
	const operations = {
		get: { licenseId: 'lic_1' },
		getAll: { output: 'raw' },
		match: { businessName: 'Marked' },
		count: {},
		export: { format: 'csv' },
		search: { query: 'bar' },
	};
	const goesOn = { onError: 'continueRegularOutput', alwaysOutputData: true };
	const path = randomUUID();
	const steps = Object.entries(operations).map(([name, parameters]) => {
		const step = { operation: name, options: { retries: 1 }, ...parameters };
		return { name, ...licenseNode(credential, step), ...(name !== 'search' && goesOn) };
	});
	const { id } = await stage.client.createWorkflow(chain(path, answeringWebhook(path), ...steps));
	await ask(stage.client.activate(id));
	const response = await fetch(`${stage.client.address}/webhook/${path}`, { method: 'POST' });
	told.push(await response.text());
	await stage.client.deactivate(id);
	return id;
}

/** Asks the service when its workflow is published. */
async function publish(step: Step, kind: string): Promise<void> {
	const type = `n8n-nodes-licensing-data.${kind}`;
	const parameters = { eventTypes: [], output: 'raw' };
	const webhookId = randomUUID();
	const workflow = chain(kind, { ...step, type, parameters, webhookId });
	const { id } = await stage.client.createWorkflow(workflow);
	await ask(stage.client.activate(id));
	await ask(stage.client.deactivate(id));
}

async function goThrough(baseUrl: string, said: string): Promise<void> {
	const access = { baseUrl, apiKey: KEY };
	const save = async (type: string) => await stage.client.saveCredential(baseUrl, type, access);
	const credential = await save('licensingDataApi');
	const ofWebhooks = await save('licensingDataWebhookApi');
	told.push(JSON.stringify([credential, ofWebhooks]));
	const workflowId = await runOperations(credential);
	const execution = async () => {
		const { results } = await stage.client.executions(workflowId);
		await request('GET', `/rest/executions/${results[0]?.id}`);
		return told.at(-1);
	};
	await expect.poll(execution).toContain(said);
	const step = licenseNode(credential, { operation: 'get' });
	await Promise.all([
		publish(step, 'licensingDataTrigger'),
		publish({ ...step, credentials: using(ofWebhooks) }, 'licensingDataWebhookTrigger'),
		request('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
			path: 'parameters.licenseId',
			methodName: 'searchLicenses',
			nodeTypeAndVersion: { name: step.type, version: 1 },
			currentNodeParameters: step.parameters,
			credentials: step.credentials,
		}),
		...[credential, ofWebhooks].flatMap((one) => [
			ask(stage.client.testCredential(one, access)),
			request('GET', `/rest/credentials/${one.id}?includeData=true`),
		]),
	]);
}

it('A live key is told to nobody by any operation, trigger, list or credential test', async () => {
	const origin = new URL(service.baseUrl).origin;
	await Promise.all(
		ANSWERS.map(async ([said], index) => await goThrough(`${origin}/${index}/v1`, said)),
	);
	expect(keysHeard).toEqual(new Set([`Bearer ${KEY}`]));
	expect(told.join()).toContain(record.businessName);
	expect(told.filter(holdsKey)).toEqual([]);
});

it('A live key stands in nothing that n8n wrote: database, logs, events', async () => {
	await stage.close();
	const entries = await readdir(stage.folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name))
		.filter((path) => !/node_modules|\.cache/.test(path));
	const written = await Promise.all(paths.map(async (path) => await readFile(path, 'latin1')));
	for (const said of ['The API key was not accepted', record.businessName, 'debug'])
		expect(written.some((text) => text.includes(said))).toBe(true);
	expect(paths.join('\n')).toMatch(/database\.sqlite[^]*n8nEventLog.*\.log/);
	expect(paths.filter((_, at) => holdsKey(written[at] ?? ''))).toEqual([]);
});
