import type { IDataObject } from 'n8n-workflow';

import { LicensingDataWebhookApi } from '../../credentials/LicensingDataWebhookApi.credentials.ts';
import { LicensingDataWebhookTrigger } from '../../nodes/LicensingData/LicensingDataWebhookTrigger.node.ts';
import { answer, API_KEY, service, useAnswers } from '../support/answers.mts';
import { testCredential } from '../support/nodes.mts';
import { page } from '../support/records.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';
import { skipWaits } from '../support/waits.mts';

useAnswers();

let host: WebhookHost;
beforeEach(() => {
	host = new WebhookHost();
});

const ours = expect.stringContaining('http://localhost/webhook/workflow');
const created = { id: 'wh_1', secret: SECRET };

/** Answers the request of one activation, and records what was to be registered. */
function answerRegistration(answered: object = { data: created }): object[] {
	const asked: object[] = [];
	service()
		.post('/webhooks')
		.reply((_, body) => {
			asked.push(body as object);
			return [201, answered];
		});
	return asked;
}

const answerRemoval = (id: string, status = 204) =>
	service().delete(`/webhooks/${id}`).reply(status);

const registered = () =>
	(host.staticData['node:Licensing Data Webhook Trigger'] as IDataObject | undefined)?.registration;

describe('Activation', () => {
	const CHOSEN = { counties: ['Miami-Dade', 'St. Johns'], licenseTypes: ['COP', 'FOOD_SERVICE'] };
	const SENT = { counties: ['miami-dade', 'st-johns'], license_types: CHOSEN.licenseTypes };
	const ALL = ['cancellation', 'new_filing', 'ownership_transfer', 'renewal', 'status_change'];

	it.each<[what: string, parameters: IDataObject, answered: object, sent: object]>([
		['new filings by default', {}, { data: created }, { events: ['new_filing'] }],
		['every event where none is chosen', { eventTypes: [] }, created, { events: ALL }],
		['what is chosen', { filters: CHOSEN }, created, { events: ['new_filing'], ...SENT }],
	])('registers the production URL for %s', async (_, parameters, answered, sent) => {
		host.parameters = parameters;
		const asked = answerRegistration(answered);
		expect(await host.activate()).toBe('created');
		expect(asked).toEqual([{ url: ours, ...sent }]);
		expect(registered()).toEqual({ ...created, url: ours });
	});

	it('says that there is no push delivery yet, and what polls, at a 404', async () => {
		service().post('/webhooks').reply(404, {});
		await expect(host.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/does not offer push delivery yet.*Licensing Data Trigger/),
			description: expect.stringContaining("check 'Base URL'"),
		});
		expect(registered()).toBeUndefined();
	});

	it.each([undefined, '', `whsec_${API_KEY}`, '0123456789a'.repeat(91)])(
		'fails, and removes the registration again, where the signing secret is %j',
		async (secret) => {
			answerRegistration({ id: 'wh_1', secret });
			answerRemoval('wh_1');
			await expect(host.activate()).rejects.toMatchObject({
				message: expect.stringContaining('no usable signing secret'),
				description: expect.stringContaining("Register this node's URL with the service"),
			});
			expect(registered()).toBeUndefined();
		},
	);

	it.each([undefined, 'a/b', `wh_${API_KEY}`])('fails where the ID is %j', async (id) => {
		answerRegistration({ id, secret: SECRET });
		const description = expect.stringContaining('no usable ID');
		await expect(host.activate()).rejects.toMatchObject({ description });
	});

	it('does not ask twice when the service may have registered the first', async () => {
		skipWaits();
		service().post('/webhooks').reply(503);
		await expect(host.activate()).rejects.toThrow('could not answer (HTTP 503)');
	});

	it('shows neither key nor secret in what goes wrong', async () => {
		const message = `Bad: ${SECRET} ls_test_example`;
		service().post('/webhooks').reply(400, { error: { message } });
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

	it('is kept when n8n starts again, and replaced after a change', async () => {
		expect(await host.activate('init')).toBe('existed');
		expect(registered()).toMatchObject(created);
		answerRemoval('wh_1');
		await host.deactivate();
		answerRegistration(next);
		expect(await host.activate('update')).toBe('created');
		expect(registered()).toMatchObject(next);
		expect(host.logs).toEqual([]);
	});

	it('stays when a copy of the workflow and its data comes and goes', async () => {
		const copy = new WebhookHost();
		copy.staticData = structuredClone(host.staticData);
		expect(await copy.deactivate()).toBe(true);
		answerRegistration(next);
		expect(await copy.activate()).toBe('created');
		answerRemoval('wh_2');
		expect(await copy.deactivate()).toBe(true);
		expect(copy.logs).toEqual([]);
	});

	it.each([[[204]], [[404]], [[503, 204]]])('is forgotten after %j', async (statuses) => {
		skipWaits();
		for (const status of statuses) answerRemoval('wh_1', status);
		for (let time = 0; time < 2; time++) expect(await host.deactivate()).toBe(true);
		expect(registered()).toBeUndefined();
		expect(host.logs).toEqual([]);
	});

	it('is named in the log when the service does not remove it', async () => {
		answerRemoval('wh_1', 405);
		expect(await host.deactivate()).toBe(true);
		const said =
			'Workflow "Leads", node "Licensing Data Webhook Trigger": The webhook wh_1 could not';
		expect(host.logs).toEqual([expect.stringContaining(`warn ${said} be removed`)]);
		answerRegistration(next);
		expect(await host.activate()).toBe('created');
	});
});

describe('A secret that the user entered', () => {
	const enter = (secret: unknown) => Object.assign(host.credentials, { webhookSecret: secret });

	it('means that the URL is registered, so nothing is asked of the service', async () => {
		enter(` ${SECRET}\n`);
		expect(await host.activate()).toBe('created');
		expect(await host.deactivate()).toBe(true);
	});

	it.each([
		[SECRET, 'OK'],
		['', 'OK'],
		['whsec_••••••••••••', 'Error'],
		['whsec_xxxxxxxxxxxx', 'Error'],
		['whsec_too_short', 'Error'],
	])('is whole, or credential and node say so: %j', async (secret, status) => {
		enter(secret);
		if (status === 'OK') answer('/licenses', [200, page([])]);
		const nodeType = new LicensingDataWebhookTrigger();
		const credentialType = new LicensingDataWebhookApi();
		const verdict = await testCredential(host.credentials, { nodeType, credentialType });
		expect(verdict.status).toBe(status);
		if (status === 'OK') return;
		expect(verdict.message).toBe("'Webhook Secret' is not whole. Copy it from the service again.");
		await expect(host.activate()).rejects.toThrow('There is no usable signing secret');
	});
});
