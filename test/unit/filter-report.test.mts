import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { answerPages, useAnswers } from '../support/answers.mts';
import { nodeOf, workflowOf } from '../support/host.mts';
import { runLicense } from '../support/nodes.mts';
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

	it.each<[filters: IDataObject, records: License[], said: string]>([
		[{}, [], "The service's list is empty."],
		[{ status: 'closed' }, [], "The service has no license that matches 'Status'."],
		[
			{ counties: 'Lee', licenseTypes: 'COP', query: 'zebra' },
			[],
			"The service has no license that matches 'Counties', 'Free Text' and 'License Types' together.",
		],
		[
			{ cities: 'Tampa', filedAfter: '2027-01-01' },
			RECORDS,
			"3 licenses were read, and none matches 'Filed On or After'.",
		],
		[
			{ cities: 'Orlando', zipCodes: '33602', onlyWithAddress: true },
			RECORDS,
			"3 licenses were read, and none matches 'Cities' or 'Only With an Address'.",
		],
		[
			{ cities: 'Miami', filedAfter: '2026-07-01' },
			RECORDS,
			"3 licenses were read, and none matches all of 'Cities' and 'Filed On or After'.",
		],
	])('which filters let nothing through: %j', async (filters, records, said) => {
		answerPages(page(records), page(records));
		expect(await hintsOf(filters)).toEqual([said]);
		expect(await hintsOf(filters, { operation: 'count' })).toContain(said);
	});

	it('in which county the city is', async () => {
		answerPages(page(inCounty('Broward', licenses(2))));
		const [said] = await hintsOf({ cities: 'Miami', counties: 'Broward' });
		expect(said).toMatch(/^2 licenses were read, and none matches 'Cities'\./);
		expect(said).toMatch(/Miami is in Miami-Dade, which is not among your 'Counties'\.$/);
	});
});

describe('What a filter by place costs', () => {
	const BY_CITY = expect.stringMatching(
		/^This took 30 requests, because the service does not filter by 'Cities'.*'Counties'/,
	);

	it.each<[string, number, IDataObject, unknown[]]>([
		['said where nothing came', 30, { cities: 'Miami' }, [expect.any(String), BY_CITY]],
		['said where something came', 30, { cities: 'Tampa' }, [BY_CITY]],
		['not said of a list of few pages', 3, { cities: 'Tampa' }, []],
		['not said where a county is chosen', 30, { cities: 'Tampa', counties: 'Hillsborough' }, []],
	])('is %s', async (_, pages, filters, said) => {
		answerPages(
			...Array.from({ length: pages }, (_, at) => ({
				data: licenses(50, at * 50),
				pagination: { cursor: at === pages - 1 ? null : `page-${at}` },
			})),
		);
		expect(await hintsOf(filters, { options: { parallelRequests: 1 } })).toEqual(said);
	});

	it.each<[boolean, string, IDataObject]>([
		[true, 'getAll', { cities: 'Tampa' }],
		[true, 'export', { zipCodes: '336*' }],
		[true, 'count', { near: { area: { center: 'Tampa', radius: 25 } }, counties: [] }],
		[false, 'getAll', { near: { area: { center: '', radius: 25 } } }],
		[false, 'getAll', { cities: 'Tampa', counties: ['Hillsborough'] }],
		[false, 'search', { cities: 'Tampa' }],
	])('is said before a run: %s for %s with %o', (expected, operation, filters) => {
		const nodeType = new LicensingData();
		const node = nodeOf(nodeType, { resource: 'license', operation, filters });
		const { expression } = workflowOf(nodeType, node);
		const [hint] = (nodeType.description.hints ?? []).filter(({ message }) =>
			message.includes("cannot filter by 'Cities'"),
		);
		const condition = hint?.displayCondition;
		const isShown = expression.getSimpleParameterValue(node, condition, 'internal', {});
		expect(Boolean(isShown)).toBe(expected);
	});
});
