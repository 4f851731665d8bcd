import { parse } from 'csv-parse/sync';

import { leadId } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import type { License } from '../../sandbox/index.mts';
import type { LicensePatch } from '../../sandbox/register/patch.mts';
import { dayOf, files, Office, read, type Row } from './office.mts';
import type { Completion } from './outside/services.mts';
import { everyTenSeconds, patiently } from './stage.mts';

const office = await Office.open('workflows');
const { sandbox, world, stage } = office;
afterAll(async () => await office.close());

/** Files for a bar in Naples. */
const open = (businessName: string, street: string | null, more: LicensePatch = {}) =>
	office.file({
		...{ businessName, legalName: `${businessName} LLC`, licenseType: 'COP', status: 'active' },
		address: { street, city: 'Naples', county: 'Collier', state: 'FL', zip: '34102' },
		...more,
	});

/** What is filed before this is too old for a trigger that is published with it. */
const justNow = () => new Date(Date.now() - 2000).toISOString();

/** The leads that were posted to a CRM of one's own. */
const leadsOf = async (work: () => Promise<unknown>) => {
	world.calls.length = 0;
	await work();
	return world.sent('crm.example.com').map(({ body }) => body as Row);
};

const workflows = await Promise.all(files.map(async (file) => [file, await read(file)] as const));
const starts = workflows
	.filter(([, { nodes }]) => nodes.some(({ type }) => type === 'n8n-nodes-base.dataTable'))
	.flatMap(([file, { nodes }]) =>
		nodes
			.filter(({ type }) => /(?:manual|schedule|licensingData)Trigger$/.test(type))
			.map(({ name }) => [file, name] as const),
	);

it('makes the table of territories with two examples, once, and leaves it to its user', async () => {
	const { workflow, table } = await office.make('make-territories-table.json', 'Territories');
	await office.execute(workflow, 'Once, on Click');
	expect((await table.rows()).map(({ name }) => name)).toEqual(['Tampa Bay', 'Miami']);
	const territory = (name: string, counties: string) => ({
		...{ name, rep_email: `${name}@example.com`, channel: `#${name}` },
		...{ counties, cities: '', zip_codes: '' },
	});
	await table.replace([territory('ann', 'Lee'), territory('bob', 'Bay')]);
	await office.execute(workflow, 'Once, on Click');
	expect((await table.rows()).map(({ name }) => name)).toEqual(['ann', 'bob']);
});

