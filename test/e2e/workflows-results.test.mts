import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { leadId } from '../../nodes/LicensingData/licenses/identity.ts';
import type { License } from '../../sandbox/index.mts';
import type { LicensePatch } from '../../sandbox/register/license.mts';
import { dayOf, EXPORTS, Office, read } from './office.mts';
import { everyTenSeconds, patiently } from './schedulers.mts';

const DAY = 86_400_000;

let office: Office;
let sandbox: Office['sandbox'];
let world: Office['world'];
let stage: Office['stage'];

beforeAll(async () => {
	office = await Office.open();
	({ sandbox, world, stage } = office);
});
afterAll(async () => {
	await office?.close();
});

const names = (of: string[]) => [...of].sort();

const mailsOf = async (work: () => Promise<void>) => await office.mailsOf(work);

/** Where the office sells, entered in the ways that people write places. */
const TERRITORIES = [
	{ name: 'South Florida', rep_email: 'bob@example.com', channel: '#leads-south-florida' },
	{ name: 'Tampa Bay', rep_email: 'ann@example.com', channel: '#leads-tampa-bay' },
	{ name: 'Central Florida', rep_email: 'cleo@example.com', channel: '#leads-central-florida' },
];
const PLACES = [
	{ counties: 'BROWARD COUNTY, Palm Beach and Monroe', cities: 'Miami, Hialeah', zip_codes: '' },
	{ counties: 'hillsborough; Pinellas County, Pasco', cities: '', zip_codes: '342*' },
	{ counties: '', cities: 'orlando', zip_codes: '32801-32899, 34711' },
];

it('makes the table of territories with two examples, once', async () => {
	const workflow = await office.setUp('make-territories-table.json');
	await office.execute(workflow, 'Once, on Click');
	await office.execute(workflow, 'Once, on Click');
	const table = await office.table('Territories');
	expect((await table.rows()).map(({ name }) => name)).toEqual(['Tampa Bay', 'Miami']);
	expect((await table.rows())[0]).toMatchObject({ counties: 'Hillsborough, Pinellas', cities: '' });
	await table.replace(TERRITORIES.map((row, at) => ({ ...row, ...PLACES[at] })));
	await office.execute(workflow, 'Once, on Click');
	expect((await table.rows()).map(({ name }) => name)).toEqual(TERRITORIES.map(({ name }) => name));
});

