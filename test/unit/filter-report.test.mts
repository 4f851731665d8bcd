import type { IDataObject } from 'n8n-workflow';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { answer, answerPages, useAnswers } from '../support/answers.mts';
import { evaluated } from '../support/host.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

const hintsOf = async (filters: IDataObject, more: IDataObject = {}) =>
	(await runLicense({ operation: 'getAll', returnAll: true, filters, ...more })).hints;

describe('An empty result says', () => {
	const RECORDS = [
		license({ id: 'a', filedDate: '2026-07-03', address: { city: 'Tampa', zip: '33602' } }),
		license({ id: 'b', filedDate: '2026-09-20', address: { city: 'Tampa', zip: '33602' } }),
		license({ id: 'c', filedDate: '2026-01-02', address: { city: 'Miami', zip: '33101' } }),
	];

	const NONE = 'The service has no license that matches';
	const READ = '3 licenses were read, and none matches';
	const [FILED, ADDRESS] = ["'Filed On or After'", "'Only With an Address'"];

	it.each<[filters: IDataObject, records: License[], said: string]>([
		[{}, [], "The service's list is empty."],
		[{ status: 'closed' }, [], `${NONE} 'Status'.`],
		[{ counties: 'Lee', query: 'zebra' }, [], `${NONE} 'Counties' and 'Free Text' together.`],
		[
			{ filedAfter: '2999-01-01' },
			RECORDS,
			`${READ} 'Filed On or After'. 2999-01-01 is in the future.`,
		],
		[{ status: 'aktive' }, [], `${NONE} 'Status'. Did you mean Active?`],
		[{ cities: 'Orlando', onlyWithAddress: true }, RECORDS, `${READ} 'Cities' or ${ADDRESS}.`],
		[
			{ cities: 'Miami', filedAfter: '2026-07-01' },
			RECORDS,
			`${READ} all of 'Cities' and ${FILED}.`,
		],
	])('which filters let nothing through: %j', async (filters, records, said) => {
		answerPages(page(records), page(records));
		expect(await hintsOf(filters)).toEqual([said]);
		expect(await hintsOf(filters, { operation: 'count' })).toContain(said);
	});

	it('in which county the city is', async () => {
		answerPages(page(inCounty('Broward', licenses(1))));
		const said = "Miami is in Miami-Dade, which is not among your 'Counties'.";
		const hints = await hintsOf({ cities: 'Miami', counties: 'Broward' });
		expect(hints).toEqual([`1 license was read, and none matches 'Cities'. ${said}`]);
		answerPages(page(inCounty('Hillsborough', licenses(1))));
		const ofSome = await hintsOf({ cities: 'Tampa, Miami', counties: 'Hillsborough' });
		expect(ofSome).toEqual([expect.stringContaining('Miami is in Miami-Dade')]);
	});
});

