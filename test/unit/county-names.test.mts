import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { Action } from '../../nodes/LicensingData/actions/action.ts';
import { count } from '../../nodes/LicensingData/actions/count.ts';
import { COUNTIES } from '../../nodes/LicensingData/domain/counties.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { answer, answerPages, useAnswers } from '../support/answers.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { ListService, readWithGetMany, runAction } from '../support/list-service.mts';
import { inCounty, licenses, page } from '../support/records.mts';

useAnswers();

const CALLED_OTHERWISE = [
	['St. Johns', 'st-johns'],
	['Palm Beach', 'palm-beach'],
	['Miami-Dade', 'DADE'],
	['St. Lucie', 'Saint Lucie'],
	['Leon', 'LEON COUNTY'],
	['St. Johns', 'ST JOHNS'],
	['DeSoto', 'de soto county'],
] as const;

/** This many licenses in each county, in turns, newest first. */
const register = (size: number, ...counties: string[]): License[] =>
	Array.from({ length: size * counties.length }, (_, number) => ({
		id: `lic_${number}`,
		licenseType: 'COP',
		address: { county: counties[number % counties.length]! },
		eventTimestamp: new Date(Date.UTC(2026, 0, 1) - number * 60_000).toISOString(),
	}));

const emptyPage = { statusCode: 200, body: page([]) };

const countiesAsked = ({ requests }: ListService) =>
	requests.map(({ query }) => query.county ?? query.q);

describe('A list of a county', () => {
	it.each(CALLED_OTHERWISE)('finds %s where the service calls it %s', async (name, called) => {
		const service = new ListService(register(60, called, 'Gulf'));
		const { licenses, hints } = await readWithGetMany(service, { filters: { counties: name } });
		expect(licenses).toHaveLength(60);
		expect(licenses.every(({ address }) => address?.county === called)).toBe(true);
		expect(hints).toEqual([]);
	});

	it('asks by our name, then with hyphens, and after that by the name that it found', async () => {
		const service = new ListService(register(60, 'st-johns', 'Gulf'));
		await readWithGetMany(service, { filters: { counties: 'St. Johns' } });
		expect(service.requests.map(({ query }) => [query.county, query.limit])).toEqual([
			['St. Johns', '50'],
			['St. Johns', '1'],
			['st-johns', '1'],
			['st-johns', '50'],
			['st-johns', '50'],
		]);
	});

	it('asks with a word of the name how the service writes it', async () => {
		const service = new ListService(register(10, 'ST JOHNS'));
		await readWithGetMany(service, { filters: { counties: 'St. Johns' } });
		expect(countiesAsked(service)).toEqual([
			...['St. Johns', 'St. Johns', 'st-johns'],
			...['Johns', 'ST JOHNS', 'ST JOHNS'],
		]);
	});

	it('costs one small request where it is empty, though the county is not', async () => {
		const service = new ListService(register(10, 'Leon'));
		const filters = { counties: 'Leon', licenseTypes: 'SRX' };
		const { licenses, hints } = await readWithGetMany(service, { filters });
		expect({ licenses, hints }).toEqual({ licenses: [], hints: [] });
		expect(service.requests.map(({ query }) => query.limit)).toEqual(['50', '1']);
	});

	it('costs no more for several empty lists of it', async () => {
		const service = new ListService(register(10, 'Leon', 'st-johns'));
		const filters = { counties: ['Leon', 'St. Johns'], licenseTypes: ['SRX', 'BEV', 'APS'] };
		await readWithGetMany(service, { filters });
		const small = service.requests.filter(({ query }) => query.limit === '1');
		expect(small.map(({ query }) => query.county).sort()).toEqual([
			'Leon',
			'St. Johns',
			'st-johns',
		]);
	});

	it('costs nothing more where it is not empty', async () => {
		const service = new ListService(register(10, 'Leon', 'Gulf'));
		await readWithGetMany(service, { filters: { counties: ['Leon', 'Gulf'] } });
		expect(service.requests).toHaveLength(2);
	});

	it.each([400, 404, 422])(
		'asks by another name where the service refuses ours with %d',
		async (statusCode) => {
			const service = new ListService(register(10, 'st-johns', 'gulf'), {
				before: ({ query: { county } }) =>
					county === 'St. Johns' ? { statusCode, body: {} } : undefined,
			});
			const { licenses } = await readWithGetMany(service, { filters: { counties: 'St. Johns' } });
			expect(licenses).toHaveLength(10);
		},
	);

	it('asks in lower case where that makes a difference to the service', async () => {
		const records = register(10, 'Leon', 'Gulf');
		const service = new ListService(records, {
			before: ({ query: { county } }) => (county === 'Leon' ? emptyPage : undefined),
		});
		const { licenses } = await readWithGetMany(service, { filters: { counties: 'Leon' } });
		expect(licenses).toHaveLength(10);
		expect(service.requests.at(-1)?.query.county).toBe('leon');
	});

	it('fails as the service does where its refusal is not about the county', async () => {
		const service = new ListService(register(10, 'Leon'), {
			before: ({ query }) => (query.limit === '50' ? { statusCode: 422, body: {} } : undefined),
		});
		const reading = readWithGetMany(service, { filters: { counties: 'Leon' } });
		await expect(reading).rejects.toThrow('The service did not accept the request (HTTP 422)');
		expect(service.requests).toHaveLength(2);
	});

	it('finds it where the service lists everything for a name that it does not know', async () => {
		const service: ListService = new ListService(register(30, 'gulf', 'st-johns', 'leon'), {
			before: ({ query: { county, ...query } }) =>
				county === 'St. Johns' ? { statusCode: 200, body: service.page(query) } : undefined,
		});
		const { licenses } = await readWithGetMany(service, { filters: { counties: 'St. Johns' } });
		expect(licenses.map(({ address }) => address?.county)).toEqual(Array(30).fill('st-johns'));
	});
});

