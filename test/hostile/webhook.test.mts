import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';

import { useService } from '../support/loopback.mts';
import { SECRET, WebhookHost } from '../support/webhook-node.mts';
import { anyJson, anyLicense, each, made, RUNS } from './inputs.mts';

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

it('No clock tells how near a wrong signature came', async () => {
	const compare = vi.spyOn(crypto, 'timingSafeEqual');
	onTestFinished(() => {
		compare.mockRestore();
		syncBuiltinESMExports();
	});
	syncBuiltinESMExports();
	const headers = { 'x-service-signature': '0'.repeat(64) };
	expect(await WebhookHost.manual().deliver('{}', headers)).toMatchObject({ status: 401 });
	expect(compare).toHaveBeenCalledOnce();
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
