import type { IDataObject } from 'n8n-workflow';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { WaitAllowance } from '../../nodes/LicensingData/service/waitAllowance.ts';
import { answerPages, CREDENTIALS, useAnswers } from '../support/answers.mts';
import type { RunOptions } from '../support/host.mts';
import { ids, pollerOf, runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

const getMany = (parameters: IDataObject, more?: Partial<RunOptions>) =>
	runLicense({ operation: 'getAll', ...parameters }, more);
const filtered = (filters: IDataObject, more: IDataObject = {}) => getMany({ filters, ...more });

describe('Get Many asks the service', () => {
	it('by everything at once, in single lines of whole characters, and by nothing empty', async () => {
		const asked = answerPages(page(inCounty('Lee', licenses(1))), page([]));
		const [status, query] = [' Act\u200Bive ', 'two\n\u200Blines & \ud83c'];
		const kinds = { licenseTypes: 'COP', eventTypes: 'new_filing' };
		expect((await filtered({ counties: 'Lee', status, query, ...kinds })).error).toBeUndefined();
		const all = { county: 'Lee', status: 'active', q: 'two lines &', limit: '50' };
		const codes = { license_type: 'COP', event_type: 'new_filing' };
		expect(asked).toEqual([{ path: '/v1/licenses', query: { ...all, ...codes } }]);
		await filtered({ counties: '', licenseTypes: '', eventTypes: '', status: ' ', query: ' , ;' });
		expect(asked[1]?.query).toEqual({ limit: '50' });
	});

	it.each([
		['counties', 'Counties'],
		['query', 'Free Text'],
	])('not where an expression in a filter gives nothing: %s', async (name, label) => {
		const { error } = await filtered({ [name]: '={{ $json.missing }}' });
		expect(error?.message).toBe(`'${label}' is empty: its expression returns nothing`);
		expect(error?.description).toContain('remove the filter');
	});

	it("for as many pages at once as 'Parallel Requests' allows", async () => {
		const open = vi.spyOn(WaitAllowance.prototype, 'open');
		answerPages(page([]), page([]));
		await getMany({ options: { parallelRequests: 7 } });
		await getMany({});
		// Without the option, it begins with a few.
		expect(open.mock.calls).toEqual([[7], [undefined]]);
		open.mockRestore();
	});

	it('for everything where a model leaves a filter out', async () => {
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

describe('Get Many reads', () => {
	it.each([1, 50, '={{ "50" }}'])('no further than a limit of %s', async (limit) => {
		const most = limit === 1 ? 1 : 50;
		const asked = answerPages(page(licenses(most), 'more'));
		expect((await getMany({ limit })).items).toHaveLength(most);
		expect(asked.map(({ query }) => query)).toEqual([{ limit: String(most) }]);
	});

	it('both records of one number, and the same record once', async () => {
		const other = license({ legalName: 'Harbor Holdings LLC' });
		answerPages(page([license(), other], 'b'), page([license()]));
		const { items } = await getMany({ returnAll: true });
		expect(items.map(({ json }) => json)).toEqual([license(), other]);
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

	const filed = (...days: Array<string | null>) =>
		days.map((day) => license({ id: day ?? 'undated', filedDate: day, eventTimestamp: day }));

	const LATE = ['2026-07-05', '2026-07-04'];

	it.each([
		[{ filedAfter: '2026-07-02', filedBefore: '2026-07-04' }, ['2026-07-04', '2026-07-02']],
		[{ filedAfter: '={{ DateTime.fromISO("2026-07-11").minus({ days: 7 }) }}' }, LATE],
		// In New York, where n8n's workflows are unless they say otherwise, it is still the fourth.
		[{ filedAfter: '={{ new Date("2026-07-05T01:00:00Z") }}' }, LATE],
	])('what was filed on the days that are given, or between: %j', async (window, days) => {
		answerPages(page(filed(...LATE, '2026-07-02', '2026-07-01', null)));
		expect(ids(await filtered(window, { returnAll: true }))).toEqual(days);
	});

	const EARLY = { filedAfter: '2026-07-01', eventTypes: 'new_filing' };

	it('no further than a page that was filed before those days', async () => {
		answerPages(page(filed(...LATE), 'b'), page(filed('2026-06-02', '2026-06-01'), 'c'));
		expect(ids(await filtered(EARLY, { returnAll: true }))).toEqual(LATE);
	});

	it.each([
		['a page out of order', [filed('2026-07-05', '2026-05-01'), filed('2026-06-01')]],
		['a page that is not newest first', [filed('2026-06-01', '2026-06-02')]],
		['a record without a date', [filed('2026-06-01', null)]],
	])('on past %s', async (_, pages) => {
		const last = page(filed('2026-07-02'));
		answerPages(...pages.map((records, at) => page(records, `c${at}`)), last);
		expect(ids(await filtered(EARLY, { returnAll: true }))).toContain('2026-07-02');
	});
});

const byCounty = (counties: string[], continueOnFail = false) =>
	getMany(
		{ filters: { counties: '={{ $json.county }}' }, returnAll: true },
		{ items: counties.map((county) => ({ county })), continueOnFail },
	);

const named = (id: string, county = 'Lee') => page(inCounty(county, [license({ id })]));

describe('Several items', () => {
	it('are run in order, and who asks the same gets a copy of one answer', async () => {
		const asked = answerPages(named('lic_lee'), named('lic_bay', 'Bay'));
		const { items } = await byCounty(['Lee', 'Bay', 'lee county']);
		expect(asked.map(({ query }) => query.county)).toEqual(['Lee', 'Bay']);
		expect(items.map(({ json }) => json.id)).toEqual(['lic_lee', 'lic_bay', 'lic_lee']);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2].map((item) => ({ item })));
		expect(items[2]?.json).toEqual(items[0]?.json);
		expect(items[2]?.json.address).not.toBe(items[0]?.json.address);
	});

	it('may choose another output for the same records', async () => {
		answerPages(named('lic_lee'), named('lic_lee'));
		const items = [{ output: 'crmLead' }, { output: 'simplified' }];
		const ran = await getMany({ output: '={{ $json.output }}' }, { items });
		expect(ran.items.map(({ json }) => Object.keys(json)[0])).toEqual(['company', 'businessName']);
	});

	it('go on after a failure if told to, which is one item, asked for once', async () => {
		const bay = page(inCounty('Bay', licenses(50)), 'b');
		answerPages(named('lic_lee'), bay, [409, {}], named('lic_clay', 'Clay'));
		const { items, error } = await byCounty(['Lee', 'Bay', 'Fulton', 'Clay', 'Bay'], true);
		expect(error).toBeUndefined();
		const refused = 'The service did not accept the request (HTTP 409)';
		const outcomes = [
			...['lic_lee', `${refused} [item 1]`],
			"'Counties' has a value that is not in its list: Fulton [item 2]",
			...['lic_clay', `${refused} [item 4]`],
		];
		expect(items.map(({ json }) => json.id ?? json.error)).toEqual(outcomes);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			outcomes.map((_, item) => ({ item })),
		);
		expect(items[1]?.json.message).toContain('Check the filters and values');
	});
});

describe('A record is a license', () => {
	it('with a number and a name, or with an ID and a place', async () => {
		const records: License[] = [
			{ licenseNumber: 10001 as never, businessName: 'O' },
			{ id: 'lic_1', address: { city: 'Tampa' } },
		];
		answerPages(page(records));
		expect((await getMany({})).items.map(({ json }) => json)).toEqual(records);
	});

	it('or the polling trigger leaves out this one, and names it', async () => {
		const added = license({ id: 'lic_2', licenseNumber: 'COP-2' });
		answerPages(page([license()]), page([added, { id: 'lic_1' }, license()]));
		const poller = pollerOf(CREDENTIALS);
		await poller.activate();
		expect((await poller.poll()).map(({ id }) => id)).toEqual(['lic_2']);
		expect(poller.warnings.join()).toContain('Record 2 of 3 (lic_1) should be a license, but');
	});
});
