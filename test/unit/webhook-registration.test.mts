import type { IDataObject } from 'n8n-workflow';
import type { Body } from 'nock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { API_KEY, service, useAnswers } from '../support/answers.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

let host: WebhookHost;

beforeEach(() => {
	host = new WebhookHost();
});
afterEach(() => {
	vi.restoreAllMocks();
});

const URL = 'https://n8n.example.com/webhook/workflow';
const ours = expect.stringContaining(URL);

/** Answers the requests of one activation, and records what was to be registered. */
function answerRegistration(
	created: Body = { data: { id: 'wh_1', secret: SECRET } },
	...listed: object[]
): object[] {
	const asked: object[] = [];
	answerList(...listed);
	service()
		.post('/webhooks')
		.reply((_, body) => {
			asked.push(body as object);
			return [201, created];
		});
	return asked;
}

const answerRemoval = (id: string, status = 204) =>
	service().delete(`/webhooks/${id}`).reply(status);

const answerList = (...listed: object[]) => service().get('/webhooks').reply(200, { data: listed });

const registered = () =>
	(host.staticData['node:Licensing Data Webhook Trigger'] ?? {}) as { registration?: unknown };

describe('Activation', () => {
	it.each<[what: string, parameters: IDataObject, registration: object]>([
		['new filings where the user changed nothing', {}, { events: ['new_filing'] }],
		[
			'what the user chose, in the words of the service',
			{
				eventTypes: ['renewal', 'New Filing'],
				filters: {
					counties: ['Miami-Dade', 'St. Johns', 'DeSoto', 'Indian River', 'Miami-Dade'],
					licenseTypes: ['COP', 'FOOD_SERVICE'],
				},
			},
			{
				events: ['renewal', 'new_filing'],
				counties: ['miami-dade', 'st-johns', 'desoto', 'indian-river'],
				license_types: ['COP', 'FOOD_SERVICE'],
			},
		],
		[
			'every event where the user chose none',
			{ eventTypes: [], filters: { counties: [], licenseTypes: [] } },
			{ events: ['cancellation', 'new_filing', 'ownership_transfer', 'renewal', 'status_change'] },
		],
	])('registers the production URL for %s', async (_, parameters, registration) => {
		host.parameters = parameters;
		const asked = answerRegistration();
		expect(await host.activate()).toBe('created');
		expect(asked).toEqual([{ url: ours, ...registration }]);
	});

	it.each<[where: string, created: object, id: string]>([
		['at the top', { webhookId: 'wh_1', webhook_secret: SECRET }, 'wh_1'],
		['in data', { data: { webhook_id: 'wh_1', secret: SECRET } }, 'wh_1'],
		['in webhook', { webhook: { id: 'wh_1', signing_secret: SECRET } }, 'wh_1'],
		['in data.webhook', { data: { webhook: { id: 'wh_1', signingSecret: SECRET } } }, 'wh_1'],
		['apart', { id: 'request_9', data: { id: 'wh_1' }, secret: SECRET }, 'wh_1'],
		['where the ID is a number', { id: 7, secret: SECRET }, '7'],
	])('finds the ID and the signing secret %s, and keeps when it did', async (_, created, id) => {
		answerRegistration(created);
		await host.activate();
		expect(registered()).toMatchObject({
			registration: { id, secret: SECRET },
			registrationChanged: expect.any(Number),
		});
	});

	it.each([404, 405, 501])(
		'says that there is no push delivery yet, and what polls, when the service answers %i',
		async (status) => {
			service().get('/webhooks').times(2).reply(status);
			service()
				.post('/webhooks')
				.reply(status, { error: { type: 'not_found', message: 'No' } });
			await expect(host.activate()).rejects.toMatchObject({
				message: expect.stringMatching(/does not offer push delivery yet.*Licensing Data Trigger/),
				description: expect.stringContaining("check 'Base URL'"),
				httpCode: String(status),
			});
			expect(registered().registration).toBeUndefined();
		},
	);

	it.each([undefined, '', API_KEY, 'x'.repeat(1001)])(
		'fails, and removes the registration again, where the signing secret is %j',
		async (secret) => {
			answerRegistration({ id: 'wh_1', secret });
			answerRemoval('wh_1');
			answerList();
			await expect(host.activate()).rejects.toMatchObject({
				name: 'NodeApiError',
				failure: undefined,
				message: expect.stringContaining('gave no signing secret'),
				description: expect.stringContaining(
					"as 'Webhook Secret' in the Licensing Data credential",
				),
			});
			expect(registered().registration).toBeUndefined();
		},
	);

	it.each([undefined, '..', `wh_${API_KEY}`])('fails where the ID is %j', async (id) => {
		answerRegistration({ id, secret: SECRET });
		answerList();
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('answer this node cannot read'),
			description: expect.stringContaining('no usable ID'),
		});
	});

	it('makes do with the secret in the credential, and keeps no copy of it', async () => {
		host.credentials.webhookSecret = SECRET;
		answerRegistration({ id: 'wh_1' });
		await host.activate();
		expect(registered()).toMatchObject({ registration: { id: 'wh_1' } });
		expect(JSON.stringify(host.staticData)).not.toContain(SECRET);
	});

	it('removes what may have been registered when the answer got lost or makes no sense', async () => {
		host.parameters = { registration: 'automatic' };
		let url = '';
		service().get('/webhooks').reply(200, []);
		service()
			.post('/webhooks')
			.reply((_, body) => {
				({ url } = body as { url: string });
				return [200, '<html>'];
			});
		service()
			.get('/webhooks')
			.reply(() => [
				200,
				{
					webhooks: [
						{ id: 'wh_1', url },
						{ id: 'wh_2', url: `${url}/other` },
					],
				},
			]);
		answerRemoval('wh_1');
		await expect(host.activate()).rejects.toThrow('answer this node cannot read');
	});

	it('does not ask a second time when the service may have registered the first', async () => {
		skipWaits();
		let asked = 0;
		service().get('/webhooks').times(2).reply(404);
		service()
			.persist()
			.post('/webhooks')
			.reply(() => [503, String(++asked)]);
		await expect(host.activate()).rejects.toThrow('could not answer (HTTP 503)');
		expect(asked).toBe(1);
	});

	it('says what to do when the key is not accepted', async () => {
		service()
			.get('/webhooks')
			.reply(401, { error: { type: 'unauthorized', message: 'No' } });
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The API key was not accepted',
			httpCode: '401',
		});
	});

	it.each([
		["'Events' is empty: its expression gives nothing", { eventTypes: '={{ [] }}' }],
		["'Counties' is empty: its", { filters: { counties: '={{ $workflow.missing }}' } }],
	])('registers for nothing rather than for everything: %s', async (words, parameters) => {
		Object.assign(host.parameters, parameters);
		await expect(host.activate()).rejects.toThrow(words);
	});

	it('removes what is registered for its URL and n8n has lost track of', async () => {
		const asked = answerRegistration() as Array<{ url: string }>;
		await host.activate();
		answerRemoval('wh_1');
		await host.deactivate();
		const other = { id: 'wh_0', url: `${asked[0]?.url}/other` };
		answerRegistration({ id: 'wh_2', secret: SECRET }, other, { id: 'wh_3', url: asked[0]?.url });
		answerRemoval('wh_3');
		expect(await host.activate()).toBe('created');
	});
});

