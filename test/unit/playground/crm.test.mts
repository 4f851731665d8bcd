import { appendFile, mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LicensingData } from '../../../nodes/LicensingData/LicensingData.node.ts';
import { urlFor, withAddress } from '../../../playground/workflows.mts';
import { leadLine } from '../../../playground/crm/leads.mts';
import { type Crm, startCrm } from '../../../playground/crm/server.mts';
import { Register } from '../../../sandbox/index.mts';
import { nodeOf, workflowOf } from '../../support/host.mts';

let file: string;
let crm: Crm;

beforeEach(async () => {
	file = join(await mkdtemp(join(tmpdir(), 'crm-')), 'leads.jsonl');
	crm = await startCrm({ file });
});
afterEach(async () => await crm.close());

const post = async (lead: unknown) =>
	await fetch(`${crm.address}/leads`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(lead),
	});

it('answers a lead with what it keeps of it', async () => {
	const response = await post({ company: 'Blue Heron Grill', anything: { goes: true } });
	expect(response.status).toBe(201);
	expect(await response.json()).toMatchObject({
		company: 'Blue Heron Grill',
		anything: { goes: true },
		number: 1,
	});
});

it('shows the hour after midnight as 00', () => {
	const midnight = new Date(2026, 6, 1, 0, 5).toISOString();
	expect(leadLine({ number: 1, receivedAt: midnight })).toBe('00:05:00  No name given');
});

it.each([
	['newLicense', /COP {2}new license$/],
	['newHolder', /COP {2}new holder$/],
	[null, /COP$/],
])('says in the terminal what a filing is for: %s', (filingKind, line) => {
	const receivedAt = new Date(2026, 6, 1).toISOString();
	const lead = { company: 'Blue Heron Grill', licenseType: 'COP', filingKind };
	expect(leadLine({ ...lead, number: 1, receivedAt })).toMatch(line);
});

it('keeps which workflow sent a lead, and says it in the terminal', async () => {
	const lead = { company: 'Blue Heron Grill', sentBy: 'somebody' };
	for (const sender of ['?workflow=To%20HubSpot%20%26%20Slack', '']) {
		await fetch(`${crm.leadsAddress}${sender}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(lead),
		});
	}
	const [named = expect.unreachable(), unnamed = expect.unreachable()] = crm.book.leads;
	expect([named.sentBy, unnamed.sentBy]).toEqual(['To HubSpot & Slack', undefined]);
	expect(leadLine(named)).toMatch(/Blue Heron Grill {2}\(To HubSpot & Slack\)$/);
	expect(leadLine(unnamed)).toMatch(/Blue Heron Grill$/);
});

it('refuses what is not a lead', async () => {
	for (const body of [{}, [], 'text', null]) expect((await post(body)).status).toBe(400);
	expect(crm.book.leads).toEqual([]);
});

it('shows nothing to a page of another origin, and takes nothing from it', async () => {
	await crm.close();
	const register = new Register({ records: 100 });
	crm = await startCrm({ file, register });
	const { day } = register;
	const { port } = new URL(crm.address);
	const from = async (headers: Record<string, string>, method: string, path: string) =>
		await new Promise<number | undefined>((resolve, reject) => {
			const asked = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
				answer.resume();
				resolve(answer.statusCode);
			});
			asked.on('error', reject).end(method === 'POST' && path === '/leads' ? '{"a":1}' : '');
		});
	const json = { 'content-type': 'application/json' };
	for (const headers of [
		{ origin: 'https://evil.example.com' },
		{ origin: 'null' },
		// Its name leads to this machine.
		{ host: `evil.example.com:${port}`, origin: `http://evil.example.com:${port}` },
		{ host: `evil.example.com:${port}` },
	] as Array<Record<string, string>>) {
		expect(await from(headers, 'POST', '/more')).toBe(403);
		expect(await from({ ...json, ...headers }, 'POST', '/leads')).toBe(403);
		expect(await from(headers, 'GET', '/leads')).toBe(403);
	}
	expect([register.day, crm.book.leads]).toEqual([day, []]);
	for (const name of ['127.0.0.1', 'localhost']) {
		const own = { host: `${name}:${port}`, origin: `http://${name}:${port}` };
		expect(await from(own, 'POST', '/more')).toBe(204);
	}
});

it('has a page that no other page can frame, to have its buttons clicked unseen', async () => {
	const { headers } = await fetch(crm.address);
	expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
});