describe('A new liquor license', () => {
	const filings: License[] = [];
	const since = new Date().toISOString();
	const eventTimestamp = new Date(Date.parse(since) + 1000).toISOString();
	for (const [businessName, licenseType, street, city, county] of [
		['Rusty Anchor', 'COP', '1 Bay Street', 'Tampa', 'Hillsborough'],
		['=Ocean & Sons', 'SRX', '2 Bay Street', 'Miami', 'Miami-Dade'],
		['Lakeside Bar', 'BEV', '3 Bay Street', 'Orlando', 'Orange'],
		// A second license of the first venue, as somebody else writes it.
		['Anchor Bottle Shop', 'APS', '1 BAY ST.', 'Tampa', 'Hillsborough'],
		['Taco Truck', 'MOBILE_FOOD', '5 Bay Street', 'Tampa', 'Hillsborough'],
	]) {
		const isAnchor = businessName?.includes('Anchor');
		const filing = office.file({
			...{ businessName, licenseType, eventTimestamp },
			legalName: isAnchor ? 'Rusty Anchor LLC' : `${businessName} Holdings LLC`,
			enrichment: licenseType === 'APS' ? { phone: '813-555-0100' } : null,
			address: { street, city, county, state: 'FL', zip: '33602' },
		});
		if (licenseType !== 'MOBILE_FOOD') filings.push(filing);
	}
	office.file({ licenseType: 'COP', eventType: 'renewal' });

	const rowsOf = async (table: string) => await (await office.table(table)).rows();
	/** What a service has, and how it names lead, business and phone. */
	const SERVICES: Record<string, [records: () => Row[] | Promise<Row[]>, columns: string]> = {
		'new-liquor-license-to-hubspot-company': [
			() => world.hubSpot.companies.all,
			'license_id|name|phone',
		],
		'new-liquor-license-to-pipedrive': [() => world.pipedrive.all, 'License ID|organization|phone'],
		'new-liquor-license-to-salesforce': [() => world.salesforce.all, 'id|Company|Phone'],
		'new-liquor-license-to-airtable': [() => world.airtable.all, 'License ID|Company|Phone'],
		'new-liquor-license-to-google-sheets': [() => world.spreadsheet.all, 'leadId|company|phone'],
		'new-leads-into-an-n8n-table': [() => rowsOf('New Leads'), 'lead_id|company|phone'],
		'table-of-your-own': [() => rowsOf('My Leads'), 'leadId|company|phone'],
	};

	it.each(Object.entries(SERVICES))(
		'%s: is one record, and stays one',
		async (file, [records, names]) => {
			const columns = names.split('|');
			for (const _ of ['first', 'again']) {
				await office.publish(`${file}.json`, since, { licenseTypes: ['allLiquor'] });
				const came = (await records()).map((one) => columns.map((column) => one[column] || null));
				expect(came.sort()).toEqual(
					filings
						.map((one) => [leadId(one), one.businessName, one.enrichment?.phone ?? null])
						.sort(),
				);
			}
		},
	);

	it('is a company in HubSpot with its holder as contact, one for each firm', () => {
		const { companies, contacts, links } = world.hubSpot;
		const holderOf = (name: string) => {
			const company = companies.all.find((one) => one.name === name);
			const of = [...links].filter((link) => link.endsWith(` ${String(company?.number)}`));
			return contacts.all.find(
				(one) => of.join() === `${String(one.number)} ${String(company?.number)}`,
			);
		};
		expect(contacts.all).toHaveLength(3);
		for (const name of ['Rusty Anchor', 'Anchor Bottle Shop'])
			expect(holderOf(name)).toMatchObject({ lastname: 'Rusty Anchor LLC' });
		expect(holderOf('Lakeside Bar')).toMatchObject({ lastname: 'Lakeside Bar Holdings LLC' });
	});
});

it('leaves out whom the table names, by the license of a customer too', async () => {
	const anchor = open('Old Anchor Tavern', '900 Gulf Shore Blvd N');
	const { workflow, table } = await office.make('leave-out.json', 'Leave Out');
	await table.replace([
		{ name: 'OLD ANCHOR TAVERN LLC', street: '900 Gulf Shore Boulevard North', zip: '34102' },
		{ name: 'Nobody Knows This Place', street: '1 Nowhere St', zip: '34102' },
		{ name: 'Chain Stores', reason: 'chain' },
	]);
	await office.execute(workflow, 'Once, on Click');
	const numbers = (await table.rows()).map(({ licenseNumber }) => licenseNumber);
	expect(numbers).toEqual([anchor.licenseNumber, 'none found', null]);

	const since = justNow();
	open('Another Name', '900 Gulf Shore Blvd N');
	open('Store 12', '12 Tenth St', { legalName: 'Chain Stores, Inc.' });
	open('Somebody Else', '13 Tenth St');
	const leads = await leadsOf(
		async () =>
			await office.publish('new-liquor-license-to-crm.json', since, { counties: ['Collier'] }),
	);
	const companies = leads.map(({ company }) => company);
	expect(companies).toContain('Somebody Else');
	for (const leftOut of ['Another Name', 'Store 12']) expect(companies).not.toContain(leftOut);
	await table.replace([]);
});

