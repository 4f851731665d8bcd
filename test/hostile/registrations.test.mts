import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { useService } from '../support/loopback.mts';
import { license } from '../support/records.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';
import { anyJson } from './bodies.mts';
import { made } from './runs.mts';
import { TEXTS } from './values.mts';

let asked: string[] = [];
let registered: unknown;
/** What happens before the service answers that it has removed a registration. */
let removal: () => Promise<unknown>;

const service = useService(async (request, response) => {
	asked.push(`${request.method} ${request.url}`);
	if (request.method === 'DELETE') await removal();
	response.end(request.method === 'DELETE' ? '' : JSON.stringify(registered));
});

let host: WebhookHost;
beforeEach(async () => {
	host = new WebhookHost({ credentials: service.credentials });
	await host.listen();
	removal = async () => {};
	asked = [];
});
afterEach(() => host.close());

/** In words, whatever came. */
const NOT_UNDERSTOOD =
	/answer this node cannot read$|^The service did not accept the request$|^There is no usable signing secret/;

/** Below /webhooks, and one step below at most. */
const DOCUMENTED = /^POST \/v1\/webhooks$|^DELETE \/v1\/webhooks\/(?!\.{1,2}$)[\w.!~*'()%-]+$/;

async function comeAndGo(answer: unknown): Promise<void> {
	registered = answer;
	asked = [];
	await host.activate().catch(({ message }: Error) => expect(message).toMatch(NOT_UNDERSTOOD));
	await host.deactivate();
	for (const line of asked) expect(line).toMatch(DOCUMENTED);
}

describe('Hostile answers to a registration', () => {
	it('lead no request elsewhere: an id that is none', async () => {
		for (const id of TEXTS) await comeAndGo({ id, secret: SECRET });
	});

	it('may be any JSON at all', async () => {
		const any = fc.asyncProperty(anyJson, async (answer) => {
			await comeAndGo({ data: answer, secret: SECRET });
			await comeAndGo(answer);
		});
		await fc.assert(any, made());
	});

	it.each(['a', 'whsec_********', 'whsec_••••••••••••', 'whsec_xxxxxxxxxxxx'])(
		'give no secret that is short or masked: %s',
		async (secret) => {
			registered = { id: 'wh_1', secret };
			await expect(host.activate()).rejects.toThrow('no usable signing secret');
		},
	);
});

it('Deliveries start the workflow until the service has removed the registration, and are refused then', async () => {
	host.parameters = { eventTypes: [], output: 'raw' };
	registered = { id: 'wh_1', secret: SECRET };
	await host.activate();
	let during: unknown;
	removal = async () => (during = await host.deliver({ data: license({ id: 'lic_late_1' }) }));
	await host.deactivate();
	expect(during).toMatchObject({ status: 200 });
	const late = await host.deliver({ data: license({ id: 'lic_late_2' }) });
	expect(late).toEqual({ status: 401, body: '' });
	expect(host.executions).toHaveLength(1);
	expect(JSON.stringify([host.logs, host.staticData])).not.toContain(SECRET);
});
