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
		['by status', { status: ' Active ' }, { status: 'active' }],
		['by free text', { query: 'oyster & bar' }, { q: 'oyster & bar' }],
		[
			'without what is empty',
			{ counties: '', licenseTypes: '', eventTypes: '', status: ' ', query: '' },
			{},
		],
		['without a free text of commas alone', { query: ' , ;' }, {}],
		[
			'by everything at once',
			{
				counties: 'Lee',
				licenseTypes: 'COP',
				eventTypes: 'new_filing',
				status: 'active',
				query: 'bar',
			},
			{ county: 'Lee', license_type: 'COP', event_type: 'new_filing', status: 'active', q: 'bar' },
		],
		[
			'by a license type as people write it',
			{ licenseTypes: '={{ "food service" }}' },
			{ license_type: 'FOOD_SERVICE' },
		],
		[
			'by the label of an event type',
			{ eventTypes: '={{ "New Filing" }}' },
			{ event_type: 'new_filing' },
		],
	])('%s', async (_, filters, query) => {
		const asked = answerPages(page(inCounty('Lee', licenses(1))));
		expect((await filtered(filters)).error).toBeUndefined();
		expect(asked).toMatchObject([{ path: '/v1/licenses' }]);
		expect(asked[0]?.query).toEqual({ limit: '50', ...query });
	});

	it.each([
		['Saint Johns', 'St. Johns'],
		['st johns', 'St. Johns'],
		['de soto county', 'DeSoto'],
		['Dade', 'Miami-Dade'],
		['Dade County ', 'Miami-Dade'],
		['palm_beach', 'Palm Beach'],
		['INDIAN-RIVER-COUNTY', 'Indian River'],
	])("for the county '%s' as %s", async (spelling, county) => {
		const asked = answerPages(page(inCounty(county, licenses(1))));
		await filtered({ counties: spelling });
		expect(asked[0]?.query.county).toBe(county);
	});
});

it('The statuses of Get Many are several, in either spelling, and each license comes once', async () => {
	const canceled = licenses(2).map((license) => ({ ...license, status: 'cancelled' }));
	const asked = answerPages(page(canceled), page(canceled), page([]));
	const { items } = await filtered({ status: ['canceled', 'Pending'] });
	const statuses = asked.map(({ query }) => query.status);
	expect(new Set(statuses)).toEqual(new Set(['canceled', 'cancelled', 'pending']));
	expect(items).toHaveLength(2);
});

describe('Get Many refuses before a request', () => {
	it.each([
		[{ counties: 'Fulton' }, "'Counties' has a value that is not in its list: Fulton"],
		[{ counties: ['Lee', 'Fulton'] }, "'Counties' has a value that is not in its list: Fulton"],
		[{ counties: '123' }, "'Counties' has a value that is not in its list: 123"],
		[{ licenseTypes: 'WINE' }, "'License Types' has a value that is not in its list: WINE"],
		[{ eventTypes: 7 }, "'Events' has a value that is not in its list: 7"],
		[{ status: { is: 'active' } }, "'Status' is not a text"],
		[{ query: 'two\nlines' }, "'Free Text' has characters that cannot be sent"],
		[{ filedAfter: 'yesterday' }, "'Filed On or After' is not a date: yesterday"],
		[{ filedAfter: 'by 2026-07-01' }, "'Filed On or After' is not a date: by 2026-07-01"],
		[{ filedAfter: '2026-02-30' }, "'Filed On or After' is not a date: 2026-02-30"],
		[{ filedBefore: '13/01/2026' }, "'Filed On or Before' is not a date: 13/01/2026"],
		[
			{ counties: 'Browrd' },
			"'Counties' has a value that is not in its list: Browrd. Did you mean Broward?",
		],
		[
			{ counties: 'Browrd, Lee, Pinelas' },
			"'Counties' has a value that is not in its list: Browrd, Pinelas. Did you mean Broward, Pinellas?",
		],
		[
			{ filedAfter: '2026-07-02', filedBefore: '07/01/2026' },
			"'Filed On or After' is later than 'Filed On or Before': 2026-07-02 is after 2026-07-01",
		],
		[
			{ happenedAfter: '2026-07-02', happenedBefore: '2026-07-01' },
			"'Happened On or After' is later than 'Happened On or Before': 2026-07-02 is after 2026-07-01",
		],
		[
			{ counties: 'Broward', zipCodes: '33602' },
			"'ZIP Codes' and 'Counties' leave nothing: 33602 is in Hillsborough",
		],
		[
			{ counties: 'Broward', cities: 'Tampa, Orlando' },
			"'Cities' and 'Counties' leave nothing: Tampa is in Hillsborough",
		],
	])('the filters %o', async (filters, message) => {
		const { error } = await filtered(filters as IDataObject);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
		expect(error?.description).toBeTruthy();
	});

	it.each([
		[{ counties: 'Fulton' }, 'Choose from the list, or check what the expression gives.'],
		[
			{ eventTypes: 'Merger' },
			'Choose from: Address Change, Cancellation, New Filing, Ownership Transfer, Renewal, Status Change.',
		],
	])('%o, and says what there is to choose from', async (filters, description) => {
		expect((await filtered(filters)).error).toMatchObject({ description });
	});

	it.each([0, -1, 1.5, '={{ "many" }}', '={{ null }}', '={{ NaN }}'])(
		'a limit of %s',
		async (limit) => {
			expect((await getMany({ limit })).error).toMatchObject({
				name: 'NodeOperationError',
				message: "'Limit' is not a whole number above zero",
			});
		},
	);
});