it('sends each night what was refused or not brought, mails that, and pings', async () => {
	const changes = { 'New Filing': { filters: { counties: ['Collier'] } } };
	const leads = await office.setUp('new-liquor-license-to-pipedrive.json', changes);
	const check = await office.setUp('nightly-check.json', {
		Territory: { filters: { counties: ['Collier'], eventTypes: ['new_filing'] } },
		'Send Missing': { workflowId: { __rl: true, mode: 'list', value: leads.id } },
	});
	/** What the check says so many days from now. */
	const night = async (days: number) => {
		const now = new Date(Date.now() + days * 86_400_000).toISOString();
		const nodes = JSON.stringify(check.nodes.map((node) => ({ ...node, disabled: false })));
		const then = JSON.parse(nodes.replace('={{ $now.toISO() }}', now)) as typeof check.nodes;
		await stage.client.changeWorkflow(check.id, { nodes: then });
		return (await office.mailOn(check, 'Every Morning')).subject.replace('Nightly check: ', '');
	};
	await stage.client.activate(leads.id);
	expect(await night(0)).toMatch(/^first run, /);

	open('Coral Refused', '15 Tenth St');
	// Its organization is there already.
	world.pipedrive.refusesLeads = true;
	await stage.client.deactivate(leads.id);
	await stage.client.activate(leads.id);
	const status = async () => (await stage.client.executions(leads.id)).results[0]?.status;
	await expect.poll(status, patiently).toBe('error');
	world.pipedrive.refusesLeads = false;
	// Until the trigger polls again, an hour passes.
	open('Coral Missed', '16 Tenth St');
	expect(await night(1)).toBe('one was refused');
	expect(await night(2)).toBe('the trigger did not bring one filing');
	expect(await night(3)).toMatch(/, 2 delivered, (?:\d+ known, )?0 missing$/);
	const names = world.pipedrive.all.map(({ organization }) => String(organization));
	expect(names.filter((name) => name.startsWith('Coral'))).toEqual([
		'Coral Refused',
		'Coral Missed',
	]);
	await stage.client.deactivate(leads.id);

	const pings = () => world.sent('ping.example.com').length;
	expect(pings()).toBe(4);
	await office.refusing('office@example.com', check, 'Every Morning');
	expect(pings()).toBe(4);
});

it('mails each ownership transfer once, however late, and says if there is none', async () => {
	const since = `${dayOf(40)}T00:00:00Z`;
	const transferred = (days: number) => ({
		eventType: 'ownership_transfer',
		eventTimestamp: `${dayOf(days)}T00:00:00Z`,
	});
	open('Smith & Sons <Grill>', '1 Bay St', transferred(3));
	open('Sand Dollar', '1 Bay St', transferred(30));
	const workflow = await office.publish('ownership-transfers-to-weekly-email.json', since, {
		counties: ['Collier'],
	});
	const mail = await office.mailOn(workflow, 'Every Monday');
	expect(mail.subject).toMatch(/^Ownership transfers: \d+ in new hands$/);
	for (const name of ['Smith &amp; Sons &lt;Grill&gt;', 'Sand Dollar'])
		expect(mail.body.split(`>${name}<`)).toHaveLength(2);
	const empty = await office.mailOn(workflow, 'Every Monday');
	expect(empty.subject).toMatch(/^Ownership transfers: nothing new since \w+day$/);
	expect(empty.body).toMatch(/No license changed hands in your territory since \w+day\./);
});

it('tells why a workflow failed: at a step, and at its trigger', async () => {
	const teller = await office.setUp('tell-me-when-it-fails.json');
	await stage.client.activate(teller.id);
	const { mails } = office.mailbox;
	const told = async (changes: Parameters<Office['setUp']>[1], fail = () => {}) => {
		const { id, settings } = await office.setUp('new-liquor-license-to-crm.json', changes);
		const watched = { settings: { ...settings, errorWorkflow: teller.id } };
		await stage.client.request('PATCH', `/rest/workflows/${id}`, watched);
		const { length } = mails;
		await stage.client.activate(id);
		fail();
		await expect.poll(() => mails.length, patiently).toBeGreaterThan(length);
		await stage.client.deactivate(id);
		return mails.at(-1);
	};
	open('Never Arrives', '1 Bay St');
	const atStep = await told({
		'New Filing': { filters: {}, options: { startFrom: justNow() } },
		'Create Lead in CRM': { url: 'http://127.0.0.1:9/' },
	});
	expect(atStep?.subject).toBe('Failed in n8n: New Liquor License to CRM');
	expect(atStep?.body).toMatch(
		/^Not delivered: 1 of 1 leads\. Never Arrives: [^]*\nStep: All Sent\?\n/,
	);

	// n8n says it in another shape where there is no execution.
	const atTrigger = await told({ 'New Filing': { pollTimes: everyTenSeconds } }, () =>
		sandbox.trouble.next({ kind: 'error', status: 401 }),
	);
	expect(atTrigger?.body).toMatch(/^The API key was not accepted\n[^]*\nStep: New Filing\n/);
});