describe('A new liquor license', () => {
	const LIQUOR = ['SRX', 'COP', 'BEV', 'APS', 'TEMP_PERMIT', 'BOTTLE_CLUB', 'MANUFACTURER'];
	let since: string;
	let filings: License[];

	beforeAll(() => {
		since = new Date(Date.now() - 60_000).toISOString();
		let filed = 0;
		const file = (
			businessName: string,
			licenseType: string,
			address: Partial<License['address']>,
			legalName = `${businessName} Holdings LLC`,
		) =>
			office.file({
				businessName,
				legalName,
				licenseType,
				address: { state: 'FL', zip: '33602', ...address },
				// One after another, so that it is clear which is the latest.
				eventTimestamp: new Date(Date.parse(since) + 1000 * ++filed).toISOString(),
			});
		const tampa = { city: 'Tampa', county: 'Hillsborough' };
		file('Rusty Anchor', 'COP', { street: '1 Bay Street', ...tampa });
		file('=Ocean & Sons', 'SRX', { street: '2 Bay Street', city: 'Miami', county: 'Miami-Dade' });
		file('Lakeside Bar', 'BEV', { street: '3 Bay Street', city: 'Orlando', county: 'Orange' });
		file('Corner Spirits', 'APS', { street: '4 Bay St', city: 'Jacksonville', county: 'Duval' });
		file('Taco Truck', 'MOBILE_FOOD', { street: '5 Bay Street', ...tampa });
		// A second license of the first venue, as somebody else writes it.
		const sameVenue = { street: '1 BAY ST.', zip: '33602-1234', ...tampa };
		file('Anchor Bottle Shop', 'APS', sameVenue, 'RUSTY ANCHOR HOLDINGS, L.L.C.');
		office.file({ licenseType: 'COP', eventType: 'renewal' });
		filings = sandbox.register
			.all()
			.filter(
				({ eventType, eventTimestamp, licenseType }) =>
					eventType === 'new_filing' &&
					LIQUOR.includes(licenseType ?? '') &&
					Date.parse(eventTimestamp ?? '') >= Date.parse(since),
			);
		expect(filings).toHaveLength(5);
	});

	const publish = async (file: string) =>
		await office.publish(file, { trigger: 'New Filing', since });

	const byName = (businessName: string) =>
		filings.find((filing) => filing.businessName === businessName) as License;
	const filed = () => names(filings.map(({ businessName }) => businessName ?? ''));

	describe('in HubSpot', () => {
		const saved = () => structuredClone([companies().all, contacts().all, [...links()]]);
		const companies = () => world.hubSpot.companies;
		const contacts = () => world.hubSpot.contacts;
		const links = () => world.hubSpot.links;
		const company = (name: string) =>
			companies().all.find(({ properties }) => properties.name === name);

		it('becomes one company for each lead, with one contact for each firm', async () => {
			// This one moved: only its license tells which company it is.
			const moved = companies().create({
				name: 'Lakeside',
				license_id: String(leadId(byName('Lakeside Bar'))),
			});
			await publish('new-liquor-license-to-hubspot-company.json');

			expect(names(companies().all.map(({ properties }) => properties.name ?? ''))).toEqual(
				filed(),
			);
			expect(company('Lakeside Bar')?.id).toBe(moved.id);
			expect(company('Anchor Bottle Shop')?.properties).toEqual({
				license_id: leadId(byName('Anchor Bottle Shop')),
				name: 'Anchor Bottle Shop',
				address: '1 BAY ST.',
				city: 'Tampa',
				state: 'FL',
				zip: '33602-1234',
				description: expect.stringMatching(
					/^Anchor Bottle Shop in Tampa, Hillsborough County filed for a new Package Sales/,
				),
			});
			expect(contacts().all).toHaveLength(4);
			const holder = contacts().all.find(
				({ properties }) => properties.license_holder === 'rusty-anchor-holdings-llc',
			);
			expect(holder?.properties.lastname).toBe('RUSTY ANCHOR HOLDINGS, L.L.C.');
			for (const name of ['Rusty Anchor', 'Anchor Bottle Shop'])
				expect(links()).toContain(`${holder?.id} ${company(name)?.id}`);
			expect(links().size).toBe(5);
			for (const { host, headers } of world.calls) {
				if (host === 'api.hubapi.com') {
					expect(headers.authorization).toBe('Bearer hubspot-token-example');
				}
			}
		});

		it('does not double when it comes again', async () => {
			const before = saved();
			await publish('new-liquor-license-to-hubspot-company.json');
			expect(saved()).toEqual(before);
		});

		it('joins those of the last 60 days, which can be loaded again', async () => {
			const known = companies().all.map(({ id }) => id);
			const workflow = await office.setUp('catch-up-to-hubspot.json');
			const mails = await mailsOf(async () => {
				await office.execute(workflow, 'Once, on Click');
				const loaded = saved();
				await office.execute(workflow, 'Once, on Click');
				await office.execute(workflow, 'Every Morning');
				expect(saved()).toEqual(loaded);
			});
			expect(mails).toEqual([]);
			// By the day it was filed, in the time zone of this n8n; the same venue twice is one.
			const recent = sandbox.register
				.all()
				.filter(
					({ filedDate, licenseType }) =>
						LIQUOR.includes(licenseType ?? '') && (filedDate ?? '') >= dayOf(60),
				);
			// A filing counts even if its license has changed since.
			expect(recent.some(({ eventType }) => eventType !== 'new_filing')).toBe(true);
			const due = new Set([...recent, ...filings].map((license) => leadId(license)));
			expect(companies().all).toHaveLength(due.size);
			expect(companies().all.map(({ id }) => id)).toEqual(expect.arrayContaining(known));
		});

		it('is mailed in the morning if the trigger should have brought it and has not', async () => {
			const missed = office.fileLate(20, { businessName: 'Night Owl', licenseType: 'COP' });
			const early = office.file({ businessName: 'Early Bird', licenseType: 'COP' });
			const workflow = await office.setUp('catch-up-to-hubspot.json');
			const mails = await mailsOf(async () => {
				await office.execute(workflow, 'Every Morning');
				await office.execute(workflow, 'Every Morning');
			});
			const [mail, ...others] = mails;
			expect(others).toEqual([]);
			expect(mail?.subject).toBe('Filings that the trigger missed: 1');
			expect(mail?.body).toContain('- Night Owl in ');
			expect(mail?.body).not.toContain('Early Bird');
			expect(company('Night Owl')?.properties.license_id).toBe(leadId(missed));
			expect(company('Early Bird')).toBeDefined();
			for (const { id } of [missed, early]) sandbox.register.leaveOut(String(id));
		});
	});

	it('becomes a lead in Pipedrive, and stays one when it comes again', async () => {
		const { pipedrive } = world;
		const lakeside = String(leadId(byName('Lakeside Bar')));
		pipedrive.add('Lakeside', lakeside);
		await publish('new-liquor-license-to-pipedrive.json');

		const { organizations, leads, notes } = pipedrive;
		expect(names(organizations.map(({ name }) => name))).toEqual(filed());
		expect(organizations.map(pipedrive.shown)).toContainEqual({
			id: 1,
			name: 'Lakeside Bar',
			'License ID': lakeside,
		});
		// The organization that was there is updated, and is not a new lead.
		expect(names(leads.map(({ title }) => String(title)))).toEqual([
			'=Ocean & Sons, Miami',
			'Anchor Bottle Shop, Tampa',
			'Corner Spirits, Jacksonville',
			'Rusty Anchor, Tampa',
		]);
		expect(new Set(leads.map(({ organization_id }) => organization_id)).size).toBe(4);
		const corner = leads.findIndex(({ title }) => title === 'Corner Spirits, Jacksonville');
		expect(notes[corner]).toEqual({
			lead_id: `lead-${corner + 1}`,
			content: expect.stringContaining(`License: ${byName('Corner Spirits').licenseNumber}`),
		});

		const first = structuredClone({ organizations, leads, notes });
		await publish('new-liquor-license-to-pipedrive.json');
		const sorted = (all: Array<{ id: number }>) => all.toSorted((a, b) => a.id - b.id);
		expect({ leads, notes }).toEqual({ leads: first.leads, notes: first.notes });
		expect(sorted(organizations).map(({ id }) => id)).toEqual(
			sorted(first.organizations).map(({ id }) => id),
		);
	});

	it('becomes a lead in Salesforce, and stays one when it comes again', async () => {
		const { leads } = world.salesforce;
		await publish('new-liquor-license-to-salesforce.json');
		const first = structuredClone(leads);
		await publish('new-liquor-license-to-salesforce.json');
		expect(leads).toEqual(first);
		expect(names([...leads.keys()])).toEqual(
			names(filings.map((filing) => String(leadId(filing)))),
		);
		expect(leads.get(String(leadId(byName('=Ocean & Sons'))))).toEqual({
			Company: '=Ocean & Sons',
			LastName: '=Ocean & Sons Holdings LLC',
			Street: '2 Bay Street',
			City: 'Miami',
			State: 'FL',
			PostalCode: '33602',
			Country: 'US',
			LeadSource: 'Florida License Filings',
			Description: expect.stringMatching(/^=Ocean & Sons in Miami, Miami-Dade County filed/),
		});
	});

	it('becomes a record in Airtable, and stays one when it comes again', async () => {
		const { records } = world.airtable;
		await publish('new-liquor-license-to-airtable.json');
		const first = structuredClone(records);
		await publish('new-liquor-license-to-airtable.json');
		expect(records).toEqual(first);
		expect(names(records.map(({ fields }) => String(fields.Company)))).toEqual(filed());
		expect(records.map(({ fields }) => fields)).toContainEqual(
			// Some have a phone.
			expect.objectContaining({
				'License ID': leadId(byName('Lakeside Bar')),
				Company: 'Lakeside Bar',
				Holder: 'Lakeside Bar Holdings LLC',
				Street: '3 Bay Street',
				City: 'Orlando',
				'ZIP Code': '33602',
				County: 'Orange',
				'License Type': 'Beverage (BEV)',
				'Filing Kind': expect.stringMatching(/^(?:New license|Not known)$/),
				Filed: byName('Lakeside Bar').filedDate,
				Description: expect.stringContaining('Lakeside Bar in Orlando'),
			}),
		);
	});

	it('is mailed to the reps of its territory, and to the office where nobody sells', async () => {
		const elsewhere = office.file({
			businessName: 'Gulf Tap',
			licenseType: 'COP',
			address: { street: '9 Palm Ave', city: 'Orange Park', county: 'Clay', zip: '32065' },
		});
		const file = 'new-liquor-license-to-rep.json';
		const changes = {
			'Tell the Office': {
				...(await read(file)).nodes.find(({ name }) => name === 'Tell the Office')?.parameters,
				toEmail: '={{ "" }}',
			},
		};
		const refused = await mailsOf(async () => {
			const run = office.publish(file, { trigger: 'New Filing', since, changes });
			await expect(run).rejects.toThrow('recipients');
		});
		const mails = [...refused, ...(await mailsOf(async () => await publish(file)))];
		expect(await mailsOf(async () => await publish(file))).toEqual([]);
		sandbox.register.leaveOut(String(elsewhere.id));
		expect(mails).toHaveLength(6);
		const told = (subject: string) =>
			names(mails.filter((mail) => mail.subject === subject).flatMap((mail) => mail.recipients));
		expect(told('Rusty Anchor, Tampa')).toEqual(['ann@example.com']);
		expect(told('=Ocean & Sons, Miami')).toEqual(['bob@example.com']);
		expect(told('Lakeside Bar, Orlando')).toEqual(['cleo@example.com']);
		expect(told('Anchor Bottle Shop, Tampa')).toEqual(['ann@example.com']);
		expect(told('No rep: Corner Spirits, Jacksonville')).toEqual(['office@example.com']);
		expect(told('No rep: Gulf Tap, Orange Park')).toEqual(['office@example.com']);
		const rusty = mails.find(({ subject }) => subject === 'Rusty Anchor, Tampa');
		expect(rusty?.body).toContain(
			`\n\n1 Bay Street, Tampa, FL 33602\nHolder: Rusty Anchor Holdings LLC\nLicense: ${byName('Rusty Anchor').licenseNumber}`,
		);
	});

	it('becomes a row in Google Sheets, and stays one row when it comes again', async () => {
		await publish('new-liquor-license-to-google-sheets.json');
		await publish('new-liquor-license-to-google-sheets.json');
		const [header = [], ...rows] = world.spreadsheet.rows;
		const leads = rows.map((row) =>
			Object.fromEntries(header.map((column, at) => [String(column), row[at]])),
		);
		expect(names(leads.map(({ company }) => String(company)))).toEqual(filed());
		expect(leads.find(({ company }) => company === '=Ocean & Sons')).toMatchObject({
			leadId: leadId(byName('=Ocean & Sons')),
			city: 'Miami',
			county: 'Miami-Dade',
			postalCode: '33602',
			licenseType: 'SRX',
			event: 'new_filing',
		});
		const written = world.calls.filter(
			({ host, method, path }) =>
				host === 'sheets.googleapis.com' && method !== 'GET' && path.includes('/values/'),
		);
		expect(new Set(written.map(({ query }) => query.valueInputOption))).toEqual(new Set(['RAW']));
	});

	it('is announced in the Slack channel of its territory, and in one for all others', async () => {
		await publish('new-liquor-license-to-slack.json');
		await publish('new-liquor-license-to-slack.json');
		const messages = world
			.sent('slack.com', '/api/chat.postMessage')
			.map(({ body }) => body as { channel: string; text: string });
		const channelOf = (name: string) =>
			messages.filter(({ text }) => text.startsWith(`${name}\n`)).map(({ channel }) => channel);
		expect(messages).toHaveLength(filings.length);
		expect(channelOf('=Ocean &amp; Sons')).toEqual(['#leads-south-florida']);
		expect(channelOf('Rusty Anchor')).toEqual(['#leads-tampa-bay']);
		expect(channelOf('Lakeside Bar')).toEqual(['#leads-central-florida']);
		expect(channelOf('Corner Spirits')).toEqual(['#leads-florida']);
		expect(messages[0]?.text).toContain('Bay Street');
	});
});