it('sends its page texts and numbers alone, so that a lead of odd types is shown', async () => {
	const odd = { toString: 1 };
	await post({
		company: odd,
		licenseType: ['COP'],
		filedDate: false,
		county: null,
		latitude: 27.9,
	});
	const response = await fetch(`${crm.address}/stream`);
	const reader = response.body!.getReader();
	const text = new TextDecoder().decode((await reader.read()).value);
	await reader.cancel();
	expect(JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? '')).toMatchObject({
		company: '{"toString":1}',
		licenseType: '["COP"]',
		filedDate: 'false',
		county: null,
		latitude: 27.9,
	});
	expect(crm.book.leads[0]?.company).toEqual(odd);
});

it('writes no control character of a lead to the terminal', () => {
	const lead = { number: 1, receivedAt: new Date().toISOString(), company: 'A\u001b]0;x\u0007\nB' };
	expect(leadLine(lead)).not.toMatch(/\p{Cc}/u);
});

it('has its leads again after a restart, also where a killed run left half a line', async () => {
	await post({ company: 'Blue Heron Grill' });
	await crm.close();
	await appendFile(file, '{"company":"Half a L');
	crm = await startCrm({ file });
	await post({ company: 'Sunset Lounge' });
	await crm.close();
	crm = await startCrm({ file });
	expect(crm.book.leads.map(({ company, number }) => [number, company])).toEqual([
		[1, 'Blue Heron Grill'],
		[2, 'Sunset Lounge'],
	]);
});

it("shows the register's date, and lets it list more", async () => {
	await crm.close();
	const register = new Register({ records: 100, today: '2025-03-03' });
	crm = await startCrm({ file, register });
	const { body } = await fetch(`${crm.address}/stream`);
	const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
	expect((await reader.read()).value).toContain('event: day\ndata: {"day":"2025-03-03"');
	expect((await fetch(`${crm.address}/more`, { method: 'POST' })).status).toBe(204);
	expect((await reader.read()).value).toContain('{"day":"2025-03-04"}');
	await reader.cancel();
});

it('sends a page that reconnects only the leads it has not seen', async () => {
	for (const company of ['One', 'Two', 'Three']) await post({ company });
	const response = await fetch(`${crm.address}/stream`, { headers: { 'last-event-id': '2' } });
	const reader = response.body!.getReader();
	const { value } = await reader.read();
	await reader.cancel();
	const text = new TextDecoder().decode(value);
	expect(text).toContain('"Three"');
	expect(text).not.toContain('"Two"');
});

describe('A workflow of the playground', () => {
	const HERE = 'http://127.0.0.1:5679/leads';
	const node = {
		name: 'Send Lead',
		type: '',
		typeVersion: 1,
		position: [0, 0] as [number, number],
	};
	const after = (parameters: Record<string, unknown>) =>
		withAddress(HERE, { ...node, parameters }).parameters;

	it('writes an address that n8n turns into one with the name of the workflow', () => {
		const nodeType = new LicensingData();
		const sender = nodeOf(nodeType, {});
		const { expression } = workflowOf(nodeType, sender, { name: 'To HubSpot & Slack' });
		expect(expression.getSimpleParameterValue(sender, urlFor(HERE), 'internal', {})).toBe(
			`${HERE}?workflow=To%20HubSpot%20%26%20Slack`,
		);
	});

	it.each([
		['the placeholder of the file', 'https://crm.example.com/leads', urlFor(HERE)],
		['the address of an earlier run', 'http://127.0.0.1:4000/leads', urlFor(HERE)],
		['what an earlier run wrote', urlFor('http://127.0.0.1:4000/leads'), urlFor(HERE)],
		['a CRM of the user', 'https://crm.company.com/leads', 'https://crm.company.com/leads'],
		['another path on this machine', 'http://127.0.0.1:4000/x', 'http://127.0.0.1:4000/x'],
	])('sends leads to this run, unless the user has changed it: %s', (_, before, url) => {
		expect(after({ method: 'POST', url: before })).toEqual({ method: 'POST', url });
	});

	it('says the address of this run in a note, and leaves the rest of it', () => {
		const content = 'Leads go to http://127.0.0.1:4000/leads, and then home.';
		expect(after({ content })).toEqual({ content: `Leads go to ${HERE}, and then home.` });
	});
});