/** As where counties are filtered by a number that no license shows. */
const withoutCounties = (records: License[]) =>
	new ListService(records, {
		before: ({ query }) => (query.county === undefined ? undefined : emptyPage),
	});

describe('A county by no name that the service knows', () => {
	it('is picked from the list of all, and a line above the output says so', async () => {
		const service = withoutCounties(register(40, 'ST JOHNS', 'GULF', 'LEON'));
		const { licenses, hints } = await readWithGetMany(service, {
			filters: { counties: ['St. Johns', 'Leon'] },
		});
		expect(new Set(licenses.map(({ address }) => address?.county))).toEqual(
			new Set(['ST JOHNS', 'LEON']),
		);
		expect(licenses).toHaveLength(80);
		expect(hints).toEqual([expect.stringContaining('The service finds nothing in the county')]);
		// Two counties are picked from the same three pages.
		const wide = service.requests.filter(({ query: { county, q } }) => !county && !q);
		expect(wide).toHaveLength(3);
	});

	it('is not asked for by a name that no county has', async () => {
		const service = withoutCounties(register(5, 'Leon 12'));
		await readWithGetMany(service, { filters: { counties: 'Leon' } });
		expect(countiesAsked(service)).toEqual(['Leon', 'Leon', 'leon', 'Leon', undefined]);
	});

	it('is no silent nothing, where it has no licenses at all', async () => {
		const service = new ListService(register(25, 'Leon'));
		const { licenses, hints } = await readWithGetMany(service, { filters: { counties: 'Gulf' } });
		expect(licenses).toEqual([]);
		expect(hints).toEqual([expect.stringContaining("nothing in the county 'Gulf', nor as 'gulf'")]);
		expect(countiesAsked(service)).toEqual(['Gulf', 'Gulf', 'gulf', 'Gulf', undefined]);
	});

	it('is refused at once where a hundred pages do not hold all', async () => {
		const service = withoutCounties(register(2501, 'GULF', 'LEON'));
		const reading = readWithGetMany(service, { filters: { counties: 'Leon' } });
		await expect(reading).rejects.toMatchObject({
			// Not `refused`: it is the answers that show it, and n8n must not call it a bad configuration.
			kind: 'answered',
			message: "The service finds nothing in the county 'Leon', and too much without it",
			description: expect.stringContaining("set 'License Types', 'Events' or 'Status'"),
		});
		expect(service.requests.length).toBeLessThan(10);
	});

	it('is picked from a longer list, too, as far as a limit leads within a hundred pages', async () => {
		const records = register(6000, 'GULF', 'LEON');
		const limited = withoutCounties(records);
		const { licenses } = await readWithGetMany(limited, {
			returnAll: false,
			limit: 30,
			filters: { counties: 'Leon' },
		});
		expect(licenses).toHaveLength(30);
		const rare = withoutCounties([...records, ...register(1, 'BAY')]);
		const reading = readWithGetMany(rare, {
			returnAll: false,
			limit: 1,
			filters: { counties: 'Bay' },
		});
		await expect(reading).rejects.toThrow("nothing in the county 'Bay', and too much without it");
		expect(rare.requests.length).toBeLessThan(110);
	});
});