describe('Three businesses at one address, in every order', () => {
	const LEADS = [
		{ businessName: 'Lobby Bar', legalName: 'Grand Hotel LLC', phone: '813-555-0101' },
		{ businessName: 'Pool Grill', legalName: 'Pat Doe', phone: '813-555-0102' },
		{ businessName: 'Corner Cafe', legalName: 'Pat Doe', phone: null },
	];
	const ORDERS = ['012', '021', '102', '120', '201', '210'];
	let since: string;
	let filings: License[];

	beforeAll(() => {
		since = new Date(Date.now() - 30_000).toISOString();
		filings = ORDERS.flatMap((order, house) =>
			[...order].map((at, place) => {
				const { phone, ...names } = LEADS[Number(at)] as (typeof LEADS)[number];
				const time = Date.parse(since) + 1000 * (3 * house + place + 1);
				return office.file({
					...{ ...names, licenseType: 'COP', enrichment: phone ? { phone } : null },
					address: { street: `${house + 1} Hotel Way`, city: 'Tampa', state: 'FL', zip: '33609' },
					eventTimestamp: new Date(time).toISOString(),
				});
			}),
		);
	});
	const phoneOf = ({ businessName }: License) =>
		LEADS.find((lead) => lead.businessName === businessName)?.phone ?? undefined;
	const isTheirs = (id: unknown) => filings.some((filing) => leadId(filing) === id);

	it('are three companies in HubSpot, beside a customer, each with its own phone and contact', async () => {
		const { companies, contacts, links } = world.hubSpot;
		const customer = { name: 'Hotel Gift Shop', license_id: 'a customer', phone: '813-555-0199' };
		companies.create({ ...customer, address: '1 Hotel Way' });
		await office.publish('new-liquor-license-to-hubspot-company.json', {
			trigger: 'New Filing',
			since,
		});
		const made = companies.all.filter(({ properties }) => isTheirs(properties.license_id));
		expect(
			made.map(({ properties: { license_id, name, phone } }) => [license_id, name, phone]),
		).toEqual(
			expect.arrayContaining(
				filings.map((filing) => [leadId(filing), filing.businessName, phoneOf(filing)]),
			),
		);
		expect(made).toHaveLength(18);
		expect(companies.all.find(({ properties }) => properties.license_id === 'a customer')).toEqual({
			id: expect.any(String),
			properties: { ...customer, address: '1 Hotel Way' },
		});
		const holders = contacts.all.filter(({ properties }) =>
			['Grand Hotel LLC', 'Pat Doe'].includes(properties.lastname ?? ''),
		);
		// The hotel is one firm. Of people, two of one name are two.
		expect(holders).toHaveLength(1 + 2 * ORDERS.length);
		for (const { id } of made)
			expect([...links].filter((link) => link.endsWith(` ${id}`))).toHaveLength(1);
	});

	it('are three organizations and leads in Pipedrive, each with its own note', async () => {
		const { pipedrive } = world;
		await office.publish('new-liquor-license-to-pipedrive.json', { trigger: 'New Filing', since });
		const made = pipedrive.organizations
			.map(pipedrive.shown)
			.filter((one) => isTheirs(one['License ID']));
		expect(made.map((one) => [one['License ID'], one.name])).toEqual(
			expect.arrayContaining(filings.map((filing) => [leadId(filing), filing.businessName])),
		);
		expect(made).toHaveLength(18);
		for (const { id, name } of made) {
			const at = pipedrive.leads.findIndex(({ organization_id }) => organization_id === id);
			const note = String(pipedrive.notes[at]?.content);
			const phone = LEADS.find(({ businessName }) => businessName === name)?.phone;
			expect(note).toContain(`${name} in Tampa`);
			expect(/Phone: ([\d-]+)/.exec(note)?.[1]).toBe(phone ?? undefined);
		}
	});

	it('are three rows in the table of n8n, which a lead that comes again does not change', async () => {
		const file = 'new-leads-into-an-n8n-table.json';
		const changes = {
			'New Filing': { filters: { licenseTypes: ['allLiquor'] }, options: { startFrom: since } },
		};
		const publish = async () =>
			await office.publish(file, { trigger: 'New Filing', since, changes });
		await publish();
		const rows = async () =>
			(await (await office.table('Leads')).rows()).filter((row) => isTheirs(row.lead_id));
		const before = await rows();
		expect(before).toHaveLength(18);
		expect(before[0]).toMatchObject({
			company: 'Lobby Bar',
			holder: 'Grand Hotel LLC',
			city: 'Tampa',
		});
		await publish();
		const withoutTimes = (all: typeof before) => all.map(({ updatedAt: _, ...row }) => row);
		expect(withoutTimes(await rows())).toEqual(withoutTimes(before));
	});
});

