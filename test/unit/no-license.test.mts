import { describe, expect, it } from 'vitest';

import { answer, answerPages, CREDENTIALS, service, useAnswers } from '../support/answers.mts';
import { pollerOf, runLicense } from '../support/nodes.mts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { license, page } from '../support/records.mts';
import { manualHost } from '../support/webhook-node.mts';

useAnswers();

const NO_ID = "has neither an 'id' nor a 'licenseNumber'";
const NOTHING_ELSE = 'has no name, type, status or address';

/** As an interface of another kind would write it: every documented field would come out empty. */
const NO_LICENSES: Array<[what: string, record: License, fault: string]> = [
	['its fields in attributes', { id: 'lic_1', type: 'x', attributes: license() }, NOTHING_ELSE],
	[
		'names in snake case',
		{ id: 'lic_1', business_name: 'Anchor', license_type: 'COP' },
		NOTHING_ELSE,
	],
	['a number in snake case', { license_number: 'COP-1', status: 'active' }, NO_ID],
	['dates alone', { id: 'lic_1', filedDate: '2026-07-03' }, NOTHING_ELSE],
	['nulls', { id: 'lic_1', businessName: null, status: ' ', address: { lat: null } }, NOTHING_ELSE],
];

describe.each(NO_LICENSES)('A record with %s', (_, record, fault) => {
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
	const { items } = await runLicense({ operation: 'getAll' });
	expect(items.map(({ json }) => json)).toEqual([record]);
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
	expect(poller.warnings.join()).not.toContain('..');
});

it.each(NO_LICENSES)('The webhook trigger refuses a record with %s', async (_, data) => {
	const host = await manualHost();
	expect(await host.deliver({ type: 'new_filing', data })).toMatchObject({ status: 400 });
	await host.close();
});