it('tells the rep once what has changed at a customer, and who files there', async () => {
	const reef = open('Copper Heron Raw Bar', '410 Gulf Shore Blvd N');
	const inn = open('Mangrove Jack Tavern', '77 Fifth Ave S');
	const grill = open('Tin Fish Grill', '88 Harbor Way');
	const shack = open('Salty Shack', '99 Harbor Way', { eventType: 'renewal' });
	const stranger = open('Velvet Pelican', '12 Tenth St');
	const { workflow, table } = await office.make('watch-my-customers.json', 'Customers');
	expect(await table.rows()).toMatchObject([{ business: 'Example Business' }]);
	const row = { rep_email: 'dana@example.com', street: '', city: '', zip: '' };
	await table.replace([
		{ ...row, business: 'COPPER HERON RAW BAR LLC', street: '410 Gulf Shore Boulevard North' },
		{ ...row, business: 'Mangrove Jack', street: '77 5th Avenue South', zip: '34102' },
		{ ...row, business: 'Tin Fish Grill', street: '88 Harbor Way' },
		{ ...row, business: 'Salty Shack', street: '99 Harbor Way' },
		{ ...row, business: 'Nobody Knows This Place', city: 'Naples' },
	]);
	await office.execute(workflow, 'Once, on Click');
	const numbers = (await table.rows()).map(({ license_number }) => license_number);
	expect(numbers).toEqual([...[reef, inn, grill, shack].map((one) => one.licenseNumber), '']);

	const since = justNow();
	const eventType = 'ownership_transfer';
	office.change(reef.id, { eventType, legalName: 'Bright Water Group Inc.' });
	office.change(inn.id, { eventType: 'cancellation', status: 'cancelled' });
	office.change(grill.id, { eventType: 'new_filing', legalName: 'Fresh Start Inc.' });
	office.change(shack.id, { eventType: 'new_filing', legalName: 'SALTY SHACK, L.L.C.' });
	office.change(stranger.id, { eventType, legalName: 'Somebody Else Inc.' });
	open('Heron Upstairs', '410 GULF SHORE BOULEVARD NORTH');
	const watch = async () => await office.publish('watch-my-customers.json', since);
	const mails = await office.mailsOf(async () => {
		await watch();
		await watch();
	});
	expect(mails.map(({ subject, recipients }) => [...recipients, subject]).sort()).toEqual([
		['dana@example.com', 'COPPER HERON RAW BAR LLC: new filing at this address'],
		['dana@example.com', 'COPPER HERON RAW BAR LLC: ownership transfer'],
		['dana@example.com', 'Mangrove Jack: cancellation'],
		['dana@example.com', 'Salty Shack: filed again'],
		['dana@example.com', 'Tin Fish Grill: new holder'],
	]);
	const bodies = mails.map(({ body }) => body).join('\n');
	expect(bodies).toContain('Holder: Copper Heron Raw Bar LLC → Bright Water Group Inc.');
	expect(bodies).toContain('Status: active → cancelled');
	expect(bodies).toContain('Holder: Heron Upstairs LLC');
	expect(bodies).toContain('Fresh Start Inc. took over this license, filed on');
});