it('mails the ownership transfers of the week before last, and no others', async () => {
	const transfer = (businessName: string, days: number) =>
		office.file({
			businessName,
			eventType: 'ownership_transfer',
			eventTimestamp: `${dayOf(days)}T00:00:00Z`,
			filedDate: '2019-03-01',
		});
	transfer('Smith & Sons <Grill>', 8);
	transfer('Sand Dollar', 14);
	transfer('Last Week Lounge', 7);
	transfer('Older Lounge', 15);
	const thatWeek = sandbox.register.all().filter(({ eventType, eventTimestamp }) => {
		const day = (eventTimestamp ?? '').slice(0, 10);
		return eventType === 'ownership_transfer' && day >= dayOf(14) && day <= dayOf(8);
	});

	const workflow = await office.setUp('ownership-transfers-to-weekly-email.json', {
		'Send Email': {
			fromEmail: 'licenses@example.com',
			toEmail: 'ann@example.com, bob@example.com',
		},
	});
	const [mail, ...others] = await mailsOf(
		async () => await office.execute(workflow, 'Every Monday'),
	);
	expect(others).toEqual([]);
	expect(mail?.recipients).toEqual(['ann@example.com', 'bob@example.com']);
	expect(mail?.subject).toMatch(
		new RegExp(
			`^${thatWeek.length} ownership transfers in Florida, week ending \\d{4}-\\d\\d-\\d\\d$`,
		),
	);
	expect(mail?.body.match(/<tr/g)).toHaveLength(thatWeek.length + 1);
	expect(mail?.body).toContain('<td style=');
	expect(mail?.body).toContain('Smith &amp; Sons &lt;Grill&gt;');
	expect(mail?.body).toContain('Sand Dollar');
	expect(mail?.body).not.toContain('Lounge');
});

