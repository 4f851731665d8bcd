import type { IDataObject } from 'n8n-workflow';
import type { Body } from 'nock';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
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
function answerRegistration(created: Body = { data: { id: 'wh_1', secret: SECRET } }): object[] {
	const asked: object[] = [];
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

	it.each<[where: string, created: object]>([
		['at the top', { id: 'wh_1', secret: SECRET }],
		['in data', { data: { id: 'wh_1', secret: SECRET } }],
	])('finds the ID and the signing secret %s, and keeps them', async (_, created) => {
		answerRegistration(created);
		await host.activate();
		expect(registered().registration).toEqual({ id: 'wh_1', url: ours, secret: SECRET });
	});

	it.each([404, 405, 501])(
		'says that there is no push delivery yet, and what polls, when the service answers %i',
		async (status) => {
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

	it.each([undefined, '', API_KEY, '0123456789a'.repeat(91)])(
		'fails, and removes the registration again, where the signing secret is %j',
		async (secret) => {
			answerRegistration({ id: 'wh_1', secret });
			answerRemoval('wh_1');
			await expect(host.activate()).rejects.toMatchObject({
				name: 'NodeApiError',
				failure: undefined,
				message: expect.stringContaining('no usable signing secret'),
				description: expect.stringContaining("Set 'Registration' to Manual"),
			});
			expect(registered().registration).toBeUndefined();
		},
	);

	it.each([undefined, 7, '..', 'a/b', `wh_${API_KEY}`])('fails where the ID is %j', async (id) => {
		answerRegistration({ id, secret: SECRET });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('answer this node cannot read'),
			description: expect.stringContaining('no usable ID'),
		});
	});

	it('does not ask a second time when the service may have registered the first', async () => {
		skipWaits();
		let asked = 0;
		service()
			.persist()
			.post('/webhooks')
			.reply(() => [503, String(++asked)]);
		await expect(host.activate()).rejects.toThrow('could not answer (HTTP 503)');
		expect(asked).toBe(1);
	});

	it('says what to do when the key is not accepted', async () => {
		service()
			.post('/webhooks')
			.reply(401, { error: { type: 'unauthorized', message: 'No' } });
		await expect(host.activate()).rejects.toMatchObject({
			message: 'The API key was not accepted',
			httpCode: '401',
		});
	});

	it.each([
		["'Events' is empty: its expression returns nothing", { eventTypes: '={{ [] }}' }],
		["'Counties' is empty: its", { filters: { counties: '={{ $workflow.missing }}' } }],
	])('registers for nothing rather than for everything: %s', async (words, parameters) => {
		Object.assign(host.parameters, parameters);
		await expect(host.activate()).rejects.toThrow(words);
	});
});

describe('Another activation', () => {
	beforeEach(async () => {
		answerRegistration();
		await host.activate();
	});

	it('keeps the registration when n8n starts again, and asks nothing', async () => {
		expect(await host.activate('init')).toBe('existed');
		expect(registered()).toMatchObject({ registration: { id: 'wh_1', secret: SECRET } });
	});

	it('after a change replaces the registration', async () => {
		answerRemoval('wh_1');
		await host.deactivate();
		answerRegistration({ id: 'wh_2', secret: 'whsec_next_example' });
		expect(await host.activate('update')).toBe('created');
		expect(registered()).toMatchObject({
			registration: { id: 'wh_2', secret: 'whsec_next_example' },
		});
		expect(host.logs).toEqual([]);
	});

	it.each(['init', 'activate'] as const)(
		'of a workflow that was copied with its data registers the copy, and leaves the original: %s',
		async (mode) => {
			const copied = new WebhookHost();
			copied.staticData = structuredClone(host.staticData);
			const asked = answerRegistration({ id: 'wh_2', secret: 'whsec_next_example' });
			expect(await copied.activate(mode)).toBe('created');
			expect(asked).toHaveLength(1);
			answerRemoval('wh_2');
			expect(await copied.deactivate()).toBe(true);
			expect(copied.logs).toEqual([]);
		},
	);

	it('is switched off without removing what another workflow has registered', async () => {
		const copied = new WebhookHost();
		copied.staticData = structuredClone(host.staticData);
		expect(await copied.deactivate()).toBe(true);
		expect(copied.logs).toEqual([]);
		expect(copied.staticData).not.toMatchObject({
			'node:Licensing Data Webhook Trigger': { registration: {} },
		});
	});

	it('with manual registration removes the automatic one', async () => {
		host.parameters = { registration: 'manual' };
		host.credentials.webhookSecret = SECRET;
		answerRemoval('wh_1');
		await host.deactivate();
		await host.activate('update');
		expect(registered().registration).toBeUndefined();
	});
});

describe('Deactivation', () => {
	beforeEach(async () => {
		answerRegistration();
		await host.activate();
	});

	it.each([200, 202, 204, 404])(
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

	it.each<[why: string, answer: () => void]>([
		[
			'is away',
			() => {
				service()
					.delete('/webhooks/wh_1')
					.times(4)
					.replyWithError(Object.assign(new Error(), { code: 'ECONNREFUSED' }));
			},
		],
		['removes none', () => void answerRemoval('wh_1', 405)],
	])(
		'succeeds while the service %s, names what it leaves, and the next one is new',
		async (_, answer) => {
			skipWaits();
			answer();
			expect(await host.deactivate()).toBe(true);
			expect(host.logs).toEqual([
				expect.stringMatching(
					/^warn Workflow "Leads", node "Licensing Data Webhook Trigger": The webhook wh_1 could not be removed/,
				),
			]);

			answerRegistration({ id: 'wh_2', secret: SECRET });
			expect(await host.activate()).toBe('created');
		},
	);
});

describe('Manual registration', () => {
	beforeEach(() => {
		host.parameters = { registration: 'manual' };
	});

	it('asks nothing of the service', async () => {
		host.credentials.webhookSecret = ` ${SECRET}\n`;
		expect(await host.activate()).toBe('created');
		expect(await host.deactivate()).toBe(true);
		expect(host.logs).toEqual([]);
	});

	it.each(['', '  ', undefined, 'whsec_••••••••••••'])(
		'is refused without a signing secret (%j)',
		async (secret) => {
			host.credentials = { ...host.credentials, webhookSecret: secret as string };
			await expect(host.activate()).rejects.toMatchObject({
				message: 'There is no usable signing secret, so deliveries could not be checked',
				description: expect.stringContaining("register this node's URL"),
			});
		},
	);
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
});

it.each([
	[SECRET, 'OK'],
	['whsec_••••••••••••', 'Error'],
	['', 'Error'],
])(
	'the test of the credential says whether a secret is whole: %s',
	async (webhookSecret, status) => {
		const { credentialTest } = new LicensingDataWebhookTrigger().methods;
		const tested = credentialTest.testLicensingDataWebhookApi.call({} as never, {
			data: { webhookSecret },
		});
		expect(await tested).toMatchObject({ status });
	},
);

it('shows neither key nor secret in what goes wrong', async () => {
	host.credentials.webhookSecret = SECRET;
	service()
		.post('/webhooks')
		.reply(400, { error: { type: 'invalid', message: `Bad: ${SECRET} ls_test_example` } });
	const error = await host.activate().catch((thrown: unknown) => thrown);
	const shown = JSON.stringify([error, String(error), (error as Error).stack, host.logs]);
	expect(shown).toContain('did not accept the request');
	expect(shown).not.toMatch(/whsec_example|ls_test_example/);
});
