import { appendFile, mkdtemp } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
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

const post = async (lead: unknown, to = `${crm.address}/leads`) =>
	await fetch(to, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(lead),
	});

/** What the page is sent, piece by piece. */
async function openStream(headers: Record<string, string> = {}) {
	const { body } = await fetch(`${crm.address}/stream`, { headers });
	const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
	onTestFinished(async () => await reader.cancel());
	return async () => String((await reader.read()).value);
}

it('answers a lead with what it keeps of it', async () => {
	const lead = { company: 'Blue Heron Grill', anything: { goes: true } };
	const response = await post(lead);
	expect(response.status).toBe(201);
	expect(await response.json()).toMatchObject({ ...lead, number: 1 });
});

it.each([
	[{}, '00:05:00  No name given'],
	[{ licenseType: 'COP', filingKind: 'newLicense' }, '00:05:00  No name given  COP  new license'],
	[{ licenseType: 'COP', filingKind: 'newHolder' }, '00:05:00  No name given  COP  new holder'],
	[{ company: 'A\u001b]0;x\u0007\nB' }, '00:05:00  A ]0;x  B'],
])('says in the terminal, in one line without control characters: %j', (lead, line) => {
	const receivedAt = new Date(2026, 6, 1, 0, 5).toISOString();
	expect(leadLine({ ...lead, number: 1, receivedAt })).toBe(line);
});

it('keeps which workflow sent a lead, and says it in the terminal', async () => {
	const lead = { company: 'Blue Heron Grill', sentBy: 'somebody' };
	await post(lead, `${crm.leadsAddress}?workflow=To%20HubSpot%20%26%20Slack`);
	await post(lead, crm.leadsAddress);
	const [named = expect.unreachable(), unnamed = expect.unreachable()] = crm.book.leads;
	expect([named.sentBy, unnamed.sentBy]).toEqual(['To HubSpot & Slack', undefined]);
	expect(leadLine(named)).toMatch(/Blue Heron Grill {2}\(To HubSpot & Slack\)$/);
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
	const odd = { company: { toString: 1 }, licenseType: ['COP'], filedDate: false };
	const plain = { county: null, latitude: 27.9 };
	await post({ ...odd, ...plain });
	const [, data = ''] = /^data: (.+)$/m.exec(await (await openStream())()) ?? [];
	const texts = { company: '{"toString":1}', licenseType: '["COP"]', filedDate: 'false' };
	expect(JSON.parse(data)).toMatchObject({ ...texts, ...plain });
	expect(crm.book.leads[0]).toMatchObject(odd);
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
	crm = await startCrm({ file, register: new Register({ records: 100, today: '2025-03-03' }) });
	const next = await openStream();
	expect(await next()).toContain('event: day\ndata: {"day":"2025-03-03"');
	expect((await fetch(`${crm.address}/more`, { method: 'POST' })).status).toBe(204);
	expect(await next()).toContain('{"day":"2025-03-04"}');
});

it('sends a page that reconnects only the leads it has not seen', async () => {
	for (const company of ['One', 'Two', 'Three']) await post({ company });
	const text = await (await openStream({ 'last-event-id': '2' }))();
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