it('tells the rep once that a license expires, and that it has expired', async () => {
	const customers = [60, -2].map((days, at) =>
		open(`Expiry ${days}`, `${900 + at} Tenth St`, { expirationDate: dayOf(-days) }),
	);
	const { workflow, table } = await office.make('watch-my-customers.json', 'Customers');
	const row = { rep_email: 'dana@example.com', street: '', city: '', zip: '' };
	await table.replace(
		customers.map((customer) => ({
			...{ ...row, business: customer.businessName, license_number: customer.licenseNumber },
		})),
	);
	const morning = async () => await office.execute(workflow, 'Every Morning');
	const subjects = async () => (await office.mailsOf(morning)).map(({ subject }) => subject);
	expect(await subjects()).toEqual([
		'Expiry 60: license expires in 60 days',
		`Expiry -2: license expired on ${dayOf(2)}`,
	]);
	expect(await subjects()).toEqual([]);
});

it('looks up phones that are missing, and each only once', async () => {
	const { latitude, longitude } = world.places.at;
	const since = justNow();
	for (const [businessName, lat, phone] of [
		['Blue Door', latitude + 0.0005],
		['Old Port', latitude + 0.5],
		['Loud Gull', latitude + 0.0005, '813-555-0177'],
	] as const)
		office.file({
			...{ businessName, licenseType: 'COP', enrichment: phone ? { phone } : null },
			address: { street: '1 Key St', city: 'Tampa', county: 'Gadsden', lat, lng: longitude },
		});
	const workflow = await office.publish('licenses-with-phone-and-website.json', since, {
		counties: ['Gadsden'],
	});
	const run = async () => {
		const leads = await leadsOf(async () => await office.execute(workflow, 'Every Hour'));
		const asked = world.sent('places.googleapis.com').length;
		return [asked, ...leads.map(({ company, phone }) => `${company} ${phone}`)];
	};
	expect(await run()).toEqual([2, 'Blue Door 813-555-0100']);
	expect(await run()).toEqual([0]);
});

it('mails each new license once for a letter service, if need be the next time', async () => {
	const year = sandbox.register.day.slice(0, 4);
	const file = (businessName: string, street: string, days: number, more: LicensePatch = {}) =>
		office.file({
			...{ businessName, legalName: 'Sebring LLC', licenseType: 'COP' },
			licenseNumber: `COP-${year}-${street.length}${days}`,
			eventTimestamp: `${dayOf(days)}T00:00:00Z`,
			address: { street, city: 'Sebring', county: 'Highlands', state: 'FL', zip: '33870' },
			...more,
		});
	const since = `${dayOf(50)}T00:00:00Z`;
	file('Copper Heron', '410 Gulf Shore Blvd N', 1);
	file('Copper Heron Bottle Shop', '410 Gulf Shore Boulevard North', 40);
	file('Said No', '13 Tenth St', 10, { legalName: 'Said No LLC' });
	file('Old License', '99 Fifth Ave S', 10, { licenseNumber: 'COP-2019-7' });
	const filters = { counties: ['Highlands'], filingKinds: ['newLicense', 'notKnown'] };
	const workflow = await office.publish('new-filings-to-direct-mail.json', since, filters);
	const leaveOut = await office.table('Leave Out');
	await leaveOut.replace([{ name: 'SAID NO, LLC', zip: '33870', reason: 'said no' }]);
	await office.refusing('office@example.com', workflow, 'Every Monday');
	const mail = await office.mailOn(workflow, 'Every Monday');
	const [{ filename, text } = expect.unreachable()] = mail.attachments;
	expect(filename).toBe(`letters-${dayOf(0)}.csv`);
	const rows = parse<Row>(text, { columns: true, bom: true });
	const inSebring = rows.filter(({ City }) => City === 'Sebring');
	expect(inSebring.map(({ Company }) => Company)).toEqual([expect.stringMatching(/^Copper Heron/)]);
	expect(mail.subject).toBe(`Letters for new licenses: ${rows.length}`);
	const empty = await office.mailOn(workflow, 'Every Monday');
	expect(empty.attachments).toEqual([]);
	expect(empty.body).toMatch(/^No new license in your territory since \w+day\./);
});

