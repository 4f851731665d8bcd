import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';

import { useService } from '../support/loopback.mts';
import { license } from '../support/records.mts';
import { manualHost, SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';
import { anyJson, anyLicense, each, made, RUNS } from './inputs.mts';

let host: WebhookHost;
beforeEach(async () => {
	host = await manualHost();
});
afterEach(() => host.close());

const data = license();
const body = JSON.stringify({ type: 'new_filing', data });
const right = signatureOf(body);

it('A forged delivery is refused, whatever stands in place of the signature', async () => {
	const wrong = signatureOf(body, 'whsec_other_example');
	const signatures = [
		...[wrong, right.slice(0, 63), `${right}0`, `${right}${right}`, right.replace(/^../, 'zz')],
		...[`SHA512=${right}`, `t=1,v1=${right}`, `${wrong},${right}`, `${right}, ${right}`],
		...[Buffer.from(right, 'hex').toString('base64'), SECRET, signatureOf(''), '', '__proto__'],
		...[right, wrong].flatMap((one) => [
			[one, right],
			[right, one],
		]),
	];
	for (const signature of signatures) {
		const answer = await host.deliver(body, { 'x-service-signature': signature });
		expect(answer, String(signature)).toEqual({ status: 401, body: '' });
	}
	for (const webhookSecret of ['', ' ', undefined, null, 7, {}]) {
		Object.assign(host.credentials, { webhookSecret });
		for (const secret of ['', ' ', 'undefined', 'null', String(webhookSecret)])
			expect(await host.deliver(body, {}, secret)).toMatchObject({ status: 401 });
	}
	expect(host.executions).toEqual([]);
});

it('One wrong bit refuses a delivery, and no clock tells how near it came', async () => {
	const compare = vi.spyOn(crypto, 'timingSafeEqual');
	onTestFinished(() => {
		compare.mockRestore();
		syncBuiltinESMExports();
	});
	syncBuiltinESMExports();
	const bit = fc.tuple(fc.nat(), fc.nat(7), fc.boolean());
	const isRefused = fc.asyncProperty(bit, async ([place, at, inBody]) => {
		const [sent, digest] = [Buffer.from(body), Buffer.from(right, 'hex')];
		const target = inBody ? sent : digest;
		target[place % target.length]! ^= 1 << at;
		const headers = { 'x-service-signature': digest.toString('hex') };
		expect(await host.deliver(sent, headers)).toMatchObject({ status: 401 });
	});
	await fc.assert(isRefused, made());
	expect(host.executions).toEqual([]);
	expect(compare).toHaveBeenCalledTimes(RUNS);
});

it('Replayed deliveries start nothing a second time, however they are sent', async () => {
	const again = [
		...[body, body, `\ufeff ${body}\n`],
		JSON.stringify({ data, type: 'new_filing', id: 'evt_2', created: 1 }),
		JSON.stringify({ event: 'new_filing', data: { license: { ...data, status: 'other' } } }),
	];
	for (const one of again) expect(await host.deliver(one)).toMatchObject({ status: 200 });
	await Promise.all(again.map(async (one) => await host.deliver(one)));
	expect(host.executions).toHaveLength(1);
});

it('Bodies under a right signature may hold anything', async () => {
	const any = fc.oneof(fc.record({ type: anyJson, data: anyLicense }), anyJson);
	const isUnderstoodOrRefused = fc.asyncProperty(any, async (sent) => {
		const before = host.executions.length;
		const { status } = await host.deliver(JSON.stringify(sent));
		expect([200, 400]).toContain(status);
		if (status === 400) expect(host.executions).toHaveLength(before);
		for (const item of host.executions.slice(before).flat())
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
	host = new WebhookHost({ credentials: service.credentials });
	await host.listen();
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