describe('An expression in a filter', () => {
	it.each([
		['counties', 'Counties'],
		['status', 'Status'],
		['query', 'Free Text'],
		['filedAfter', 'Filed On or After'],
		['happenedBefore', 'Happened On or Before'],
	])('that gives nothing is refused: %s', async (name, label) => {
		const { error } = await filtered({ [name]: '={{ $json.missing }}' });
		expect(error?.message).toBe(`'${label}' is empty: its expression gives nothing`);
	});

	it('that a model leaves out is no filter', async () => {
		const asked = answerPages(page([]));
		const { error } = await filtered({
			counties: "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('County', ``, 'string') }}",
			filedAfter: "={{ $fromAI('Filed_After', '', 'string') }}",
			near: { area: { center: "={{ $fromAI('Center', '', 'string') }}", radius: 25 } },
		});
		expect(error).toBeUndefined();
		expect(asked[0]?.query).toEqual({ limit: '50' });
	});

	it('that a model leaves out is as it is without a choice', async () => {
		answerPages(page([license({ address: null })]));
		const ran = await filtered({
			cities: 'Tampa',
			keepUnlocated: "={{ $fromAI('Keep', '', 'string', '') }}",
		});
		expect(ids(ran)).toEqual([license().id]);
	});
});

describe('A list that holds fewer licenses than it announces', () => {
	const shortened = (...data: Array<[records: number, total: number]>) =>
		answerPages(
			...data.map(([count, total], at) => {
				const cursor = at === data.length - 1 ? null : `cursor-${at}`;
				const one = page(licenses(count, at * 50 + 1), cursor);
				return { ...one, pagination: { ...one.pagination, total } };
			}),
		);

	it('brings what there is, and says so above the output', async () => {
		shortened([50, 200], [10, 200]);
		const { items, hints } = await getMany({ returnAll: true });
		expect(items).toHaveLength(60);
		expect(hints).toEqual([
			expect.stringContaining('The service announced 200 licenses, but its list held 60.'),
		]);
	});

	it('says so where it is one of several', async () => {
		const short = {
			data: inCounty('Lee', licenses(3)),
			pagination: { cursor: null, hasMore: false, total: 4 },
		};
		answerPages(short, page(inCounty('Bay', licenses(2, 10))));
		const { items, hints } = await getMany({ returnAll: true, filters: { counties: 'Lee, Bay' } });
		expect(items).toHaveLength(5);
		expect(hints).toEqual([expect.stringContaining('announced 4 licenses, but its list held 3.')]);
	});

	it.each(['200', 200.5])('says nothing where it announces %j', async (total) => {
		answerPages({ data: licenses(2), pagination: { cursor: null, hasMore: false, total } });
		expect((await getMany({ returnAll: true })).hints).toEqual([]);
	});

	it('says nothing where all have come', async () => {
		shortened([50, 60], [10, 60]);
		expect((await getMany({ returnAll: true })).hints).toEqual([]);
	});

	it('says so where the total is another one at its end', async () => {
		shortened([50, 61], [10, 60]);
		const { items, hints } = await getMany({ returnAll: true });
		expect(items).toHaveLength(60);
		expect(hints).toEqual([
			expect.stringContaining('it had 61 licenses at the beginning, and 60 at the end.'),
		]);
	});

	it('says nothing where a limit was reached before', async () => {
		shortened([50, 200], [10, 200]);
		expect((await getMany({ limit: 55 })).hints).toEqual([]);
	});
});

