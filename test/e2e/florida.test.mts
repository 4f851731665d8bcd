import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { startFlorida } from '../../florida/service.mts';
import { startCrm } from '../../playground/crm/server.mts';
import { testFolder } from '../../playground/folders.mts';
import { runLeadWorkflow } from '../../playground/workflows.mts';
import {
	dated,
	fileOf,
	food,
	foods,
	holder,
	liquor,
	number,
	type Fields,
} from '../florida/made-up-files.mts';
import { Editor, openBrowser, openPage } from './editor.mts';
import { picturedInDocs } from './picture.mts';
import { connectTo, openStage } from './stage.mts';

const files = join(testFolder, 'florida-files');
const asStateWrites = (daysAgo: number): string =>
	new Date(Date.now() - daysAgo * 86_400_000)
		.toISOString()
		.replace(/^(\d+)-(\d+)-(\d+).*/, '$2/$3/$1');
const put = async (source: string, rows: Fields[]) =>
	await writeFile(join(files, `${source}.csv`), fileOf(source, rows));

const named = number('SEA23', 1300);
const diner = food(named, {
	...{ 'Licensee Name': holder(701), 'Business Name': 'VELVET PELICAN DINER' },
});
const kitchens = [...foods(300), diner];
const bars = Array.from({ length: 300 }, (_, at) =>
	liquor(number('BEV58', 5000 + at), { 'Owner Name': holder(at) }),
);
const bar = liquor(number('BEV58', 5301), {
	...{ 'Owner Name': holder(700), DBA: 'COPPER HERON RAW BAR', Series: '4COP', Modifier: 'SFS' },
	'Original Licensure Date': asStateWrites(3),
});
const kitchen = food(number('SEA23', 1400), {
	...{ 'Licensee Name': holder(702), 'Business Name': 'MANGROVE JACK KITCHEN' },
});

for (const name of ['florida-files', 'florida-memory', 'florida-leads.jsonl'])
	await rm(join(testFolder, name), { recursive: true, force: true });
await mkdir(files, { recursive: true });
await put('bd4006lic', [...bars, bar]);
await put('hrfood1', kitchens);
await put('newfood', [dated(named, asStateWrites(5))]);
const florida = await startFlorida({
	...{ data: join(testFolder, 'florida-memory'), files, say: () => undefined },
	...{ lookEvery: 200, standsStill: 0 },
});
const crm = await startCrm({ file: join(testFolder, 'florida-leads.jsonl') });
const stage = await openStage('florida');
const browser = await openBrowser();
afterAll(async () => {
	for (const one of [browser, stage, crm, florida]) await one.close();
});

const numbers = () => crm.book.leads.map((lead) => lead.licenseNumber).sort();

it('brings what a folder of files dates in thirty days, then what is new', async () => {
	await expect.poll(() => florida.register.notReady).toBeUndefined();
	const credential = await connectTo(stage, { baseUrl: florida.baseUrl, apiKey: florida.key });
	await runLeadWorkflow(stage.client, credential, crm.leadsAddress, {
		...{ startFrom: new Date(Date.now() - 30 * 86_400_000).toISOString(), said: 'thirty days' },
		...{ eventTypes: ['new_filing', 'ownership_transfer'], filters: {} },
	});
	const ofThisMonth = [bar, diner].map((row) => row['License Number']).sort();
	await expect.poll(numbers).toEqual(ofThisMonth);

	await put('hrfood1', [...kitchens, kitchen]);
	await expect.poll(numbers).toEqual([...ofThisMonth, kitchen['License Number']].sort());
	expect(crm.book.leads.at(-1)).toMatchObject({
		company: 'MANGROVE JACK KITCHEN',
		filingKind: 'newLicense',
		phone: '(305) 555-0100',
	});
});

it('shows what was read on its page, and a whole lead in n8n', async () => {
	const page = await openPage(browser, 900, 700);
	await page.goto(florida.origin);
	await page.getByText('603 licenses').waitFor();
	await picturedInDocs(page, 'florida-page', {
		parts: [page.locator('h1'), page.locator('body > p').last()],
		changing: 'h1 + p, td:nth-child(2), td:nth-child(4)',
	});
	await page.close();

	const editor = await Editor.signIn(browser, stage);
	const [workflow] = await stage.client.workflows();
	await editor.openWorkflow(workflow!.id);
	await editor.openNode('New Filing');
	await editor.execute();
	await editor.output.getByText('Schema', { exact: true }).click();
	await editor.output.getByText('VELVET PELICAN DINER').first().waitFor();
	await editor.page.setViewportSize({ width: 1400, height: 1060 });
	const fields = editor.output.getByTestId('run-data-schema-item');
	const named = (name: string) =>
		fields.filter({ has: editor.page.getByText(name, { exact: true }) });
	await picturedInDocs(editor.page, 'florida-lead', {
		parts: [named('company').last(), named('filingKind').last()],
		changing: '[data-test-id="run-data-schema-item-value"]',
	});
});