it('mails once a day what was filed, each filing under its territory', async () => {
	const since = new Date(Date.now() - 2000).toISOString();
	let number = 0;
	const filed = (businessName: string, county: string, more: LicensePatch = {}) =>
		office.file({
			businessName,
			licenseType: 'SRX',
			legalName: 'Shore LLC',
			licenseNumber: `SRX-${sandbox.register.day.slice(0, 4)}-${++number}`,
			...more,
			address: { street: '8 Shore Dr A & B', city: 'Town', county, state: 'FL', zip: '34000' },
		});
	filed('Salt & <Lime>', 'Pinellas');
	filed('Low Tide', 'Pasco');
	filed('Conch House', 'Monroe');
	filed('Panhandle Pub', 'Bay');
	filed('Nobody Knows', 'Bay', { licenseNumber: '10001' });
	filed('Old Salt', 'Pasco', { licenseNumber: 'SRX-2019-000001' });
	filed('Taco Truck', 'Bay', { licenseType: 'MOBILE_FOOD' });

	const file = 'new-filings-to-daily-email.json';
	const publish = async () => await office.publish(file, { trigger: 'New Filing', since });
	const [mail, ...others] = await mailsOf(publish);
	expect(others).toEqual([]);
	const subject = 'Liquor licenses: 4 new, 1 in new hands, 1 unclear which';
	expect(mail?.subject).toBe(subject);
	// Another one, for other people, keeps nothing from them.
	expect(await mailsOf(publish)).toMatchObject([{ subject }]);
	const headings =
		/<h2>New Licenses \(4\)<\/h2>|<h2>New Holders \(1\)<\/h2>|<h2>Unclear Which \(1\)<\/h2>/;
	const [, newLicenses = '', newHolders = '', notKnown] = (mail?.body ?? '').split(headings);
	expect(newHolders).toMatch(/^\s*<h3>Tampa Bay \(1\)<\/h3>\s*<ul><li [^>]*><b>Old Salt<\/b>/);
	expect(notKnown).toMatch(
		/^\s*<h3>Everywhere Else \(1\)<\/h3>\s*<ul><li [^>]*><b>Nobody Knows<\/b>/,
	);
	expect(newLicenses).not.toMatch(/Old Salt|Nobody Knows/);
	const sections = newLicenses.split('<h3>').slice(1);
	const territory = Object.fromEntries(sections.map((text) => text.split('</h3>')));
	expect(Object.keys(territory).toSorted()).toEqual([
		'Everywhere Else (1)',
		'South Florida (1)',
		'Tampa Bay (2)',
	]);
	expect(Object.keys(territory).at(-1)).toBe('Everywhere Else (1)');
	expect(territory['Tampa Bay (2)']).toMatch(
		/<b>Salt &amp; &lt;Lime&gt;<\/b>, 8 Shore Dr A &amp; B, Town, FL 34000, Pinellas County<br>Special Restaurant \(SRX\), license SRX-\d{4}-1, filed \d{4}-\d\d-\d\d, in effect \d{4}-\d\d-\d\d, holder: [^<]+<br><a href="https:[^"]+">Official record<\/a><br><a href="https:\/\/www\.google\.com\/maps\/search\/\?api=1&amp;query=8%20Shore%20Dr%20A%20%20%20B%20Town%20FL%2034000">Map<\/a><\/li>/,
	);
	expect(territory['Tampa Bay (2)']).toContain('<b>Low Tide</b>');
	expect(territory['South Florida (1)']).toContain('<b>Conch House</b>');
	expect(territory['Everywhere Else (1)']).toContain('<b>Panhandle Pub</b>');
	expect(mail?.body.match(/<li /g)).toHaveLength(6);
	expect(mail?.body.match(/>Map</g)).toHaveLength(6);
});

it('tells why a workflow failed: at a step, and at its trigger', async () => {
	const teller = await office.setUp('tell-me-when-it-fails.json');
	await stage.client.activate(teller.id);
	const watched = async (changes: Parameters<Office['setUp']>[1]) => {
		const { id, settings } = await office.setUp('new-liquor-license-to-crm.json', changes);
		const watching = { settings: { ...settings, errorWorkflow: teller.id } };
		await stage.client.request('PATCH', `/rest/workflows/${id}`, watching);
		return id;
	};
	office.file({
		...{ businessName: 'Never Arrives', licenseType: 'COP' },
		address: { street: '1 Bay St', city: 'Miami', county: 'Miami-Dade', zip: '33131' },
	});
	const failing = await watched({
		'New Filing': { options: { startFrom: new Date(Date.now() - DAY).toISOString() } },
		'Create Lead in CRM': { url: 'http://127.0.0.1:9/' },
	});
	const [mail] = await mailsOf(async () => {
		await stage.client.activate(failing);
		await office.succeeded(teller.id);
		await stage.client.deactivate(failing);
	});
	expect(mail?.subject).toBe('Failed in n8n: New Liquor License to CRM');
	expect(mail?.body).toContain('Step: Create Lead in CRM');
	expect(mail?.body).toContain(`/workflow/${failing}/executions/`);

	// n8n says it in another shape where there is no execution.
	const refused = await watched({ 'New Filing': { pollTimes: everyTenSeconds } });
	const [other] = await mailsOf(async () => {
		const { length } = office.mailbox.mails;
		await stage.client.activate(refused);
		sandbox.trouble.next({ kind: 'error', status: 401 });
		await expect.poll(() => office.mailbox.mails.length, patiently).toBeGreaterThan(length);
		await stage.client.deactivate(refused);
	});
	expect(other?.body).toMatch(
		/^The API key was not accepted\n.*Copy the key .*\n\nWorkflow: New Liquor License to CRM\nStep: New Filing\n/,
	);
});