describe('Another activation', () => {
	beforeEach(async () => {
		answerRegistration();
		await host.activate();
	});

	it.each<[what: string, answer: () => unknown]>([
		['still has it', () => answerList({ url: 'of one without an ID' }, { id: 'wh_1' })],
		['lists nothing', () => service().get('/webhooks').reply(200, {})],
		['has no list', () => service().get('/webhooks').reply(404, {})],
		['is busy', () => service().get('/webhooks').times(4).reply(503)],
	])('keeps the registration when the service %s', async (_, answer) => {
		skipWaits();
		answer();
		expect(await host.activate('init')).toBe('existed');
	});

	it('registers again when the service no longer has the registration', async () => {
		answerList({ id: 'wh_0' });
		answerRemoval('wh_1', 404);
		answerRegistration({ data: { id: 'wh_2', secret: 'whsec_next_example' } });
		expect(await host.activate('init')).toBe('created');
		expect(registered()).toMatchObject({
			registration: { id: 'wh_2', secret: 'whsec_next_example' },
		});
	});

	it.each<[what: string, status: number, logs: unknown[]]>([
		['', 204, []],
		[
			', also where the service never removes one',
			405,
			[expect.stringMatching(/^warn The webhook wh_1 could not be removed/)],
		],
	])('with other parameters replaces the registration%s', async (_, status, logs) => {
		host.parameters = { eventTypes: ['renewal'] };
		answerRemoval('wh_1', status);
		answerRegistration({ id: 'wh_2', secret: SECRET });
		expect(await host.activate('update')).toBe('created');
		expect(registered()).toMatchObject({ registration: { id: 'wh_2' } });
		expect(host.logs).toEqual(logs);
	});

	it('does not replace a registration that the service will not remove', async () => {
		skipWaits();
		host.parameters = { eventTypes: ['renewal'] };
		service().delete('/webhooks/wh_1').times(4).reply(500);
		await expect(host.activate('update')).rejects.toThrow('could not answer (HTTP 500)');
		expect(registered()).toMatchObject({ registration: { id: 'wh_1' } });
	});

	it('with manual registration removes the automatic one', async () => {
		host.parameters = { registration: 'manual' };
		host.credentials.webhookSecret = SECRET;
		answerRemoval('wh_1');
		expect(await host.activate('update')).toBe('existed');
		expect(registered().registration).toBeUndefined();
	});
});

