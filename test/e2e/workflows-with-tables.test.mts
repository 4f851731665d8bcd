import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { leadId } from '../../nodes/LicensingData/licenses/identity.ts';
import type { License } from '../../sandbox/index.mts';
import { dayOf, files, Office, read } from './office.mts';

let office: Office;
let heron: License;
let pelican: License;
beforeAll(async () => {
	office = await Office.open('workflows-with-tables');
	heron = open('Copper Heron Raw Bar', '500 Gulf Shore Blvd N');
	open('Mangrove Jack Tavern', '577 Fifth Ave S');
	pelican = open('Velvet Pelican Diner', '512 Tenth St');
});
afterAll(async () => await office?.close());

const isLiquor = ({ licenseType }: License) =>
	!/^(?:FOOD_SERVICE|SEATING|MOBILE_FOOD)$/.test(licenseType ?? '');
const liquor = () => office.sandbox.register.all().filter(isLiquor);
const open = (businessName: string, street: string | null, legalName = `${businessName} LLC`) =>
	office.file({
		...{ businessName, legalName, licenseType: 'COP' },
		address: { street, city: 'Naples', county: 'Collier', state: 'FL', zip: '34102' },
	});

const workflows = await Promise.all(files.map(async (file) => ({ file, ...(await read(file)) })));
const starts = workflows
	.filter(({ nodes }) => nodes.some(({ type }) => type === 'n8n-nodes-base.dataTable'))
	.flatMap(({ file, nodes }) =>
		nodes
			.filter(({ type }) => /(?:manual|schedule|licensingData)Trigger$/.test(type))
			.map(({ name }) => [file, name] as const),
	);

// The big button of n8n's editor does not choose the start that a note names first.
describe('Where no table has been made', () => {
	// Some workflows watch for this status.
	beforeAll(() => void office.file({ licenseType: 'COP', status: 'pending' }));
	it.each(starts)('%s runs from %s', async (file, name) => {
		await office.forgetTables();
		await office.execute(await office.setUp(file), name);
	});
	afterAll(async () => {
		await office.forgetTables();
		office.world.calls.length = 0;
	});
});

it('the register has a row for each license, and a new lead is told by it who was there', async () => {
	open('The Rusty Anchor', '700 Channelside Drive', 'Old Salt LLC');
	for (const number of [1, 2])
		open(`Bright ${number}`, `${number} Harbor Pl`, 'Bright Water, Inc.');
	const register = await office.setUp('venue-register.json');
	await office.execute(register, 'Once, on Click');
	const table = await office.table('Venue Register');
	const rows = async () =>
		(await table.rows())
			.map(({ id: _, createdAt: __, updatedAt: ___, ...row }) => row)
			.sort((a, b) => String(a.lead_id).localeCompare(String(b.lead_id)));
	const filled = await rows();
	expect(filled.map((row) => row.lead_id).sort()).toEqual(liquor().map(leadId).sort());
	expect(filled.find((row) => row.business === 'The Rusty Anchor')).toMatchObject({
		venue_key: '700-channelside-dr-34102',
		house: '700 34102',
		holder_key: 'old-salt-llc',
		holder: 'Old Salt LLC',
		type: 'COP',
		last_event: 'new_filing',
	});
	await office.execute(register, 'Once, on Click');
	await office.execute(register, 'Every Night');
	expect(await rows()).toEqual(filled);

	const since = new Date(Date.now() - 2000).toISOString();
	const lookUp = async () =>
		await office.publish('new-or-known-venue.json', { trigger: 'New Filing', since });
	open('Neon Gecko', '700 Channelside Dr', 'BRIGHT WATER INC');
	open('Nowhere Bar', 'Main Street');
	await lookUp();
	await office.execute(register, 'Every Night');
	await lookUp();
	const leads = office.world
		.sent('crm.example.com', '/leads')
		.map(({ body }) => body as Record<string, unknown>);
	const notes = leads.map(({ company, venue, note }) => [company, venue, note]);
	const expected = [
		[
			'Neon Gecko',
			'known venue',
			'Third license of this holder. The Rusty Anchor was at this address.',
		],
		[
			'Nowhere Bar',
			'unknown',
			'First license of this holder. Address incomplete: it may be a known venue.',
		],
	];
	// The same the second time, when the register has them. Events of one moment come in any order.
	expect(notes.sort()).toEqual([...expected, ...expected].sort());
	expect((await rows()).filter(({ business }) => business === 'Neon Gecko')).toHaveLength(1);
});