it('answers who opened in Tampa this week with what the list says, in the chat', async () => {
	const inTampa = { address: { city: 'Tampa', county: 'Hillsborough' } };
	const opened = office.file({ ...inTampa, businessName: 'Bayshore Oysters' });
	const { id, nodes } = await office.setUp('ask-about-new-licenses.json', {
		Chat: { public: true, options: {} },
	});
	await stage.client.activate(id);
	const toolInput = { city: 'Tampa', event: 'new_filing', filed_after: dayOf(6) };
	Object.assign(world.chatModel, { toolInput, reply: 'Here is the answer.' });
	const question = 'Who opened in Tampa this week?';
	expect(await office.chat(nodes, question)).toContain('Here is the answer.');
	await stage.client.deactivate(id);

	const [asked, answered, ...more] = world.sent('127.0.0.1').map(({ body }) => body as Completion);
	expect(more).toEqual([]);
	const tools = asked?.tools.map(({ function: { name } }) => name);
	expect(tools?.sort()).toEqual(TOOLS);
	expect(JSON.stringify(asked?.messages)).toContain(question);
	expect(JSON.stringify(asked?.messages[0])).toMatch(/Today is \w+, \d{4}-\d\d-\d\d/);
	const result = String(answered?.messages.at(-1)?.content);
	expect(result).toContain(opened.licenseNumber);
});

const TOOLS = ['Count_Licenses', 'Find_Licenses', 'Match_Business', 'Search_Licenses'];

it('asks a client of the MCP server for its key, and looks up licenses', async () => {
	const venue = open('Golden Egret Saloon', '25 Duval Street');
	const { id } = await office.setUp('mcp-server.json');
	await stage.client.activate(id);
	const guess = { 'x-goog-api-key': 'a guess' };
	expect((await office.askMcp({ method: 'initialize' }, guess)).status).toBe(403);

	const { welcome, tools, call } = await office.openMcp();
	expect(welcome).toContain('A business that');
	const offered = (await tools()).matchAll(/"name":"(\w+)"/g);
	expect([...offered].map(([, name]) => name).sort()).toEqual(TOOLS);
	const asked = { business_name: 'The Golden Egret', street: '25 Duval St' };
	expect(await call('Match_Business', asked)).toContain(venue.licenseNumber);
	const counted = await call('Count_Licenses', { counties: 'Collier', license_types: 'COP' });
	const ofCollier = sandbox.register
		.all({ county: 'Collier' })
		.filter(({ licenseType }) => licenseType === 'COP');
	expect(counted).toMatch(new RegExp(`count\\W+${ofCollier.length}\\b`));
	await stage.client.deactivate(id);
});

