import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Credential } from '../../playground/client.mts';
import { createSandbox, type Sandbox } from '../../sandbox/index.mts';
import { listen } from '../support/loopback.mts';
import { connectTo, openStage, type Stage } from './stage.mts';

let sandbox: Sandbox;
let stage: Stage;
let credential: Credential;

beforeAll(async () => {
	sandbox = await createSandbox();
	stage = await openStage('credential');
	credential = await connectTo(stage, { baseUrl: sandbox.baseUrl, apiKey: sandbox.keys.test });
});
afterAll(async () => {
	await stage?.close();
	await sandbox?.close();
});

const test = async (baseUrl: string, apiKey: string) =>
	await stage.client.testCredential(credential, { baseUrl, apiKey });

it('accepts a test key and a live key at the right address', async () => {
	for (const apiKey of [sandbox.keys.test, sandbox.keys.live]) {
		expect(await test(sandbox.baseUrl, apiKey)).toMatchObject({ status: 'OK' });
	}
});

it('says that the key was not accepted, and does not repeat it', async () => {
	const answer = await test(sandbox.baseUrl, 'ls_test_wrong_example');
	expect(answer).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('key was not accepted'),
	});
	expect(JSON.stringify(answer)).not.toContain('ls_test_wrong_example');
});

it('points at the base URL when the address is not the service', async () => {
	const answer = await test(sandbox.baseUrl.replace('/v1', '/v9'), sandbox.keys.test);
	expect(answer).toMatchObject({ status: 'Error', message: expect.stringContaining('Base URL') });
});

it('says in the words of the nodes why nothing answers, and forgives what can be forgiven', async () => {
	const { host } = new URL(sandbox.baseUrl);
	for (const baseUrl of [`${host}/v1`, `${sandbox.baseUrl}/licenses`, `http://${host}`]) {
		expect(await test(baseUrl, sandbox.keys.live)).toMatchObject({ status: 'OK' });
	}
	expect((await test('http://127.0.0.1:9/v1', sandbox.keys.test)).message).toMatch(
		/^Nothing answers at the address of the service\. /,
	);
	expect((await test('https://licensing.invalid/v1', sandbox.keys.test)).message).toMatch(
		/^(The service's address does not exist|The connection to the service broke)\. /,
	);
});

it('sends a live key to no plain address of another machine', async () => {
	const heard: Array<string | undefined> = [];
	const machine = await listen(({ headers }, response) => {
		heard.push(headers.authorization);
		response.end('{"data":[],"pagination":{"cursor":null,"hasMore":false}}');
	});
	onTestFinished(machine.close);
	// It leads to this machine, though none can tell by the look of it.
	const address = machine.baseUrl.replace('127.0.0.1', '0.0.0.0');
	expect(await test(address, sandbox.keys.test)).toMatchObject({ status: 'OK' });
	expect(await test(address, sandbox.keys.live)).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/^A live key is not sent over plain http\. /),
	});
	expect(heard).toEqual([`Bearer ${sandbox.keys.test}`]);
});