describe('A service that ignores a filter', () => {
	const IGNORES = 'It ignores this filter, at least for some licenses.';
	const lee = inCounty('Lee', licenses(10, 100));

	it.each([
		['Counties', { counties: 'Lee' }, lee],
		['License Types', { licenseTypes: 'SEATING' }, [license({ licenseType: 'SEATING' })]],
		['Events', { eventTypes: 'renewal' }, [license({ eventType: 'Renewal' })]],
		['Status', { status: 'pending' }, [license({ status: 'PENDING' })]],
	])('by %s is found out: what does not match is left out', async (label, filters, right) => {
		answerPages(page([...licenses(40), ...right]));
		const { items, hints } = await runLicense({ operation: 'getAll', returnAll: true, filters });
		expect(items.map(({ json }) => json)).toEqual(right);
		const sent = `Left out 40 of the ${40 + right.length} licenses that the service sent`;
		expect(hints).toEqual([`${sent}, which do not match '${label}'. ${IGNORES}`]);
	});

	it.each<[filters: IDataObject, record: License]>([
		[{ counties: 'Lee' }, license({ address: null })],
		// A few businesses of most ZIP codes are in another county than all others.
		[{ counties: 'Lee' }, license({ address: { county: 'Out of State', zip: '33602' } })],
		[{ counties: 'Miami-Dade' }, license({ address: { county: 'DADE CO.', zip: '33602' } })],
		[{ licenseTypes: 'SRX' }, license({ licenseType: 'Quota' })],
		[{ licenseTypes: 'FOOD_SERVICE' }, license({ licenseType: 'Food Service With Seating' })],
		[{ eventTypes: 'renewal' }, license({ eventType: 'renewed' })],
		[{ status: 'past due' }, license({ status: 'active' })],
	])('is not suspected of a record in other words: %j', async (filters, record) => {
		answerPages(page([record]));
		const { items, hints } = await runLicense({ operation: 'getAll', filters });
		expect([items.length, hints]).toEqual([1, []]);
	});

	it('is asked for twenty pages in vain, if there is a limit', async () => {
		const pages = Array.from({ length: 20 }, (_, at) => page(licenses(5, at * 5), `page-${at}`));
		const asked = answerPages(page([...licenses(4, 200), ...lee.slice(0, 1)], 'first'), ...pages);
		const filters = { counties: 'Lee' };
		const { items, hints } = await runLicense({ operation: 'getAll', filters, limit: 5 });
		expect([items.length, asked.length]).toEqual([1, 21]);
		const said = /^Left out 104 of the 105 licenses .*'Counties'.* was not read to its end/;
		expect(hints).toEqual([expect.stringMatching(said)]);
	});

	it('is found out by Search as well, which brings nothing twice', async () => {
		const all = { data: [...licenses(40), ...lee.slice(0, 1)] };
		answer('/licenses/search', all, all);
		const filters = { counties: 'Lee, Bay' };
		const ran = await runLicense({ operation: 'search', query: 'anchor', filters });
		expect(ids(ran)).toEqual(['lic_100']);
		expect(ran.hints).toEqual([expect.stringMatching(/^Left out 80 of the 82 .*'Counties'/)]);
	});
});

describe('What a filter by place costs', () => {
	const COST = "This took 30 requests, because the service does not filter by 'Cities'";
	const BY_CITY = expect.stringContaining(COST);

	it.each<[string, number, IDataObject, unknown[]]>([
		['said where nothing came', 30, { cities: 'Miami' }, [expect.any(String), BY_CITY]],
		['said where something came', 30, { cities: 'Tampa' }, [BY_CITY]],
		['not said of a list of few pages', 3, { cities: 'Tampa' }, []],
		['not said where a county is chosen', 30, { cities: 'Tampa', counties: 'Hillsborough' }, []],
	])('is %s', async (_, pages, filters, said) => {
		for (let at = 1; at <= pages; at++)
			answerPages(page(licenses(50, at * 50), at < pages ? `page-${at}` : null));
		expect(await hintsOf(filters, { options: { parallelRequests: 1 } })).toEqual(said);
	});

	const CITY = "cannot filter by 'Cities'";

	it.each<[isSaid: boolean, words: string, operation: string, IDataObject, more?: IDataObject]>([
		[true, 'Count reads', 'count', { filedAfter: '2026-11-01' }],
		[true, 'Count reads', 'count', { counties: ['Lee'] }, { groupBy: 'county, filingKind' }],
		[false, 'Count reads', 'count', { filingKinds: [] }, { groupBy: ['county'] }],
		[true, CITY, 'getAll', { cities: 'Tampa' }],
		[true, CITY, 'export', { zipCodes: '336*' }],
		[true, CITY, 'count', { near: { area: { center: 'Tampa', radius: 25 } }, counties: [] }],
		[false, CITY, 'getAll', { cities: 'Tampa', counties: ['Hillsborough'] }],
		[false, CITY, 'search', { cities: 'Tampa' }],
	])('is said before a run: %s, "%s" for %s with %j', (isSaid, words, operation, filters, more) => {
		const hints = hintsBefore({ operation, filters, ...more });
		expect(hints.some((message) => message.includes(words))).toBe(isSaid);
	});

	/** What the editor shows of a node before it runs. */
	function hintsBefore(parameters: IDataObject): string[] {
		const nodeType = new LicensingData();
		const given = { resource: 'license', ...parameters };
		return (nodeType.description.hints ?? []).flatMap(({ message, displayCondition }) =>
			evaluated(nodeType, given, displayCondition) ? message : [],
		);
	}
});