describe('A filing that a person is told of', () => {
	const FILES = ['new-liquor-license-to-rep.json', 'new-liquor-license-to-slack.json'];
	const ids: string[] = [];
	/** How the executions of each workflow ended, the latest first. */
	const results = async () => {
		const lists = ids.map(async (id) => await stage.client.executions(id));
		return (await Promise.all(lists)).map((list) => list.results.map(({ status }) => status));
	};
	const posts = () =>
		world
			.sent('slack.com')
			.map(({ body }) => body as { channel: string; text: string })
			.map(({ channel, text }) => `${channel} ${text.split('\n')[0]}`);
	const POSTS = ['#ann Alpha Bar', '#bob Bravo Bar', '#leads-florida Delta Bar'];

	it('reaches those who sell there, even if the mail to one of them is refused', async () => {
		world.calls.length = 0;
		const since = Date.now() - 60_000;
		for (const [at, [businessName, county]] of [
			['Alpha Bar', 'Lee'],
			['Bravo Bar', 'Bay'],
			['Delta Bar', 'Clay'],
		].entries())
			office.file({
				...{ businessName, licenseType: 'COP' },
				licenseNumber: `COP-${sandbox.register.day.slice(0, 4)}-${at + 1}`,
				// One after another, so that it is clear which is mailed first.
				eventTimestamp: new Date(since + 1000 * (at + 1)).toISOString(),
				address: { street: '1 Bay St', city: 'Town', county, state: 'FL', zip: '34000' },
			});
		const { mailbox } = office;
		mailbox.refused.add('bob@example.com');
		const startFrom = new Date(since).toISOString();
		const filters = { counties: ['Lee', 'Bay', 'Clay'], licenseTypes: ['allLiquor'] };
		const mails = await office.mailsOf(async () => {
			for (const file of FILES) {
				const changes = { 'New Filing': { filters, options: { startFrom } } };
				ids.push((await office.setUp(file, changes)).id);
				await stage.client.activate(ids.at(-1) ?? '');
			}
			await expect.poll(results).toEqual([['error'], ['success']]);
		});
		expect(mails.map(({ subject, recipients }) => [...recipients, subject])).toEqual([
			['ann@example.com', 'Alpha Bar, Town'],
			['office@example.com', 'No rep: Delta Bar, Town'],
		]);
		expect(posts()).toEqual(POSTS);
	});

	it('is sent once, though the trigger brings it again after a crash', async () => {
		const mails = await office.mailsOf(async () => {
			office.mailbox.refused.clear();
			await stage.crash();
			await expect.poll(results).toEqual([
				['success', 'error'],
				['success', 'success'],
			]);
		});
		// What could not be sent the first time.
		expect(mails.map(({ subject }) => subject)).toEqual(['Bravo Bar, Town']);
		expect(posts()).toEqual(POSTS);
	});
});

it('mails each morning what no email has sent yet, by territory', async () => {
	const place = { cities: '', zip_codes: '', channel: '', rep_email: 'ann@example.com' };
	await office.fill('make-territories-table.json', 'Territories', [
		{ ...place, name: 'Southwest', counties: 'Charlotte, Hendry' },
		{ ...place, name: 'Lake', counties: 'Hendry' },
	]);
	const since = justNow();
	for (const [businessName, county] of [
		['Alpha Bar', 'Charlotte'],
		['Bravo <Bar>', 'Hendry'],
		['Delta Bar', 'Glades'],
	] as const)
		open(businessName, '1 Bay St', { address: { street: '1 Bay St', city: 'Town', county } });
	const workflow = await office.publish('new-filings-to-daily-email.json', since, {
		counties: ['Charlotte', 'Hendry', 'Glades'],
		onlyWithAddress: true,
	});
	await office.refusing('sales@example.com', workflow, 'Every Morning');
	const mail = await office.mailOn(workflow, 'Every Morning');
	expect(mail.subject).toMatch(/^Liquor licenses: [1-3] /);
	const parts = mail.body.split('<h2').slice(1);
	const namesIn = (part: string) => [...part.matchAll(/1\.8">(.+?)<\/b>/g)].map(([, one]) => one);
	expect(parts.map((part) => [/>(.+?)</.exec(part)?.[1], ...namesIn(part).sort()]).sort()).toEqual([
		['Everywhere Else (1)', 'Delta Bar'],
		['Lake (1)', 'Bravo &lt;Bar&gt;'],
		['Southwest (2)', 'Alpha Bar', 'Bravo &lt;Bar&gt;'],
	]);
	const empty = await office.mailOn(workflow, 'Every Morning');
	expect(empty.subject).toMatch(/^Liquor licenses: nothing new since \w+day$/);
});

// The big button of n8n's editor does not choose the start that a note names first.
describe('Where no table has been made', () => {
	// Some workflows watch for this status.
	beforeAll(() => void office.file({ licenseType: 'COP', status: 'pending' }));
	it.each(starts)('%s runs from %s', async (file, name) => {
		await office.forgetTables();
		await office.execute(await office.setUp(file), name);
	});
});
