import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { leadLine } from '../../../playground/crm/line.mts';
import { type Crm, startCrm } from '../../../playground/crm/server.mts';

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