describe('Count', () => {
	const counted = async (service: ListService, parameters: IDataObject) => {
		const { items, hints } = await runAction(count as Action, service, parameters);
		return { items: items.map(({ json }) => json), hints };
	};
	const names = COUNTIES.map(({ value }) => value);
	const slugs = names.map((name) => name.toLowerCase().replace(/[^a-z]+/g, '-'));

	it('by county has our names, whatever the service calls them', async () => {
		const service = new ListService(register(60, ...slugs));
		const { items } = await counted(service, { groupBy: 'county' });
		expect(items.map(({ county, count: size }) => [county, size])).toEqual(
			names.map((name) => [name, 60]),
		);
	});

	it('by county asks for nothing twice where the counts add up', async () => {
		const service = new ListService(register(1000, 'Leon', 'Gulf', 'Bay', 'Lee'));
		const { items } = await counted(service, { groupBy: 'county' });
		expect(items.slice(0, 5).map(({ count: size }) => size)).toEqual([1000, 1000, 1000, 1000, 0]);
		expect(service.requests.length).toBe(1 + names.length);
	});

	it('of a county is right where the service calls it otherwise', async () => {
		const service = new ListService(register(700, 'st-johns', 'gulf'));
		const { items } = await counted(service, { filters: { counties: 'St. Johns' } });
		expect(items[0]?.count).toBe(700);
	});
});

describe('Search in a county', () => {
	const search = (counties: string) =>
		runLicense({ operation: 'search', query: 'oyster', filters: { counties } });

	it('finds what is there where the service calls it otherwise', async () => {
		const found = inCounty('st-johns', licenses(2));
		const asked = answer('/licenses/search', [], found);
		answerPages(page([]), page(found));
		const { items, hints } = await search('St. Johns');
		expect([items.length, hints]).toEqual([2, []]);
		expect(asked.map(({ query }) => query.county)).toEqual(['St. Johns', 'st-johns']);
	});

	it('leaves out what is elsewhere, where the search does not look at the county', async () => {
		answer('/licenses/search', [...licenses(3), ...inCounty('Leon', licenses(1, 9))]);
		answerPages(page(inCounty('Leon', licenses(1))));
		expect(ids(await search('Leon'))).toEqual(['lic_9']);
	});

	it('picks from what is found elsewhere, if nobody knows the name', async () => {
		answer('/licenses/search', [], [...inCounty('ST. JOHNS.', licenses(2)), ...licenses(3)]);
		answerPages(page([]), page([]), page([]));
		const { items, hints } = await search('St. Johns');
		expect([items.length, hints.length]).toEqual([2, 1]);
	});
});