it('tells that nothing came, and what can be known of the reason', async () => {
	const file = 'tell-me-when-nothing-comes.json';
	const step = (await read(file)).nodes.find(({ name }) => name === 'My Filings');
	const filters = step?.parameters.filters as object;
	const told = async (county: string) => {
		const workflow = await office.setUp(file, {
			'My Filings': { filters: { ...filters, counties: [county] } },
		});
		const mails = await mailsOf(async () => await office.execute(workflow, 'Every Monday'));
		return mails.map(({ body }) => body.trim());
	};
	const filed = (county: string, licenseType: string, days: number) =>
		office.file({
			...{ licenseType, filedDate: dayOf(days), eventTimestamp: `${dayOf(days)}T00:00:00Z` },
			address: { street: '1 Bay St', city: 'Town', county, state: 'FL', zip: '32000' },
		});
	filed('Leon', 'COP', 10);
	// A grocery without a date shows today's.
	filed('Lafayette', 'COP', 0);
	expect(await told('Leon')).toEqual([]);
	expect(await told('Lafayette')).toEqual([
		expect.stringMatching(
			/^It is quiet: .* in Lafayette County, and (?!0)\d+ new filings elsewhere in Florida\./,
		),
	]);
	sandbox.trouble.next({ kind: 'error', status: 401 });
	expect(await told('Leon')).toEqual([
		expect.stringMatching(/^No lead can come, as the list cannot be read: The API key was not/),
	]);
});

it('tells the rep what has changed at a customer, once, and who files at its address', async () => {
	const open = (businessName: string, street: string, more: Partial<License> = {}) =>
		office.file({
			businessName,
			legalName: `${businessName} LLC`,
			licenseType: 'COP',
			status: 'active',
			address: { street, city: 'Naples', county: 'Collier', state: 'FL', zip: '34102' },
			sourceUrl: 'https://records.example/florida/naples',
			...more,
		});
	const reef = open('Copper Heron Raw Bar', '410 Gulf Shore Blvd N');
	const inn = open('Mangrove Jack Tavern', '77 Fifth Ave S', { legalName: null });
	const stranger = open('Velvet Pelican', '12 Tenth St');

	const workflow = await office.setUp('watch-my-customers.json');
	await office.execute(workflow, 'Once, on Click');
	const table = await office.table('Customers');
	expect(await table.rows()).toMatchObject([
		{ business: 'Example Business', license_number: null },
	]);
	const row = { rep_email: 'dana@example.com', street: '', city: '', zip: '' };
	await table.replace([
		{ ...row, business: 'COPPER HERON RAW BAR LLC', street: '410 Gulf Shore Boulevard North' },
		{ ...row, business: 'Mangrove Jack', street: '77 5th Avenue South', zip: '34102' },
		{ ...row, business: 'Nobody Knows This Place', city: 'Naples' },
	]);
	await office.execute(workflow, 'Once, on Click');
	expect(
		(await table.rows()).map(({ license_number, reason }) => [license_number, reason]),
	).toEqual([
		[reef.licenseNumber, 'same legal name, same address'],
		[inn.licenseNumber, expect.stringContaining('same address')],
		['', expect.stringMatching(/^no license/)],
	]);

	const since = new Date(Date.now() - 2000).toISOString();
	office.change(String(reef.id), {
		eventType: 'ownership_transfer',
		status: 'active',
		legalName: 'Bright Water Group Inc.',
	});
	office.change(String(inn.id), {
		eventType: 'cancellation',
		status: 'cancelled',
		legalName: 'Jack Tar LLC',
	});
	office.change(String(stranger.id), {
		eventType: 'ownership_transfer',
		legalName: 'Somebody Else Inc.',
	});
	const upstairs = open('Heron Upstairs', '410 GULF SHORE BOULEVARD NORTH', {
		sourceUrl: 'https://records.example/florida/upstairs',
	});
	const watch = async () =>
		await office.publish('watch-my-customers.json', { trigger: 'Change', since });
	const mails = await mailsOf(async () => {
		await watch();
		await watch();
	});
	expect(names(mails.map(({ subject }) => subject))).toEqual([
		'COPPER HERON RAW BAR LLC: new filing at this address',
		'COPPER HERON RAW BAR LLC: ownership transfer',
		'Mangrove Jack: cancellation',
	]);
	expect(new Set(mails.flatMap(({ recipients }) => recipients))).toEqual(
		new Set(['dana@example.com']),
	);
	const linesOf = (subject: string) =>
		mails
			.find((mail) => mail.subject.endsWith(subject))
			?.body.trim()
			.split(/\r?\n/)
			.slice(2);
	expect(linesOf('ownership transfer')).toEqual([
		'410 Gulf Shore Blvd N, Naples, FL 34102',
		'Holder: Copper Heron Raw Bar LLC → Bright Water Group Inc.',
		`License: ${reef.licenseNumber}`,
		reef.sourceUrl,
	]);
	expect(linesOf('cancellation')).toEqual([
		'77 Fifth Ave S, Naples, FL 34102',
		'Status: active → cancelled',
		'Holder: unknown → Jack Tar LLC',
		`License: ${inn.licenseNumber}`,
		inn.sourceUrl,
	]);
	expect(linesOf('new filing at this address')).toEqual([
		'410 GULF SHORE BOULEVARD NORTH, Naples, FL 34102',
		'Holder: Heron Upstairs LLC',
		`License: ${upstairs.licenseNumber}`,
		'https://records.example/florida/upstairs',
	]);
	expect((await table.rows()).map(({ status, holder }) => [status, holder])).toEqual([
		[expect.anything(), 'Bright Water Group Inc.'],
		['cancelled', 'Jack Tar LLC'],
		['', ''],
	]);
});

