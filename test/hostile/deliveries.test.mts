import crypto from 'node:crypto';
import fc from 'fast-check';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { license } from '../support/records.mts';
import { manualHost, SECRET, signatureOf, WebhookHost } from '../support/webhook-node.mts';
import { anyJson, anyLicense } from './bodies.mts';
import { made, RUNS } from './runs.mts';

let host: WebhookHost;
beforeEach(async () => {
	host = await manualHost();
});
afterEach(() => host.close());

let deliveries = 0;
const delivery = () => {
	const data = license({ id: `lic_hostile_${++deliveries}` });
	return JSON.stringify({ type: 'new_filing', data });
};

/** Sends raw headers, as no well-behaved client would. */
async function sendRaw(head: string[], body: string): Promise<number> {
	const { port, pathname } = new URL(host.url);
	const socket = connect(Number(port), '127.0.0.1');
	const lines = [`POST ${pathname} HTTP/1.1`, 'Host: n8n', 'Connection: close', ...head];
	socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
	let answer = '';
	for await (const part of socket) answer += String(part);
	return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
}

describe('Forged deliveries', () => {
	it('are refused, whatever stands in place of the signature', async () => {
		const body = delivery();
		const right = signatureOf(body);
		const wrong = signatureOf(body, 'whsec_other_example');
		const signatures = [
			...[wrong, right.slice(0, 63), `${right}0`, `${right}${right}`, right.replace(/^../, 'zz')],
			...[`sha256=sha256=${right}`, `sha256:${right}`, `SHA512=${right}`, `sha1=${right}`],
			...[`"${right}"`, `<${right}>`, `0x${right}`, `t=1,v1=${right}`, `Bearer ${right}`],
			...[`${wrong},${right}`, `${right}, ${right}`, `${wrong} ${right}`, `${right};${right}`],
			...[Buffer.from(right, 'hex').toString('base64'), SECRET, signatureOf('')],
			...['', 'undefined', 'null', ` ${SECRET}`].map((secret) => signatureOf(body, secret)),
			...['', '0'.repeat(64), 'undefined', '__proto__', 'x'.repeat(8_000)],
			...[right, wrong].flatMap((one) => [
				[one, right],
				[right, one],
			]),
		];
		for (const signature of signatures) {
			const answer = await host.deliver(body, { 'x-service-signature': signature });
			expect(answer, String(signature).slice(0, 90)).toEqual({ status: 401, body: '' });
		}
		expect(host.executions).toEqual([]);
		expect(await host.deliver(body)).toMatchObject({ status: 200 });
	});

	it('are refused when headers are doubled, folded or hidden', async () => {
		const body = delivery();
		const length = `Content-Length: ${body.length}`;
		const right = signatureOf(body);
		const wrong = signatureOf(body, 'whsec_other_example');
		const heads = [
			[`X-Service-Signature: ${wrong}`, `x-service-signature: ${right}`, length],
			[`X-Service-Signature: ${right}`, `X-SERVICE-SIGNATURE: ${wrong}`, length],
			[`X-Service-Signature: ${right}`, `X-Service-Signature: ${right}`, length],
			[`X-Service-Signature: ${wrong}\r\n ${right}`, length],
			[`X-Service-Signature : ${right}`, length],
			[`X-Service-Signature\0: ${right}`, length],
			[length, '', `X-Service-Signature: ${right}`],
			[`X-Service-Signature: ${right}`, length, 'Transfer-Encoding: chunked'],
			[`X-Service-Signature: ${right}`, length, `Content-Length: ${body.length - 1}`],
		];
		for (const head of heads) {
			expect([400, 401], head.join('|').slice(0, 120)).toContain(await sendRaw(head, body));
		}
		expect(host.executions).toEqual([]);
	});

	it('are refused when a single bit of the body or of the signature differs', async () => {
		await fc.assert(
			fc.asyncProperty(fc.nat(), fc.nat(7), fc.boolean(), async (place, bit, inBody) => {
				const body = Buffer.from(delivery());
				const digest = Buffer.from(signatureOf(body), 'hex');
				const target = inBody ? body : digest;
				target[place % target.length]! ^= 1 << bit;
				const headers = { 'x-service-signature': digest.toString('hex') };
				expect(await host.deliver(body, headers)).toMatchObject({ status: 401 });
			}),
			made(),
		);
		expect(host.executions).toEqual([]);
	});

	it('are refused while no secret is known, even when signed with nothing', async () => {
		for (const webhookSecret of ['', ' ', '\t\n', undefined, null, 7, true, {}, []]) {
			Object.assign(host.credentials, { webhookSecret });
			for (const secret of ['', ' ', 'undefined', 'null', String(webhookSecret)])
				expect(await host.deliver(delivery(), {}, secret)).toMatchObject({ status: 401 });
		}
		expect(host.executions).toEqual([]);
	});

	it('are told from right ones by timingSafeEqual alone, so that no clock tells how near they came', async () => {
		const compare = vi.spyOn(crypto, 'timingSafeEqual');
		syncBuiltinESMExports();
		onTestFinished(() => {
			compare.mockRestore();
			syncBuiltinESMExports();
		});
		const body = delivery();
		for (const isEqual of [true, false]) {
			compare.mockReturnValueOnce(isEqual);
			const secret = isEqual ? 'whsec_other_example' : SECRET;
			expect(await host.deliver(body, {}, secret)).toMatchObject({ status: isEqual ? 200 : 401 });
		}
		expect(compare).toHaveBeenCalledTimes(2);
	});
});

