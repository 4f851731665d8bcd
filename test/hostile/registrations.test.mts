import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { useService } from '../support/loopback.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';
import { anyJson } from './bodies.mts';
import { made, RUNS, tried } from './runs.mts';
import { TEXTS } from './values.mts';

let asked: string[] = [];
let registered: unknown;
let listed: unknown;

const service = useService((request, response) => {
	asked.push(`${request.method} ${request.url}`);
	const body = request.method === 'POST' ? registered : listed;
	response.end(request.method === 'DELETE' ? '' : JSON.stringify(body));
});

let host: WebhookHost;
beforeEach(async () => {
	host = new WebhookHost({ credentials: service.credentials });
	await host.listen();
	asked = [];
	listed = { data: [] };
});
afterEach(() => host.close());

/** In words, whatever came. */
const NOT_UNDERSTOOD =
	/answer this node cannot read$|^The service did not accept the request$|^The service gave no signing secret/;

/** Below /webhooks, and one step below at most. */
const DOCUMENTED =
	/^(POST|GET) \/v1\/webhooks$|^DELETE \/v1\/webhooks\/(?!\.{1,2}$)[\w.!~*'()%-]+$/;

async function comeAndGo(): Promise<void> {
	const outcome = await host.activate().catch((error: Error) => error);
	if (outcome instanceof Error) {
		expect(outcome.message).toMatch(NOT_UNDERSTOOD);
	}
	await host.deactivate();
	for (const line of asked) expect(line).toMatch(DOCUMENTED);
}

describe('Hostile answers to a registration', () => {
	it('lead no request elsewhere: an id that is none', async (test) => {
		for (const id of TEXTS) {
			registered = { id, secret: SECRET };
			listed = { data: [{ id, url: host.url }] };
			asked = [];
			await comeAndGo();
		}
		tried(test, TEXTS.length);
	});

	it('may be any JSON at all', async (test) => {
		await fc.assert(
			fc.asyncProperty(anyJson, fc.oneof(anyJson, fc.array(anyJson)), async (first, second) => {
				registered = { data: first, secret: SECRET };
				listed = second;
				asked = [];
				await comeAndGo();
				registered = first;
				await comeAndGo();
			}),
			made(),
		);
		tried(test, RUNS * 2);
	});
});