it('adds phone and website of the place at the license, and of no other of that name', async () => {
	const since = new Date(Date.now() - 1000).toISOString();
	const at = { lat: 27.9506, lng: -82.4572 };
	const transfer = (businessName: string, address: object) =>
		office.file({
			businessName,
			licenseType: 'COP',
			eventType: 'ownership_transfer',
			address: { street: '3 Bay Street', city: 'Tampa', county: 'Hillsborough', ...address },
		});
	transfer('Blue Door', at);
	transfer('Old Port', { ...at, lat: 28.5 });
	transfer('Quiet Corner', { lat: null, lng: null });
	const known = (name: string, phone: string) =>
		world.places.known.push({
			name,
			phone,
			at: { latitude: at.lat + 0.0005, longitude: at.lng - 0.0005 },
			website: `https://${phone}.example.com/`,
		});
	known('Blue Door', '813-555-0100');
	known('Old Port', '813-555-0101');
	known('Quiet Corner', '813-555-0102');

	await office.publish('licenses-with-phone-and-website.json', { trigger: 'New Owner', since });
	const leads = world.sent('crm.example.com', '/leads').map(({ body }) => body);
	const lead = (company: string, found: object) =>
		expect.objectContaining({ company, event: 'ownership_transfer', ...found }) as object;
	expect(leads).toHaveLength(3);
	expect(leads).toEqual(
		expect.arrayContaining([
			lead('Blue Door', { phone: '813-555-0100', website: 'https://813-555-0100.example.com/' }),
			lead('Old Port', { phone: null, website: null, nameOnGoogle: null }),
			lead('Quiet Corner', { phone: '813-555-0102', nameOnGoogle: 'Quiet Corner' }),
		]),
	);
	const [asked] = world.sent('places.googleapis.com', '/v1/places:searchText');
	expect(asked?.headers['x-goog-fieldmask']).toContain('places.websiteUri');
});

it('tells the rep once of a license that was pending and became active, and of no other', async () => {
	const open = (businessName: string, status: string) =>
		office.file({ businessName, status, licenseType: 'COP' });
	const first = open('Marlin & <Reef>', 'pending');
	const running = open('Running Since Long', 'active');
	const workflow = await office.setUp('pending-became-active.json');
	await office.execute(workflow, 'Once, on Click');
	await office.execute(workflow, 'Once, on Click');
	const table = await office.table('Pending Licenses');
	const pending = async () => (await table.rows()).map(({ lead_id }) => lead_id);
	const [one, other] = [leadId(first), leadId(running)];
	expect((await pending()).filter((id) => id === one || id === other)).toEqual([one]);

	const since = new Date(Date.now() - 2000).toISOString();
	const publish = async (trigger: string) =>
		await office.publish('pending-became-active.json', { trigger, since });
	const second = open('Low Tide', 'pending');
	await publish('Pending');
	office.change(first.id, { eventType: 'status_change', status: 'active' });
	office.change(running.id, { eventType: 'renewal', status: 'active' });
	const mails = await mailsOf(async () => {
		await publish('Active');
		await publish('Active');
	});
	expect(mails.map(({ subject }) => subject)).toEqual([
		expect.stringMatching(/^Marlin & <Reef> in \w.* is open for business$/),
	]);
	expect(mails[0]?.body).toContain(`was pending since ${first.eventTimestamp?.slice(0, 10)}`);
	expect(await pending()).not.toContain(one);
	expect(await pending()).toContain(leadId(second));
});

it('mails one row for each venue with a new license, for a letter service', async () => {
	const file = (businessName: string, street: string | null, days: number, more: object = {}) =>
		office.file({
			businessName,
			licenseType: 'COP',
			legalName: 'Holder "A, B" LLC',
			filedDate: dayOf(days + 30),
			eventTimestamp: `${dayOf(days)}T00:00:00Z`,
			address: { street, city: 'Sebring', county: 'Highlands', state: 'FL', zip: '33870' },
			...more,
		});
	file('Copper Heron', '410 Gulf Shore Blvd N', 8);
	file('Copper Heron Bottle Shop', '410 Gulf Shore Boulevard North', 14, { licenseType: 'APS' });
	file('=HYPERLINK("https://example.com")', '77 Fifth Ave S', 10);
	file('Some Box', 'PO Box 12', 10);
	file('Other Box', 'PO Box 13', 10);
	file('No Street', null, 10);
	file('Seven Days', '14 Tenth St', 7);
	file('Fifteen Days', '16 Tenth St', 15);
	const workflow = await office.setUp('new-filings-to-direct-mail.json');
	const [mail, ...others] = await mailsOf(
		async () => await office.execute(workflow, 'Every Monday'),
	);
	expect(others).toEqual([]);
	const [{ name, text } = { name: '', text: '' }] = mail?.attachments ?? [];
	expect(name).toBe(`letters-${dayOf(0)}.csv`);
	const rows = parse(text, { columns: true, bom: true }) as Array<Record<string, string>>;
	const inSebring = rows.filter(({ City }) => City === 'Sebring');
	expect(names(inSebring.map(({ Company = '' }) => Company))).toEqual([
		'Copper Heron',
		'HYPERLINK("https://example.com")',
		'Other Box',
		'Some Box',
	]);
	expect(inSebring.find(({ Company }) => Company === 'Copper Heron')).toEqual({
		Company: 'Copper Heron',
		'Full Name': 'Holder "A, B" LLC',
		'Address 1': '410 Gulf Shore Blvd N',
		City: 'Sebring',
		State: 'FL',
		ZIP: '33870',
		Reference: '410-n-gulfshore-blvd-33870',
	});
	expect(mail?.subject).toBe(`Letters to ${rows.length} new venues`);
	expect(mail?.body).toContain(`took effect from ${dayOf(14)} to ${dayOf(8)}, one row each`);
});

