import { parse } from 'csv-parse/sync';
import { leadId } from '../../nodes/LicensingData/licenses/leadKeys.ts';
import { filingKind } from '../../nodes/LicensingData/licenses/filingKind.ts';
import type { License as ListedLicense } from '../../nodes/LicensingData/licenses/license.ts';
import { nameAsWritten } from '../../nodes/LicensingData/output/fields.ts';
import type { SavedWorkflow } from '../../playground/client.mts';
import { type License, wallClock } from '../../sandbox/index.mts';
import type { Mail } from './outside/mailbox.mts';
import { isLiquor, Office, read } from './office.mts';
import { everyTenSeconds } from './stage.mts';

const COUNTY = 'Miami-Dade';
const FILTERS = { counties: [COUNTY], licenseTypes: ['allLiquor'] };
const DAY = 86_400_000;
const aDay = { timeout: 600_000, interval: 1000 };

/** What the check says where it does not say that all is well. */
const MORNINGS: Record<number, RegExp> = {
	0: /^first run, /,
	4: /known, [1-9]\d* on the way, 0 missing$/,
	5: /^the trigger did not bring /,
	9: / refused$/,
	14: /^the list has stood still for 3 days$/,
	15: /^the list has stood still for 4 days$/,
};
const ALL_IS_WELL = /^\d+ listed, \d+ delivered, (?:\d+ left out, )?\d+ known, 0 missing$/;

let leads: SavedWorkflow;
let check: SavedWorkflow;
/** How many days have passed. */
let days = 0;
const now = () => Date.now() + days * DAY;

const office = await Office.open('weeks', {
	...{ records: 3000, rates: { liquorADay: 30, foodADay: 10 } },
	clock: { ...wallClock, now },
});
afterAll(async () => await office.close());

/** For whom the table Leave Out has a row: a chain, and whoever is at the address of a customer. */
const CHAIN = { legalName: 'Zanzibar Chain, Inc.', licenseType: 'COP' };
const CUSTOMER = { street: '1 Zanzibar Rd', city: 'Miami', county: COUNTY, zip: '33101' };
const file = (businessName: string, street: string, more = {}) =>
	office.file({ licenseType: 'COP', ...more, businessName, address: { ...CUSTOMER, street } });

const listed = (event_type = 'new_filing') =>
	office.sandbox.register
		.all({ event_type, county: COUNTY })
		.filter((license) => !/Zanzibar/.test(JSON.stringify(license)));
const filings = () => listed().filter(isLiquor);
const companies = () =>
	office.world.hubSpot.companies.all.map(({ license_id }) => String(license_id));

const numberOf = ({ licenseNumber }: License) => String(licenseNumber);
const numbersIn = ({ body }: Mail) =>
	[...body.matchAll(/License (\w+)</g)].map(([, one]) => String(one));

/** The emails that take theirs from the table Leads to Mail: whose filings they name, and by what. */
const POSTS = [
	{
		file: 'new-filings-to-daily-email.json',
		...{ trigger: 'New Filing', filters: FILTERS, start: 'Every Morning' },
		...{ awaited: filings, nameOf: numberOf, namesIn: numbersIn },
	},
	{
		file: 'ownership-transfers-to-weekly-email.json',
		...{ trigger: 'Ownership Transfer', filters: { counties: [COUNTY] }, start: 'Every Monday' },
		...{ awaited: () => listed('ownership_transfer'), nameOf: numberOf, namesIn: numbersIn },
	},
	{
		file: 'new-filings-to-direct-mail.json',
		...{ trigger: 'New License', start: 'Every Monday' },
		filters: { ...FILTERS, filingKinds: ['newLicense', 'notKnown'] },
		awaited: () => filings().filter((one) => filingKind(one as ListedLicense) !== 'newHolder'),
		nameOf: ({ legalName, address }: License) =>
			`${nameAsWritten(legalName) ?? ''} ${address?.zip}`,
		namesIn: ({ attachments }: Mail) =>
			attachments.flatMap(({ text }) =>
				parse<Record<string, string>>(text, { columns: true, bom: true }).map(
					(row) => `${row['Full Name']} ${row.ZIP}`,
				),
			),
	},
].map((post) => ({ ...post, known: new Set<string>(), news: new Map<string, License>() }));

/** Publishes the workflow for leads with its trigger on or off. */
async function turn(isOn: boolean): Promise<void> {
	const nodes = leads.nodes.map((node) =>
		node.name === 'New Filing' ? { ...node, disabled: !isOn } : node,
	);
	await office.stage.client.changeWorkflow(leads.id, { nodes });
	await office.stage.client.activate(leads.id);
}

/** Publishes the workflow whose emails a post is. */
async function publish(post: (typeof POSTS)[number]) {
	const { file, trigger, filters, known, awaited } = post;
	const changes = { [trigger]: { filters, pollTimes: everyTenSeconds } };
	const workflow = await office.setUp(file, changes);
	for (const license of awaited()) known.add(String(leadId(license)));
	await office.stage.client.activate(workflow.id);
	return { ...post, workflow, mails: [] as Mail[] };
}

