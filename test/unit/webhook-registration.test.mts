import type { IDataObject } from 'n8n-workflow';
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
afterEach(() => vi.restoreAllMocks());

const ours = expect.stringContaining('https://n8n.example.com/webhook/workflow');

/** Answers the request of one activation, and records what was to be registered. */
function answerRegistration(created: object = { data: { id: 'wh_1', secret: SECRET } }): object[] {
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
	(host.staticData['node:Licensing Data Webhook Trigger'] as IDataObject | undefined)?.registration;

describe('Activation', () => {
	it.each<[what: string, parameters: IDataObject, registration: object]>([
		['new filings where the user changed nothing', {}, { events: ['new_filing'] }],
		[
			'what the user chose, in the words of the service',
			{
				eventTypes: ['renewal', 'New Filing'],
				filters: {
					counties: ['Miami-Dade', 'St. Johns', 'Indian River', 'Miami-Dade'],
					licenseTypes: ['COP', 'FOOD_SERVICE'],
				},
			},
			{
				events: ['renewal', 'new_filing'],
				counties: ['miami-dade', 'st-johns', 'indian-river'],
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

	const created = { id: 'wh_1', secret: SECRET };

	it.each([
		['at the top', created],
		['in data', { data: created }],
	])('finds the ID and the signing secret %s, and keeps them', async (_, answered) => {
		answerRegistration(answered);
		await host.activate();
		expect(registered()).toEqual({ ...created, url: ours });
	});

	it.each([404, 405, 501])(
		'says that there is no push delivery yet, and what polls, when the service answers %i',
		async (status) => {
			service().post('/webhooks').reply(status, {});
			await expect(host.activate()).rejects.toMatchObject({
				message: expect.stringMatching(/does not offer push delivery yet.*Licensing Data Trigger/),
				description: expect.stringContaining("check 'Base URL'"),
				httpCode: String(status),
			});
			expect(registered()).toBeUndefined();
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
			expect(registered()).toBeUndefined();
		},
	);

	it.each([undefined, 'a/b', `wh_${API_KEY}`])('fails where the ID is %j', async (id) => {
		answerRegistration({ id, secret: SECRET });
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringContaining('answer this node cannot read'),
			description: expect.stringContaining('no usable ID'),
		});
	});

	it('does not ask a second time when the service may have registered the first', async () => {
		skipWaits();
		service().post('/webhooks').reply(503);
		await expect(host.activate()).rejects.toThrow('could not answer (HTTP 503)');
	});

	it('registers for nothing rather than for everything', async () => {
		host.parameters.eventTypes = '={{ [] }}';
		await expect(host.activate()).rejects.toThrow("'Events' is empty: its expression returns");
	});

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
});

describe('What is registered', () => {
	beforeEach(async () => {
		answerRegistration();
		await host.activate();
	});

	const next = { id: 'wh_2', secret: 'whsec_next_example' };
	it('is kept when n8n starts again, and nothing is asked', async () => {
		expect(await host.activate('init')).toBe('existed');
		expect(registered()).toMatchObject({ id: 'wh_1', secret: SECRET });
	});

	it('is replaced after a change', async () => {
		answerRemoval('wh_1');
		await host.deactivate();
		answerRegistration(next);
		expect(await host.activate('update')).toBe('created');
		expect(registered()).toMatchObject(next);
		expect(host.logs).toEqual([]);
	});

	it.each(['init', 'activate', undefined] as const)(
		'stays when a copy of the workflow and its data comes and goes: %s',
		async (mode) => {
			const copy = new WebhookHost();
			copy.staticData = structuredClone(host.staticData);
			if (mode) {
				answerRegistration(next);
				expect(await copy.activate(mode)).toBe('created');
				answerRemoval('wh_2');
			}
			expect(await copy.deactivate()).toBe(true);
			expect(copy.logs).toEqual([]);
			expect(copy.staticData).not.toEqual(host.staticData);
		},
	);

	it('is removed, and not replaced, with manual registration', async () => {
		host.parameters = { registration: 'manual' };
		host.credentials.webhookSecret = SECRET;
		answerRemoval('wh_1');
		await host.deactivate();
		await host.activate('update');
		expect(registered()).toBeUndefined();
	});

	it.each([[[204]], [[404]], [[503, 204]]])(
		'is forgotten when the service answers %j, and there is nothing to do the second time',
		async (statuses) => {
			skipWaits();
			for (const status of statuses) answerRemoval('wh_1', status);
			for (let time = 0; time < 2; time++) expect(await host.deactivate()).toBe(true);
			expect(registered()).toBeUndefined();
			expect(host.logs).toEqual([]);
		},
	);

	it.each([
		['is away', Object.assign(new Error(), { code: 'ECONNREFUSED' })],
		['removes none', 405],
	])(
		'is named in the log when it is left because the service %s, and the next one is new',
		async (_, answered) => {
			skipWaits();
			const removal = service().delete('/webhooks/wh_1');
			if (typeof answered === 'number') removal.reply(answered);
			else removal.times(4).replyWithError(answered);
			expect(await host.deactivate()).toBe(true);
			expect(host.logs).toEqual([
				expect.stringMatching(
					/^warn Workflow "Leads", node "Licensing Data Webhook Trigger": The webhook wh_1 could not be removed/,
				),
			]);
			answerRegistration(next);
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

	it.each(['  ', undefined, 'whsec_••••••••••••'])(
		'is refused without a signing secret (%j)',
		async (secret) => {
			Object.assign(host.credentials, { webhookSecret: secret });
			await expect(host.activate()).rejects.toMatchObject({
				message: 'There is no usable signing secret, so deliveries could not be checked',
				description: expect.stringContaining("register this node's URL"),
			});
		},
	);
});

it('registers the test URL while it listens for a test event, and removes it afterwards', async () => {
	host.mode = 'manual';
	const asked = answerRegistration();
	await host.activate('manual');
	expect(asked).toMatchObject([{ url: expect.stringContaining('/webhook-test/') }]);
	answerRemoval('wh_1');
	expect(await host.deactivate()).toBe(true);
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
