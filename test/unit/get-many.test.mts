import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { answerPages, useAnswers } from '../support/answers.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

const getMany = (parameters: IDataObject) => runLicense({ operation: 'getAll', ...parameters });
const filtered = (filters: IDataObject, more: IDataObject = {}) => getMany({ filters, ...more });

describe('Get Many asks the service', () => {
	it.each([
		['nothing more than a page, without filters', {}, {}],
		[
			'without what is empty',
			{ counties: '', licenseTypes: '', eventTypes: '', status: ' ', query: ' , ;' },
			{},
		],
		[
			'by everything at once, in texts of one line without invisible characters and half an emoji',
			{
				counties: 'Lee',
				licenseTypes: 'COP',
				eventTypes: 'new_filing',
				status: ' Act\u200Bive ',
				query: 'two\n\u200Blines & \ud83c',
			},
			{
				county: 'Lee',
				license_type: 'COP',
				event_type: 'new_filing',
				status: 'active',
				q: 'two lines &',
			},
		],
	])('%s', async (_, filters, query) => {
		const asked = answerPages(page(inCounty('Lee', licenses(1))));
		expect((await filtered(filters)).error).toBeUndefined();
		expect(asked).toMatchObject([{ path: '/v1/licenses' }]);
		expect(asked[0]?.query).toEqual({ limit: '50', ...query });
	});

	it.each([
		['Saint Johns', 'St. Johns'],
		['de soto county', 'DeSoto'],
		['Dade', 'Miami-Dade'],
		['palm_beach', 'Palm Beach'],
		['INDIAN-RIVER-COUNTY', 'Indian River'],
	])("for the county '%s' as %s", async (spelling, county) => {
		const asked = answerPages(page(inCounty(county, licenses(1))));
		await filtered({ counties: spelling });
		expect(asked[0]?.query.county).toBe(county);
	});
});

describe.each(['filedAfter', 'filedBefore', 'happenedAfter', 'happenedBefore'])(
	"The day of '%s'",
	(filter) => {
		it.each(['11/01/2026', '11/1/2026', '2026-11-01', '2026-11-01T00:00:00'])(
			'may be written as %s',
			async (written) => {
				const record = { filedDate: '2026-11-01', eventTimestamp: '2026-11-01T12:00:00Z' };
				answerPages(page([license(record)]));
				expect((await filtered({ [filter]: written })).items).toHaveLength(1);
			},
		);
	},
);

it('The statuses of Get Many are several, in either spelling, and each license comes once', async () => {
	const canceled = licenses(2).map((license) => ({ ...license, status: 'cancelled' }));
	const asked = answerPages(page(canceled), page([]));
	const { items } = await filtered({ status: ['canceled', 'Cancelled', 'Pending'] });
	expect(asked.map(({ query }) => query.status).sort()).toEqual(['cancelled', 'pending']);
	expect(items).toHaveLength(2);
});

describe('Get Many refuses before a request', () => {
	it.each([
		[{ counties: 'Fulton' }, "'Counties' has a value that is not in its list: Fulton"],
		[
			{ licenseTypes: 'bars' },
			"'License Types' has a value that is not in its list: bars. Did you mean Serves Alcohol (Bars, Restaurants)?",
		],
		[
			{ licenseTypes: 'trucks' },
			"'License Types' has a value that is not in its list: trucks. Did you mean Mobile Food?",
		],
		[
			{ eventTypes: 'new filling' },
			"'Events' has a value that is not in its list: new filling. Did you mean New Filing?",
		],
		[{ eventTypes: 7 }, "'Events' has a value that is not in its list: 7"],
		[{ status: { is: 'active' } }, "'Status' is not text"],
		[{ query: '=\u200B' }, "'Free Text' is empty: its expression returns nothing"],
		[{ filedAfter: '2026-02-30' }, "'Filed On or After' is not a date: 2026-02-30"],
		[
			{ counties: 'Browrd, Lee, Pinelas' },
			"'Counties' has a value that is not in its list: Browrd, Pinelas. Did you mean Broward or Pinellas?",
		],
		[
			{ filedAfter: '2026-07-02', filedBefore: '07/01/2026' },
			"'Filed On or After' is later than 'Filed On or Before': 2026-07-02 is after 2026-07-01",
		],
		[
			{ counties: 'Broward', zipCodes: '33602' },
			"'ZIP Codes' and 'Counties' match nothing: 33602 is in Hillsborough",
		],
		[
			{ counties: 'Broward', cities: 'Tampa, Orlando' },
			"'Cities' and 'Counties' match nothing: Tampa is in Hillsborough",
		],
	])('the filters %o', async (filters, message) => {
		const { error } = await filtered(filters as IDataObject);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toBeTruthy();
	});

	it.each([
		[{ counties: 'Fulton' }, 'Choose from the list, or check what the expression returns.'],
		[
			{ eventTypes: 'Merger' },
			'Choose from: Address Change, Cancellation, New Filing, Ownership Transfer, Renewal, Status Change.',
		],
		[{ happenedBefore: '13/01/2026' }, expect.stringContaining('month/day/year')],
	])('%o, and says what there is to choose from', async (filters, description) => {
		expect((await filtered(filters)).error).toMatchObject({ description });
	});

	it.each([0, 1.5, '={{ "many" }}', '={{ null }}'])('a limit of %s', async (limit) => {
		const message = "'Limit' is not a whole number above zero";
		expect((await getMany({ limit })).error).toMatchObject({ message });
	});
});

