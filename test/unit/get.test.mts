import { describe, expect, it } from 'vitest';

import { answer, useAnswers } from '../support/answers.mts';
import { runLicense } from '../support/nodes.mts';
import { license } from '../support/records.mts';

useAnswers();

const get = (licenseId: unknown) =>
	runLicense({ operation: 'get', licenseId: licenseId as string });
const locator = (value: unknown, mode = 'id') => ({ __rl: true, mode, value });

describe('Get', () => {
	it.each([
		['a license number in small letters', locator('bev0000001'), '/v1/licenses/BEV0000001'],
		['a choice from the list', locator('lic_8f3k2m', 'list'), '/v1/licenses/lic_8f3k2m'],
		['a bare text, as an expression or an agent gives it', 'lic_8f3k2m', '/v1/licenses/lic_8f3k2m'],
		['a number', locator(2026001234), '/v1/licenses/2026001234'],
		['an ID with blanks around it', locator('  lic_8f3k2m '), '/v1/licenses/lic_8f3k2m'],
		[
			'characters that mean something in an address',
			locator('A&B=C+Ü'),
			'/v1/licenses/A%26B%3DC%2B%C3%9C',
		],
	])('brings the license for %s', async (_, value, path) => {
		const asked = answer(/./, { data: license() });
		const ran = await get(value);
		expect(ran.error).toBeUndefined();
		expect(ran.items.map(({ json }) => json)).toEqual([license()]);
		expect(asked).toMatchObject([{ path, query: {} }]);
	});

	it.each([
		...['search', '..', '../webhooks', 'lic_1/events'],
		...['lic_1\\events', 'lic_1#top', 'lic 1'],
	])("refuses '%s' before a request is made", async (value) => {
		const { error } = await get(locator(value));
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.message).toBe(`'License' is not an ID or a license number: ${value}`);
		expect(error?.description).toContain('use the operation Search');
	});

	it.each(['   ', '={{ $json.missing }}'])(
		"asks for a license where it is given '%s'",
		async (value) => {
			expect((await get(locator(value))).error).toMatchObject({
				message: "'License' is empty",
				description: 'Choose a license, or enter its ID or number.',
			});
		},
	);

	it.each([
		['a list', ['lic_1'], "'License' is not text"],
		['a paragraph', 'x'.repeat(201), "'License' is longer than 200 characters"],
	])('refuses %s in words', async (_, value, message) => {
		expect((await get(locator(value))).error).toMatchObject({ message });
	});

	it('says that no license matches what was asked for', async () => {
		answer(/./, [404, { error: { type: 'not_found', message: 'No such license.' } }]);
		const { error } = await get(locator('COP-2026-999999'));
		expect(error).toMatchObject({
			message: "No license matches 'COP-2026-999999'",
			description: expect.stringMatching(
				/^The service says: "No such license\." .*license number looks like BEV1234567/,
			),
			httpCode: '404',
		});
	});
});
