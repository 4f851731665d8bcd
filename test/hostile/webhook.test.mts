import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';

import { useService } from '../support/loopback.mts';
import { license } from '../support/records.mts';
import { SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';
import { anyJson, anyLicense, each, made, RUNS } from './inputs.mts';

it('One wrong bit refuses a delivery, and no clock tells how near it came', async () => {
	const compare = vi.spyOn(crypto, 'timingSafeEqual');
	onTestFinished(() => {
		compare.mockRestore();
		syncBuiltinESMExports();
	});
	syncBuiltinESMExports();
	const body = JSON.stringify({ type: 'new_filing', data: license() });
	const host = WebhookHost.manual();
	const bit = fc.tuple(fc.nat(), fc.nat(7), fc.boolean());
	const isRefused = fc.asyncProperty(bit, async ([place, at, inBody]) => {
		const [sent, digest] = [Buffer.from(body), Buffer.from(signatureOf(body), 'hex')];
		const target = inBody ? sent : digest;
		target[place % target.length]! ^= 1 << at;
		const headers = { 'x-service-signature': digest.toString('hex') };
		expect(await host.deliver(sent, headers)).toMatchObject({ status: 401 });
	});
	await fc.assert(isRefused, made());
	expect(host.licenses).toEqual([]);
	expect(compare).toHaveBeenCalledTimes(RUNS);
});

it('Bodies under a right signature may hold anything', async () => {
	const host = WebhookHost.manual();
	const any = fc.oneof(fc.record({ type: anyJson, data: anyLicense }), anyJson);
	const isUnderstoodOrRefused = fc.asyncProperty(any, async (sent) => {
		const before = host.licenses.length;
		const { status } = await host.deliver(JSON.stringify(sent));
		expect([200, 400]).toContain(status);
		if (status === 400) expect(host.licenses).toHaveLength(before);
		for (const item of host.licenses.slice(before))
			expect(Object.hasOwn(item, '__proto__')).toBe(false);
	});
	await fc.assert(isUnderstoodOrRefused, made(RUNS * 4));
});

let asked: string[] = [];
let registered: unknown;
const service = useService(({ method, url }, response) => {
	asked.push(`${method} ${url}`);
	response.end(method === 'DELETE' ? '' : JSON.stringify(registered));
});

it('A registration may be answered by any JSON, which leads no request elsewhere', async () => {
	const host = new WebhookHost(service.credentials);
	const words = /answer this node cannot read$|^There is no usable signing secret/;
	const address = /^(POST|DELETE) \/v1\/webhooks(\/(?!\.{1,2}$)[\w.!~*'()%-]+)?$/;
	const isUnderstoodOrRefused = fc.asyncProperty(anyJson, async (answer) => {
		for (registered of [answer, { data: answer, secret: SECRET }]) {
			asked = [];
			await host.activate().catch(({ message }: Error) => expect(message).toMatch(words));
			await host.deactivate();
			for (const line of asked) expect(line).toMatch(address);
		}
	});
	const ids = '.. ../licenses %2e%2e wh_1?x=1 wh_1#x a/b wh\r\nX:1 \ud800'.split(' ');
	const examples: unknown[] = ids.map((id) => ({ id, secret: SECRET }));
	await fc.assert(isUnderstoodOrRefused, made(RUNS, each(examples)));
});
