import { describe, expect, it } from 'vitest';

import type { Action } from '../../nodes/LicensingData/operations/action.ts';
import { count } from '../../nodes/LicensingData/operations/count.operation.ts';
import { search } from '../../nodes/LicensingData/operations/search.operation.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { Failure } from '../../nodes/LicensingData/licenses/failure.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { withCountySlug } from '../../nodes/LicensingData/service/countySlug.ts';
import { ListService, readWithGetMany, runAction } from '../support/list-service.mts';

/** This many licenses in each county, in turns, newest first. */
const register = (size: number, ...counties: string[]): License[] =>
	Array.from({ length: size * counties.length }, (_, number) => ({
		id: `lic_${number}`,
		licenseType: 'COP',
		address: { county: counties[number % counties.length] as string },
		eventTimestamp: new Date(Date.UTC(2026, 0, 1) - number * 60_000).toISOString(),
	}));

const asked = ({ requests }: ListService) => requests.map(({ query }) => query.county);
const inCounty = (counties: string | string[], more = {}) => ({ filters: { counties, ...more } });

describe('A county is asked for by its name', () => {
	it('alone, where that brings something', async () => {
		const service = new ListService(register(60, 'Palm Beach', 'Gulf'));
		await readWithGetMany(service, inCounty('Palm Beach'));
		expect(asked(service)).toEqual(['Palm Beach', 'Palm Beach']);
	});

	it('and once by its slug, where the list is empty, which is then asked for to its end', async () => {
		const service = new ListService(register(120, 'palm-beach', 'Gulf'));
		const { licenses } = await readWithGetMany(service, inCounty('Palm Beach'));
		expect(licenses).toHaveLength(120);
		expect(asked(service)).toEqual(['Palm Beach', 'palm-beach', 'palm-beach', 'palm-beach']);
	});

	it('and once by its slug, where the service refuses the name', async () => {
		const service: ListService = new ListService(register(10, 'palm-beach'), {
			before: ({ query }) =>
				query.county === 'Palm Beach' ? { statusCode: 422, body: {} } : undefined,
		});
		const { licenses } = await readWithGetMany(service, inCounty('Palm Beach'));
		expect(licenses).toHaveLength(10);
	});

	it('and by its slug also after a time without answers', async () => {
		let isDown = true;
		const ask = withCountySlug(async ({ county }) => {
			if (isDown) throw new Failure('status', 'Down', '', { status: 500, isTransient: true });
			return { records: county === 'palm-beach' ? [{ id: '1' }] : [], cursor: null };
		});
		await expect(ask({ county: 'Palm Beach' })).rejects.toThrow('Down');
		isDown = false;
		expect((await ask({ county: 'Palm Beach' })).records).toEqual([{ id: '1' }]);
	});

	it('and refused in the words of the service, where it takes neither', async () => {
		const refused = { statusCode: 422, body: { error: { message: 'No such county' } } };
		const service = new ListService([], { before: () => refused });
		await expect(readWithGetMany(service, inCounty('Palm Beach'))).rejects.toMatchObject({
			serviceMessage: 'No such county.',
		});
		expect(asked(service)).toEqual(['Palm Beach', 'palm-beach']);
	});

	it('alone, where the two differ in case alone, though it is empty', async () => {
		const service = new ListService(register(10, 'Gulf'));
		const { licenses } = await readWithGetMany(service, inCounty(['Lee', 'Miami-Dade']));
		expect(licenses).toEqual([]);
		expect(service.requests).toHaveLength(2);
	});

	it('alone, once another name has brought something', async () => {
		const service = new ListService(register(10, 'Palm Beach'));
		await readWithGetMany(service, inCounty(['Palm Beach', 'Santa Rosa']), 1);
		expect(asked(service)).toEqual(['Palm Beach', 'Santa Rosa']);
	});
});

it('Search and Count ask for a county by its slug as well', async () => {
	const service = new ListService(register(60, 'palm-beach', 'Gulf'));
	const found = await runAction(search as Action, service, {
		query: 'anchor',
		...inCounty('Palm Beach'),
	});
	expect(found.items.length).toBeGreaterThan(0);
	const { items } = await runAction(count as Action, service, inCounty('Palm Beach'));
	expect(items[0]?.json.count).toBe(60);
});

it('Count by county asks for each of the 67 once, and by slug for at most the few that have one', async () => {
	const service = new ListService(register(2000, 'Orange', 'Palm Beach'));
	await runAction(count as Action, service, { groupBy: ['county'] });
	const slugs = COUNTIES.filter(({ name }) => /[ .]/.test(name)).length;
	expect(service.requests.length).toBeLessThanOrEqual(1 + COUNTIES.length + slugs);
});
