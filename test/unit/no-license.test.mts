import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { answer, answerPages, CREDENTIALS, service, useAnswers } from '../support/answers.mts';
import { pollerOf, runLicense } from '../support/nodes.mts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { license, page } from '../support/records.mts';
import { manualHost, type WebhookHost } from '../support/webhook-node.mts';

useAnswers();

const NO_ID = "has neither an 'id' nor a 'licenseNumber'";
const NOTHING_ELSE = 'has no name, type, status or address';

/** As an interface of another kind would write it: every documented field would come out empty. */
const NO_LICENSES: Array<[what: string, record: License, fault: string]> = [
	[
		'a record with its fields in attributes',
		{ id: 'lic_1', type: 'licenses', attributes: license() },
		NOTHING_ELSE,
	],
	[
		'a record with names in snake case',
		{
			id: 'lic_1',
			license_number: 'COP-1',
			business_name: 'The Rusty Anchor',
			license_type: 'COP',
		},
		NOTHING_ELSE,
	],
	['a record with a number in snake case', { license_number: 'COP-1', status: 'active' }, NO_ID],
	['a record with dates alone', { id: 'lic_1', filedDate: '2026-07-03' }, NOTHING_ELSE],
	[
		'a record of nulls',
		{ id: 'lic_1', businessName: null, status: ' ', address: { city: null, lat: null } },
		NOTHING_ELSE,
	],
];

describe.each(NO_LICENSES)('What is no license: %s', (_, record, fault) => {
	it.each([
		['getAll', {}, page([license(), record]), `Record 2 of 2${'id' in record ? ' (lic_1)' : ''}`],
		['get', { licenseId: 'lic_1' }, { data: record }, "'data'"],
		['search', { query: 'anchor' }, { data: [record] }, 'Record 1 of 1'],
	])('is an error that says so: %s', async (operation, parameters, body, place) => {
		answer(/licenses/, body);
		const { items, error } = await runLicense({ operation, ...parameters });
		expect(items).toEqual([]);
		expect(error?.message).toBe('The service sent an answer this node cannot read');
		expect(error?.description).toContain(place);
		expect(error?.description).toContain(`a license, but ${fault}.`);
	});
});

it.each<[string, License]>([
	['an ID and a status', { id: 'lic_1', status: 'pending' }],
	['a number and a type', { licenseNumber: '10001', licenseType: 'APS' }],
	['a number that is no text, and a name', { licenseNumber: 10001 as never, businessName: 'O' }],
	['an ID and a city', { id: 'lic_1', address: { city: 'Tampa' } }],
])('A license has at least %s', async (_, record) => {
	answerPages(page([record]));
	expect((await runLicense({ operation: 'getAll' })).items.map(({ json }) => json)).toEqual([
		record,
	]);
});

it('The polling trigger leaves out the one, and names it', async () => {
	const [, record, fault] = NO_LICENSES[0]!;
	const apiKey = 'ls_live_example';
	let list: License[] = [license()];
	service(apiKey)
		.persist()
		.get('/licenses')
		.query(true)
		.reply(() => [200, page(list)]);
	const poller = pollerOf({ ...CREDENTIALS, apiKey }, { output: 'raw' });
	await poller.activate();
	list = [license({ id: 'lic_2', licenseNumber: 'COP-2' }), record, license()];
	expect((await poller.poll()).map(({ id }) => id)).toEqual(['lic_2']);
	expect(poller.warnings.join()).toContain(
		`Record 2 of 3 (lic_1) should be a license, but ${fault}`,
	);
});

describe('The webhook trigger', () => {
	let host: WebhookHost;
	beforeEach(async () => {
		host = await manualHost();
	});
	afterEach(() => host.close());

	it.each(NO_LICENSES)('refuses %s', async (_, data) => {
		expect(await host.deliver({ type: 'new_filing', data })).toMatchObject({ status: 400 });
	});
});