it('exports every license of the service into one CSV file, and keeps one for each day of the week', async () => {
	const workflow = await office.setUp('nightly-full-export-to-csv.json');
	await office.execute(workflow, 'Every Night');
	await office.execute(workflow, 'Every Night');

	const [name = '', ...others] = await readdir(EXPORTS);
	expect(others).toEqual([]);
	expect(name).toMatch(/^licenses-(mon|tues|wednes|thurs|fri|satur|sun)day\.csv$/);
	const rows = parse(await readFile(join(EXPORTS, name)), { columns: true, bom: true }) as Array<
		Record<string, string>
	>;
	const ids = sandbox.register.all().map(({ id }) => id);
	expect(names(rows.map(({ id = '' }) => id))).toEqual(names(ids));
});

describe('An agent', () => {
	const monday = new Date(Date.now() - 6 * DAY).toISOString().slice(0, 10);
	const inTampa = { address: { city: 'Tampa', county: 'Hillsborough' } };
	let chat: Parameters<Office['chat']>[0];
	let id: string;
	beforeAll(async () => {
		const workflow = await office.setUp('ask-about-new-licenses.json', {
			Chat: { public: true, options: {} },
		});
		({ id } = workflow);
		chat = workflow.nodes.find(({ name }) => name === 'Chat');
		await stage.client.activate(id);
	});

	/** What it was asked, and what its tool gave it. */
	async function ask(question: string, tool: string, toolInput: Record<string, string>) {
		Object.assign(world.chatModel, { tool, toolInput, reply: 'Here is the answer.' });
		world.chatModel.asked.length = 0;
		sandbox.requests.reset();
		expect(await office.chat(chat, question)).toContain('Here is the answer.');
		await office.succeeded(id);
		const [asked, answered, ...more] = world.chatModel.asked;
		expect(more).toEqual([]);
		return { asked, result: String(answered?.messages.at(-1)?.content) };
	}

	it('that is asked who opened in Tampa this week looks it up in the list', async () => {
		const opened = office.file({ ...inTampa, businessName: 'Bayshore Oysters' });
		const old = office.fileLate(24 * 30, {
			...inTampa,
			businessName: 'Old Tampa Tavern',
			filedDate: '2020-01-01',
		});
		const question = 'Who opened in Tampa this week?';
		const input = { city: 'Tampa', event: 'new_filing', filed_after: monday };
		const { asked, result } = await ask(question, 'Find_Licenses', input);
		const tools = asked?.tools.map(({ function: { name, parameters } }) => [
			name,
			Object.keys(parameters.properties).sort(),
		]);
		expect(tools?.sort()).toEqual([
			[
				'Count_Licenses',
				[
					...['city', 'counties', 'filed_after', 'filing_kind', 'group_by'],
					...['license_types', 'status'],
				],
			],
			[
				'Find_Licenses',
				['city', 'counties', 'event', 'filed_after', 'filing_kind', 'license_types', 'words'],
			],
			['Match_Business', ['business_name', 'city', 'street', 'zip']],
			['Search_Licenses', ['counties', 'name']],
		]);
		expect(JSON.stringify(asked?.messages)).toContain(question);
		expect(JSON.stringify(asked?.messages[0])).toMatch(/Today is \w+, \d{4}-\d\d-\d\d/);
		const events = sandbox.requests.entries.map(({ query }) => query.event_type);
		expect(new Set(events)).toEqual(new Set(['new_filing']));
		expect(result).toContain(opened.licenseNumber);
		expect(result).not.toContain(old.licenseNumber);
	});

	it('that is asked how many active bars there are gets the number', async () => {
		const bars = { licenseType: 'COP', status: 'active', address: { county: 'Orange' } };
		for (let left = 7; left > 0; left--) office.file(bars);
		const isOne = ({ licenseType, status, address }: License) =>
			licenseType === 'COP' && status === 'active' && address?.county === 'Orange';
		const many = sandbox.register.all().filter(isOne).length;
		const input = { counties: 'Orange County', license_types: 'COP', status: 'active' };
		const question = 'How many active bars are there in Orange County?';
		const { result } = await ask(question, 'Count_Licenses', input);
		expect(many).toBeGreaterThanOrEqual(7);
		expect(result).toContain(`"count":${many}}`);
	});
});

describe('A client that connects to the MCP server', () => {
	it('is asked for its key, sees the tools, and looks licenses up with them', async () => {
		const venue = office.file({
			businessName: 'Golden Egret Saloon',
			licenseType: 'COP',
			address: { street: '25 Duval Street', city: 'Key West', county: 'Monroe', zip: '33040' },
		});
		const { id } = await office.setUp('mcp-server.json');
		await stage.client.activate(id);
		const guess = { 'x-goog-api-key': 'a guess' };
		expect((await office.askMcp({ id: 1, method: 'initialize' }, guess)).status).toBe(403);

		const { welcome, tools, call } = await office.openMcp();
		expect(welcome).toContain('A business that');
		const offered = [...(await tools()).matchAll(/"name":"(\w+)"/g)].map(([, name = '']) => name);
		expect(names(offered)).toEqual([
			...['Count_Licenses', 'Find_Licenses', 'Match_Business', 'Search_Licenses'],
		]);
		const matched = await call('Match_Business', {
			business_name: 'The Golden Egret',
			street: '25 Duval St',
		});
		expect(matched).toContain(venue.licenseNumber);
		const found = await call('Find_Licenses', { words: 'Golden Egret', event: 'new_filing' });
		expect(found).toContain(venue.licenseNumber);
		const counted = await call('Count_Licenses', { counties: 'Monroe', license_types: 'COP' });
		const ofMonroe = sandbox.register
			.all()
			.filter(({ licenseType, address }) => licenseType === 'COP' && address?.county === 'Monroe');
		expect(counted).toMatch(new RegExp(`count\\W+${ofMonroe.length}\\b`));
		await stage.client.deactivate(id);
	});
});