describe('An expression in a filter', () => {
	it.each([
		['counties', 'Counties'],
		['query', 'Free Text'],
		['happenedBefore', 'Happened On or Before'],
	])('that gives nothing is refused: %s', async (name, label) => {
		const { error } = await filtered({ [name]: '={{ $json.missing }}' });
		expect(error?.message).toBe(`'${label}' is empty: its expression returns nothing`);
	});

	it('that a model leaves out is no filter, or as it is without a choice', async () => {
		const asked = answerPages(page([license({ address: null })]));
		const ran = await filtered({
			counties: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('County', ``, 'string') }}",
			filedAfter: "={{ $fromAI('Filed_After', '', 'string') }}",
			near: { area: { center: "={{ $fromAI('Center', '', 'string') }}", radius: 25 } },
			cities: 'Tampa',
			keepUnlocated: "={{ $fromAI('Keep', '', 'string', '') }}",
		});
		expect(ids(ran)).toEqual([license().id]);
		expect(asked[0]?.query).toEqual({ limit: '50' });
	});
});

describe('Get Many pages', () => {
	it('through everything where all is asked for', async () => {
		const asked = answerPages(page(licenses(50), 'second'), page(licenses(7, 51)));
		expect(ids(await getMany({ returnAll: true }))).toEqual(licenses(57).map(({ id }) => id));
		expect(asked.map(({ query }) => query)).toEqual([
			{ limit: '50' },
			{ limit: '50', cursor: 'second' },
		]);
	});

	it.each([
		[1, '1'],
		[50, '50'],
		['={{ "25" }}', '25'],
	])('no further than a limit of %s, which one page holds', async (limit, asks) => {
		const asked = answerPages(page(licenses(Number(asks)), 'more'));
		expect((await getMany({ limit })).items).toHaveLength(Number(asks));
		expect(asked.map(({ query }) => query)).toEqual([{ limit: asks }]);
	});

	it.each([
		['no hasMore and no cursor on a full page', { cursor: null }, 50],
		['hasMore false alone on a full page', { hasMore: false }, 50],
		['neither of both', {}, 2],
		['hasMore false beside a cursor', { cursor: 'more', hasMore: false }, 2],
	])('to an end at %s', async (_, pagination, count) => {
		answerPages({ data: licenses(count), pagination });
		expect((await getMany({ returnAll: true })).items).toHaveLength(count);
	});

	it('brings both records of one number, and the same record once', async () => {
		const other = license({ legalName: 'Harbor Holdings LLC' });
		answerPages(page([license(), other], 'b'), page([license(), ...licenses(1)]));
		expect((await getMany({ returnAll: true })).items.map(({ json }) => json)).toEqual([
			license(),
			other,
			...licenses(1),
		]);
	});
});

describe('Filed After and Filed Before', () => {
	const filed = (...days: Array<string | null>) =>
		days.map((day, at) =>
			license({
				id: day ?? `undated-${at}`,
				filedDate: day,
				eventTimestamp: day && `${day}T12:00:00Z`,
			}),
		);

	const LATE = ['2026-07-05', '2026-07-04'];

	it.each([
		[{ filedAfter: '2026-07-02', filedBefore: '2026-07-04' }, ['2026-07-04', '2026-07-02']],
		[{ filedAfter: '={{ DateTime.fromISO("2026-07-11").minus({ days: 7 }) }}' }, LATE],
	])('include the days that are given: %j', async (window, days) => {
		answerPages(page(filed(...LATE, '2026-07-02', '2026-07-01', null)));
		expect(ids(await filtered(window, { returnAll: true }))).toEqual(days);
	});

	const EARLY = { filedAfter: '2026-07-01', eventTypes: 'new_filing' };

	it('end early at a page that lies behind the window as a whole', async () => {
		answerPages(page(filed(...LATE), 'b'), page(filed('2026-06-02', '2026-06-01'), 'c'));
		expect(ids(await filtered(EARLY, { returnAll: true }))).toEqual(LATE);
	});

	it.each([
		['a page out of order', [filed('2026-07-05', '2026-05-01'), filed('2026-06-01')]],
		['a page that is not newest first', [filed('2026-06-01', '2026-06-02')]],
		['a record without a date', [filed('2026-06-01', null)]],
	])('read on past %s', async (_, pages) => {
		const asked = answerPages(
			...pages.map((records, at) => page(records, `c${at}`)),
			page(filed('2026-07-02')),
		);
		expect(ids(await filtered(EARLY, { returnAll: true }))).toContain('2026-07-02');
		expect(asked).toHaveLength(pages.length + 1);
	});
});

it('Territories are said to lie in other counties, and distances in tenths of a mile', async () => {
	answerPages(page(inCounty('Hillsborough', licenses(1))));
	const near = { area: { center: '33602', radius: 50 } };
	const filters = { counties: 'Hillsborough', cities: 'Tampa, Miami', near };
	const { items, hints } = await filtered(filters);
	expect(hints).toEqual([expect.stringContaining('Miami is in Miami-Dade')]);
	expect(items.map(({ json }) => (Number(json.distanceMiles) * 10) % 1)).toEqual([0]);
	expect(Number(items[0]?.json.distanceMiles) % 1).not.toBe(0);
});