/** The mail of the published check. It runs at some second of a minute, and takes the day for the one that it is here. */
async function night(): Promise<Mail> {
	const { client } = office.stage;
	const expression = `${new Date(Date.now() + 5000).getSeconds()} * * * * *`;
	const rule = { interval: [{ field: 'cronExpression', expression }] };
	const texts = JSON.stringify(check.nodes).replace(
		'={{ $now.toISO() }}',
		new Date(now()).toISOString(),
	);
	const nodes = (JSON.parse(texts) as SavedWorkflow['nodes']).map((node) =>
		node.name === 'Every Morning' ? { ...node, parameters: { rule } } : node,
	);
	return await office.mailOf(async () => {
		const { length } = office.mailbox.mails;
		await client.changeWorkflow(check.id, { nodes });
		await client.activate(check.id);
		await expect.poll(() => office.mailbox.mails.length, aDay).toBeGreaterThan(length);
		await client.deactivate(check.id);
	});
}

it(
	'delivers, mails and checks three weeks once, and writes to nobody left out',
	{ timeout: 7_200_000 },
	async () => {
		const { world, stage } = office;
		file('Zanzibar Tavern', CUSTOMER.street);
		await office.fill('leave-out.json', 'Leave Out', [
			{ name: 'Zanzibar Chain', reason: 'chain' },
			{ name: 'Zanzibar Tavern', street: '1 Zanzibar Road', zip: '33101', reason: 'customer' },
		]);
		await office.execute(await office.setUp('leave-out.json'), 'Once, on Click');

		leads = await office.setUp('new-liquor-license-to-hubspot-company.json', {
			'New Filing': { filters: FILTERS, pollTimes: everyTenSeconds },
		});
		const territory = (await read('nightly-check.json')).nodes.find(
			({ name }) => name === 'Territory',
		);
		const { eventTypes, happenedAfter } = territory?.parameters.filters as Record<string, unknown>;
		check = await office.setUp('nightly-check.json', {
			Territory: { filters: { ...FILTERS, eventTypes, happenedAfter } },
			'Send Missing': { workflowId: { __rl: true, mode: 'list', value: leads.id } },
		});
		const posts = await Promise.all(POSTS.map(publish));
		const [daily = expect.unreachable()] = posts;
		const kept = async () => {
			const rows = await (await office.table('Leads to Mail')).rows();
			return posts.map(({ workflow }) => rows.filter((row) => row.workflow === workflow.id).length);
		};
		const cameAll = async () =>
			await expect
				.poll(() => [...daily.news.keys()].filter((id) => !companies().includes(id)), aDay)
				.toEqual([]);

		await stage.client.activate(leads.id);
		const answer = world.hubSpot.answer.bind(world.hubSpot);
		for (days = 0; days <= 21; days++) {
			if (days === 4) await turn(false);
			if (days === 6) await turn(true);
			if (days === 9) world.hubSpot.answer = () => undefined;
			// For four days, the list stands still. Then it is replaced.
			const standsStill = days >= 12 && days <= 15;
			if (days > 0 && !standsStill) {
				office.sandbox.register.advance(days === 16 ? 5 : 1);
				file(`Bar of Day ${days}`, `${days} Bay St`);
				file(`Store of Day ${days}`, `${days} Chain St`, CHAIN);
				if (days % 7 === 3) file('Taken Over', CUSTOMER.street);
				const taken = { eventType: 'ownership_transfer', legalName: `Owner of Day ${days} Inc.` };
				office.change(listed('renewal')[days]?.id ?? '', taken);
			}
			for (const { known, news, awaited } of POSTS)
				for (const license of awaited()) {
					const id = String(leadId(license));
					if (!known.has(id) && !news.has(id)) news.set(id, license);
				}
			if (days > 0) await expect.poll(kept, aDay).toEqual(posts.map(({ news }) => news.size));
			if (days === 9) {
				const table = await office.table('Delivered');
				const refused = async () =>
					(await table.rows()).filter(({ reason }) => /\bnot\b/.test(`${reason}`));
				await expect.poll(async () => (await refused()).length, aDay).toBeGreaterThan(0);
				world.hubSpot.answer = answer;
			} else if (days !== 4 && days !== 5) await cameAll();
			// A night without a check.
			if (days === 18) {
				await stage.crash();
				continue;
			}
			const { subject, body } = await night();
			expect(subject.replace('Nightly check: ', ''), body).toMatch(MORNINGS[days] ?? ALL_IS_WELL);
			expect(body).not.toContain('not sent');
			const [all, ...parts] = body.split('.')[0]?.match(/\d+/g)?.map(Number) ?? [];
			expect(parts.reduce((sum, part) => sum + part)).toBe(all);

			if (days === 9) {
				await office.refusing('sales@example.com', daily.workflow, daily.start);
				continue;
			}
			for (const { workflow, start, mails } of [7, 14, 15, 21].includes(days) ? posts : [daily]) {
				const mail = await office.mailOn(workflow, start);
				const isEmpty = days === 0 || (standsStill && (days === 15 || mails === daily.mails));
				if (isEmpty) expect(mail.subject).toMatch(/: nothing new (?:since \w+day|yet)$/);
				else expect(mail.subject).not.toContain('nothing new');
				mails.push(mail);
			}
		}
		await cameAll();
		expect(companies().sort()).toEqual([...daily.news.keys()].sort());
		for (const { news, nameOf, mails, namesIn } of posts)
			expect(mails.flatMap(namesIn).sort()).toEqual([...news.values()].map(nameOf).sort());
		const written = JSON.stringify([world.calls, posts.map(({ mails }) => mails)]);
		expect(written).not.toMatch(/Zanzibar|Store of Day|Taken Over/);
	},
);