it('the weekly numbers are mailed with the change since last week, and kept once a week', async () => {
	const counties = [...new Set(liquor().map(({ address }) => address?.county ?? ''))].slice(0, 5);
	const workflow = await office.setUp('weekly-numbers.json', {
		Count: { filters: { licenseTypes: ['allLiquor'], counties } },
	});
	const send = async () =>
		await office.mailsOf(async () => await office.execute(workflow, 'Every Monday'));
	const inCounty = (county = '') => liquor().filter(({ address }) => address?.county === county);
	const total = counties.flatMap(inCounty).length;
	const subject = `Liquor licenses in Florida: ${total}`;
	const [first] = await send();
	expect(first?.subject).toBe(subject);

	// A week later, the largest county has one more.
	const table = await office.table('Weekly Numbers');
	const rows = await table.rows();
	expect(rows).toHaveLength(7 * counties.length);
	const daysSinceMonday = (new Date(dayOf(0)).getUTCDay() + 6) % 7;
	const lastWeek = dayOf(daysSinceMonday + 7);
	await table.replace(
		rows.map(({ county, license_type, licenses }) => ({
			week: lastWeek,
			county: String(county),
			license_type: String(license_type),
			licenses: Number(licenses),
		})),
	);
	const [largest = ''] = counties.toSorted((a, b) => inCounty(b).length - inCounty(a).length);
	office.file({ licenseType: 'SRX', address: { county: largest } });
	const mails = [...(await send()), ...(await send())];
	expect(mails.map((mail) => mail.subject)).toEqual(
		Array(2).fill(`Liquor licenses in Florida: ${total + 1}, +1 since last week`),
	);
	expect((await table.rows()).filter(({ week }) => week !== lastWeek)).toHaveLength(rows.length);
});

/** Businesses that a CRM had before, in the ways that people enter them. */
const KNOWN = [
	['COPPER HERON RAW BAR', '500 Gulf Shore Boulevard North'],
	['Mangrove Jack Tavern', '577 5th Ave South'],
	['Mangrove Jack Tavern LLC', '577 5th Ave South'],
	['Zq Plumbing', '1 Elm St'],
	['Velvet Pelican Diner', '512 10th St'],
] as const;

async function resultsIn(name: string): Promise<string[]> {
	const rows = await (await office.table(name)).rows();
	const sorted = rows.toSorted((a, b) => String(a.company_id).localeCompare(String(b.company_id)));
	return sorted.map(({ result }) => String(result));
}

const RESULTS = ['linked', 'please decide', 'please decide', 'no license found', 'please decide'];

it('companies of HubSpot are linked where it is clear, and left to a person where it is not', async () => {
	const { companies } = office.world.hubSpot;
	companies.create({
		...{ name: 'Velvet Pelican', license_id: String(leadId(pelican)) },
	});
	const known = KNOWN.map(([name, address]) =>
		companies.create({ name, address, city: 'Naples', zip: '34102' }),
	);
	companies.create({ address: '500 Gulf Shore Blvd N' } as never);
	const workflow = await office.setUp('link-hubspot-companies.json');
	await office.execute(workflow, 'Once, on Click');
	expect(known[0]?.properties).toMatchObject({ license_id: leadId(heron) });
	for (const { properties } of known.slice(1)) expect(properties).not.toHaveProperty('license_id');
	expect(await resultsIn('HubSpot Links')).toEqual(RESULTS);

	const saved = structuredClone(companies.all);
	const rows = await (await office.table('HubSpot Links')).rows();
	office.sandbox.requests.reset();
	await office.execute(workflow, 'Once, on Click');
	await office.execute(workflow, 'Every Hour');
	expect(companies.all).toEqual(saved);
	expect(await (await office.table('HubSpot Links')).rows()).toEqual(rows);
	expect(office.sandbox.requests.entries).toEqual([]);

	for (let number = 0; number < 101; number++) companies.create({ name: `Zq Plumbing ${number}` });
	await office.execute(workflow, 'Every Hour');
	expect(await resultsIn('HubSpot Links')).toHaveLength(rows.length + 100);
	await office.execute(workflow, 'Every Hour');
	expect(await resultsIn('HubSpot Links')).toHaveLength(rows.length + 101);
});