describe('After a polling trigger of the same workflow wrote back an old copy of static data', () => {
	let old: typeof host.staticData;

	beforeEach(async () => {
		answerRegistration();
		await host.activate();
		old = host.staticData;
		// As if the clock had been set back.
		vi.spyOn(Date, 'now').mockReturnValue(0);
		host.parameters = { eventTypes: ['renewal'] };
		answerRemoval('wh_1');
		answerRegistration({ id: 'wh_2', secret: SECRET });
		await host.activate('update');
		host.staticData = old;
	});

	it('the next activation keeps and saves the new registration', async () => {
		answerList({ id: 'wh_2' });
		expect(await host.activate('update')).toBe('existed');
		expect(registered()).toMatchObject({ registration: { id: 'wh_2' } });
	});

	it('deactivation removes the new registration, and it does not come back', async () => {
		answerRemoval('wh_2');
		expect(await host.deactivate()).toBe(true);
		host.staticData = old;
		answerRegistration({ id: 'wh_3', secret: SECRET });
		expect(await host.activate()).toBe('created');
	});
});

describe('Deactivation', () => {
	beforeEach(async () => {
		answerRegistration();
		await host.activate();
	});

	it.each([200, 202, 204, 404, 410])(
		'forgets the registration when the service answers %i, and has nothing to do the second time',
		async (status) => {
			answerRemoval('wh_1', status);
			expect(await host.deactivate()).toBe(true);
			expect(registered().registration).toBeUndefined();
			expect(await host.deactivate()).toBe(true);
			expect(host.logs).toEqual([]);
		},
	);

	it('tries again when the service is busy', async () => {
		skipWaits();
		answerRemoval('wh_1', 503);
		answerRemoval('wh_1');
		expect(await host.deactivate()).toBe(true);
	});

	it('succeeds while the service is away, names what it leaves, and uses it next time', async () => {
		skipWaits();
		service()
			.delete('/webhooks/wh_1')
			.times(4)
			.replyWithError(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
		expect(await host.deactivate()).toBe(false);
		expect(host.logs).toEqual([
			expect.stringMatching(/^warn The webhook wh_1 could not be removed/),
		]);

		answerList({ id: 'wh_1' });
		expect(await host.activate()).toBe('existed');
	});
});

describe('Manual registration', () => {
	beforeEach(() => {
		host.parameters = { registration: 'manual' };
	});

	it('asks nothing of the service', async () => {
		host.credentials.webhookSecret = ` ${SECRET}\n`;
		expect(await host.activate()).toBe('existed');
		expect(await host.deactivate()).toBe(true);
	});

	it.each(['', '  ', undefined])('is refused without a signing secret (%j)', async (secret) => {
		host.credentials = { ...host.credentials, webhookSecret: secret as string };
		await expect(host.activate()).rejects.toMatchObject({
			message: "'Webhook Secret' is empty, so deliveries could not be checked",
			description: expect.stringContaining('Register the URL of this node'),
		});
	});
});

describe('Listening for a test event', () => {
	let asked: object[];

	beforeEach(async () => {
		host.mode = 'manual';
		asked = answerRegistration();
		await host.activate('manual');
	});

	it('registers the test URL, and removes it afterwards', async () => {
		expect(asked).toMatchObject([{ url: expect.stringContaining('/webhook-test/') }]);
		answerRemoval('wh_1');
		expect(await host.deactivate()).toBe(true);
	});

	it('knows nothing of the time before', async () => {
		skipWaits();
		service().delete('/webhooks/wh_1').times(4).reply(503);
		expect(await host.deactivate()).toBe(false);
		host.staticData = {};
		answerRegistration();
		expect(await host.activate('manual')).toBe('created');
	});
});

it('shows neither key nor secret in what goes wrong', async () => {
	host.credentials.webhookSecret = SECRET;
	service().get('/webhooks').times(2).reply(200, []);
	service()
		.post('/webhooks')
		.reply(400, { error: { type: 'invalid', message: `Bad: ${SECRET} ls_test_example` } });
	const error = await host.activate().catch((thrown: unknown) => thrown);
	const shown = JSON.stringify([error, String(error), (error as Error).stack, host.logs]);
	expect(shown).toContain('did not accept the request');
	expect(shown).not.toMatch(/whsec_example|ls_test_example/);
});