describe('Replayed deliveries', () => {
	it('start nothing a second time, however they are sent', async () => {
		const body = delivery();
		expect(await host.deliver(body)).toMatchObject({ status: 200 });
		const { type, data } = JSON.parse(body) as { type: string; data: object };
		const again = [
			body,
			`\ufeff${body}`,
			` ${body}\n`,
			JSON.stringify({ data, type }),
			JSON.stringify({ event: type, data: { license: data } }),
			JSON.stringify({ type, data: { ...data, status: 'other' } }),
			JSON.stringify({ type, data: { ...data, eventTimestamp: '2026-07-03T16:30:00+02:00' } }),
			JSON.stringify({ type, data, id: 'evt_2', created: 1 }),
		];
		for (const one of again) expect(await host.deliver(one)).toMatchObject({ status: 200 });
		await Promise.all(again.map(async (one) => await host.deliver(one)));
		expect(host.executions).toHaveLength(1);
	});
});

describe('Hostile bodies under a right signature', () => {
	it('hold no license where it would have to be guessed', async () => {
		const bodies = [
			...['', 'null', '[]', '"lic_1"', '7', '{"data":null}', '{"data":[]}', '{"data":"lic_1"}'],
			...['{"data":{}}', '{"data":{"id":""}}', '{"data":{"id":{"toString":"x"}}}'],
			...['{"data":{"license":[]}}', '{"type":"ping","data":{"hello":"world"}}'],
			...['{"__proto__":{"data":{"id":"lic_1"}}}', '{"data":{"__proto__":{"id":"lic_1"}}}'],
			...['{"data":{"id":"lic_1"}}{"data":{"id":"lic_2"}}', '['.repeat(500_000), '\0'],
			`{"data":{"id":"lic_1","status":"active","x":${'['.repeat(49)}${']'.repeat(49)}}}`,
		];
		for (const body of bodies)
			expect(await host.deliver(body), body.slice(0, 80)).toEqual({ status: 400, body: '' });
		const packed = await host.deliver(gzipSync(delivery()), { 'content-encoding': 'gzip' });
		expect(packed).toMatchObject({ status: 400 });
		expect(host.executions).toEqual([]);
	});

	it('may hold anything', async () => {
		const any = fc.oneof(fc.record({ type: anyJson, data: anyLicense }), anyJson);
		await fc.assert(
			fc.asyncProperty(any, async (body) => {
				const before = host.executions.length;
				const { status } = await host.deliver(JSON.stringify(body));
				expect([200, 400]).toContain(status);
				if (status === 400) expect(host.executions).toHaveLength(before);
				for (const item of host.executions.slice(before).flat())
					expect(Object.hasOwn(item, '__proto__')).toBe(false);
			}),
			made(RUNS * 4),
		);
	});
});