describe('Get Many pages', () => {
	it('through everything where all is asked for', async () => {
		const asked = answerPages(
			page(licenses(50), 'second'),
			page(licenses(50, 51), 'third'),
			page(licenses(7, 101)),
		);
		const ran = await getMany({ returnAll: true });
		expect(ids(ran)).toEqual(licenses(107).map(({ id }) => id));
		expect(asked.map(({ query }) => query)).toEqual([
			{ limit: '50' },
			{ limit: '50', cursor: 'second' },
			{ limit: '50', cursor: 'third' },
		]);
	});

	it.each([
		[1, '1'],
		[49, '49'],
		[50, '50'],
		['={{ "25" }}', '25'],
	])('no further than a limit of %s, which one page holds', async (limit, asks) => {
		const asked = answerPages(page(licenses(Number(asks)), 'more'));
		expect((await getMany({ limit })).items).toHaveLength(Number(asks));
		expect(asked.map(({ query }) => query)).toEqual([{ limit: asks }]);
	});

	it.each([
		[51, 2],
		[100, 2],
		[101, 3],
		[150, 3],
	])('for a limit of %i in %i requests, and returns no record more', async (limit, requests) => {
		const cursors = ['b', 'c', 'd'];
		const asked = answerPages(
			...Array.from({ length: requests }, (_, at) => page(licenses(50, at * 50 + 1), cursors[at])),
		);
		expect((await getMany({ limit })).items).toHaveLength(limit);
		expect(asked).toHaveLength(requests);
	});

	it('on where a service gives fewer records a page than asked', async () => {
		answerPages(page(licenses(3), 'b'), page(licenses(2, 4), 'c'), page(licenses(3, 6)));
		expect(ids(await getMany({ limit: 7 }))).toEqual(licenses(7).map(({ id }) => id));
	});

	it('no further than asked where a service gives more records a page', async () => {
		answerPages(page(licenses(10), 'b'));
		expect((await getMany({ limit: 5 })).items).toHaveLength(5);
	});

	it('past an empty first page', async () => {
		answerPages(page([], 'b'), page(licenses(2)));
		expect((await getMany({})).items).toHaveLength(2);
	});

	it.each([0, 9999, -1, null, 'many', undefined])(
		'by what it gets, whatever the total says (%s)',
		async (total) => {
			const first = page(licenses(2), 'b');
			const pages = [
				{ ...first, pagination: { ...first.pagination, total } },
				page(licenses(1, 3)),
			];
			answerPages(...pages);
			expect((await getMany({ returnAll: true })).items).toHaveLength(3);
		},
	);

	it.each([
		['no hasMore and no cursor on a full page', { cursor: null }, 50],
		['hasMore false alone on a full page', { hasMore: false }, 50],
		['neither of both', {}],
		['hasMore null alone', { hasMore: null }],
		['a limit that is none', { limit: -1 }],
		['hasMore false beside a cursor', { cursor: 'more', hasMore: false }],
		['an empty cursor', { cursor: '' }],
	])('to an end at %s', async (_, pagination, count = 2) => {
		answerPages({ data: licenses(count), pagination });
		expect((await getMany({ returnAll: true })).items).toHaveLength(count);
	});

	it('on by a cursor alone', async () => {
		answerPages({ data: licenses(1), pagination: { cursor: 'b' } }, page(licenses(1, 2)));
		expect((await getMany({ returnAll: true })).items).toHaveLength(2);
	});

	it('drops what a filing in the meantime pushed onto the next page', async () => {
		answerPages(page(licenses(3), 'b'), page([...licenses(1, 3), ...licenses(2, 4)]));
		expect(ids(await getMany({ returnAll: true }))).toEqual(licenses(5).map(({ id }) => id));
	});

	it('brings both records of one number, and the same record once', async () => {
		const other = license({ legalName: 'Harbor Holdings LLC' });
		answerPages(page([license(), other], 'b'), page([license(), ...licenses(1)]));
		const { items } = await getMany({ returnAll: true });
		expect(items.map(({ json }) => json.legalName)).toEqual([
			license().legalName,
			other.legalName,
			license().legalName,
		]);
	});

	it.each([
		['no IDs', () => null],
		['numbers as IDs', (at: number) => at as unknown as string],
	])('brings each license once where they have %s', async (_, id) => {
		const named = (at: number) => license({ id: id(at), licenseNumber: `COP-${at}` });
		answerPages(page([named(1), named(2)], 'b'), page([named(2), named(3)]));
		const { items } = await getMany({ returnAll: true });
		expect(items.map(({ json }) => json.licenseNumber)).toEqual(['COP-1', 'COP-2', 'COP-3']);
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

	it.each([
		[
			'both days included',
			{ filedAfter: '2026-07-02', filedBefore: '2026-07-04' },
			['2026-07-04', '2026-07-03', '2026-07-02'],
		],
		['from a day on', { filedAfter: '2026-07-04' }, ['2026-07-05', '2026-07-04']],
		[
			'from a day with spaces around it on',
			{ filedAfter: ' 2026-07-04 ' },
			['2026-07-05', '2026-07-04'],
		],
		[
			'by what the date picker gives',
			{ filedAfter: '2026-07-04T00:00:00' },
			['2026-07-05', '2026-07-04'],
		],
		[
			'by a moment late in the day',
			{ filedAfter: '2026-07-04T23:59:00.000-04:00' },
			['2026-07-05', '2026-07-04'],
		],
		[
			'by a calculated date',
			{ filedAfter: '={{ DateTime.fromISO("2026-07-11").minus({ days: 7 }) }}' },
			['2026-07-05', '2026-07-04'],
		],
		[
			'by a Date',
			{ filedAfter: '={{ new Date("2026-07-04T00:00:00Z") }}' },
			['2026-07-05', '2026-07-04'],
		],
	])('give %s', async (_, window, days) => {
		answerPages(
			page(filed('2026-07-05', '2026-07-04', '2026-07-03', '2026-07-02', '2026-07-01', null)),
		);
		expect(ids(await filtered(window, { returnAll: true }))).toEqual(days);
	});

	it('send nothing that the service does not document', async () => {
		const asked = answerPages(page([]));
		await filtered({ filedAfter: '2026-07-01', filedBefore: '2026-07-31' }, { limit: 3 });
		expect(asked[0]?.query).toEqual({ limit: '50' });
	});

	/** Filed after its event: such a list is not in the order that an early end relies on. */
	const filedLater = [license({ filedDate: '2026-06-20', eventTimestamp: '2026-06-01T12:00:00Z' })];

	it('understand a filed date that has a time', async () => {
		answerPages(page([license({ filedDate: '2026-07-03T23:00:00Z' })]));
		expect((await filtered({ filedBefore: '2026-07-03' })).items).toHaveLength(1);
	});

	it('end early at a page that lies behind the window as a whole', async () => {
		const asked = answerPages(
			page(filed('2026-07-05', '2026-07-04'), 'b'),
			page(filed('2026-06-02', '2026-06-01'), 'c'),
		);
		const ran = await filtered({ filedAfter: '2026-07-01' }, { returnAll: true });
		expect(ids(ran)).toEqual(['2026-07-05', '2026-07-04']);
		expect(asked).toHaveLength(2);
	});

	it('read on where one page is not in the order of the one before', async () => {
		const asked = answerPages(
			page(filed('2026-07-05', '2026-05-01'), 'b'),
			page(filed('2026-06-01'), 'c'),
			page(filed('2026-07-02')),
		);
		const ran = await filtered({ filedAfter: '2026-07-01' }, { returnAll: true });
		expect(ids(ran)).toEqual(['2026-07-05', '2026-07-02']);
		expect(asked).toHaveLength(3);
	});

	it.each(['', 'unknown', null])(
		'leave out a license whose filed date is %j',
		async (filedDate) => {
			answerPages(page([license({ filedDate })]));
			expect((await filtered({ filedBefore: '2026-07-03' })).items).toEqual([]);
		},
	);

	it('end as soon as the limit is reached', async () => {
		const asked = answerPages(page(filed('2026-07-05', '2026-07-04', '2026-07-03'), 'b'));
		const ran = await filtered({ filedAfter: '2026-07-01' }, { limit: 2 });
		expect(ids(ran)).toEqual(['2026-07-05', '2026-07-04']);
		expect(asked).toHaveLength(1);
	});

	it.each([
		[
			'a renewal today of a license filed years ago',
			[license({ filedDate: '2019-01-01', eventTimestamp: '2026-07-05T12:00:00Z' })],
		],
		[
			'an old event of a license filed lately',
			[license({ filedDate: '2026-07-05', eventTimestamp: '2019-01-01T12:00:00Z' })],
		],
		['a record without a filed date', filed('2026-06-01', null)],
		['a date that is none', [license({ filedDate: 'unknown', eventTimestamp: 'unknown' })]],
		['a page that is not newest first', filed('2026-06-01', '2026-06-02')],
		['a page a day before the window, for the sake of time zones', filed('2026-06-30')],
		['an empty page', []],
		['a list that holds a license filed after its event', [...filed('2026-06-02'), ...filedLater]],
	])('read on past %s', async (_, records) => {
		const asked = answerPages(
			page(records, 'b'),
			page([license({ id: 'wanted', filedDate: '2026-07-02' })]),
		);
		const ran = await filtered({ filedAfter: '2026-07-01' }, { returnAll: true });
		expect(ids(ran)).toContain('wanted');
		expect(asked).toHaveLength(2);
	});

	it('read all of it where only the newest end is bounded', async () => {
		const asked = answerPages(
			page(filed('2026-07-05'), 'b'),
			page(filed('2020-01-01'), 'c'),
			page([]),
		);
		expect(ids(await filtered({ filedBefore: '2026-01-01' }, { returnAll: true }))).toEqual([
			'2020-01-01',
		]);
		expect(asked).toHaveLength(3);
	});
});