describe('A filing that a person is told of', () => {
	const FILES = [
		'new-liquor-license-to-rep.json',
		'new-liquor-license-to-slack.json',
		'new-filings-to-daily-email.json',
	];
	const ids: string[] = [];
	/** How the executions of each workflow ended, the latest first. */
	const results = async () => {
		const lists = ids.map(async (id) => await office.stage.client.executions(id));
		return (await Promise.all(lists)).map((list) => list.results.map(({ status }) => status));
	};
	const ended = { timeout: 120_000, interval: 500 };

	const posts = () =>
		office.world
			.sent('slack.com', '/api/chat.postMessage')
			.map(({ body }) => body as { channel: string; text: string })
			.map(({ channel, text }) => `${channel} ${text.split('\n')[0]}`);
	const POSTS = ['#ann Alpha Bar', '#bob Bravo Bar', '#leads-florida Delta Bar'];

	it('and that could not be sent is not marked, and is sent by a retry', async () => {
		await office.execute(await office.setUp('make-territories-table.json'), 'Once, on Click');
		const territory = (who: string, counties: string) => ({
			...{ name: who, rep_email: `${who}@example.com`, channel: `#${who}` },
			...{ counties, cities: '', zip_codes: '' },
		});
		await (
			await office.table('Territories')
		).replace([territory('ann', 'Lee'), territory('bob', 'Bay')]);

		const since = Date.now() - 60_000;
		for (const [at, [name, county]] of [
			['Alpha Bar', 'Lee'],
			['Bravo Bar', 'Bay'],
			['Delta Bar', 'Clay'],
		].entries())
			office.file({
				...{ businessName: name, licenseType: 'COP' },
				licenseNumber: `COP-${office.sandbox.register.day.slice(0, 4)}-${at + 1}`,
				// One after another, so that it is clear which is mailed first.
				eventTimestamp: new Date(since + 1000 * (at + 1)).toISOString(),
				address: { street: '1 Bay St', city: 'Town', county, state: 'FL', zip: '34000' },
			});
		const { mailbox, stage } = office;
		mailbox.refused.add('bob@example.com').add('sales@example.com');
		const startFrom = new Date(since).toISOString();
		const filters = { counties: ['Lee', 'Bay', 'Clay'], licenseTypes: ['allLiquor'] };
		const mails = await office.mailsOf(async () => {
			for (const file of FILES) {
				const { id } = await office.setUp(file, {
					'New Filing': { filters, options: { startFrom } },
				});
				ids.push(id);
				await stage.client.activate(id);
			}
			await expect.poll(results, ended).toEqual([['error'], ['success'], ['error']]);
			mailbox.refused.clear();
			const [failed] = (await stage.client.executions(ids[0] ?? '')).results;
			await stage.client.request('POST', `/rest/executions/${failed?.id}/retry`, {});
			await expect.poll(results, ended).toEqual([['success', 'error'], ['success'], ['error']]);
		});
		expect(mails.map(({ subject, recipients }) => [...recipients, subject])).toEqual([
			['ann@example.com', 'Alpha Bar, Town'],
			['bob@example.com', 'Bravo Bar, Town'],
			['office@example.com', 'No rep: Delta Bar, Town'],
		]);
		expect(posts()).toEqual(POSTS);
	});

	it('is sent once, though the trigger brings it again after a restart', async () => {
		const mails = await office.mailsOf(async () => {
			await office.stage.crash();
			await expect.poll(results, ended).toEqual([
				['success', 'success', 'error'],
				['success', 'success'],
				['success', 'error'],
			]);
		});
		// What could not be sent the first time.
		expect(mails.map(({ subject }) => subject)).toEqual(['Liquor licenses: 3 new']);
		expect(posts()).toEqual(POSTS);
		for (const id of ids) await office.stage.client.deactivate(id);
	});

	it('is sent once, however often one clicks', async () => {
		const filters = { counties: ['Collier'], licenseTypes: ['allLiquor'] };
		const workflow = await office.setUp('new-liquor-license-to-rep.json', {
			'New Filing': { filters },
		});
		const click = async () =>
			await office.mailsOf(async () => await office.execute(workflow, 'New Filing'));
		expect(await click()).not.toEqual([]);
		expect(await click()).toEqual([]);
	});
});
