import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import { answerPages, useAnswers } from '../support/answers.mts';
import { nodeOf, workflowOf } from '../support/host.mts';
import { runLicense } from '../support/nodes.mts';
import { inCounty, license, licenses, page } from '../support/records.mts';

useAnswers();

const hintsOf = async (filters: IDataObject, more: IDataObject = {}) =>
	(await runLicense({ operation: 'getAll', returnAll: true, filters, ...more })).hints;

const BESIDE = { operation: 'count', returnAll: undefined };

describe('An empty result says', () => {
	it.each([
		['that the list is empty', {}, "The service's list is empty."],
		[
			'which filter the service finds nothing for',
			{ status: 'closed' },
			"The service has no license that matches 'Status'.",
		],
		[
			'which filters leave nothing together at the service',
			{ counties: 'Lee', licenseTypes: 'COP', query: 'zebra' },
			"The service has no license that matches 'Counties', 'Free Text' and 'License Types' together.",
		],
	])('%s', async (_, filters, said) => {
		answerPages(page([]));
		expect(await hintsOf(filters)).toEqual([said]);
	});

	const RECORDS = [
		license({ id: 'a', filedDate: '2026-07-03', address: { city: 'Tampa', zip: '33602' } }),
		license({ id: 'b', filedDate: '2026-09-20', address: { city: 'Tampa', zip: '33602' } }),
		license({ id: 'c', filedDate: '2026-01-02', address: { city: 'Miami', zip: '33101' } }),
	];

	it.each([
		[{ cities: 'Orlando' }, "3 licenses were read, and none matches 'Cities'."],
		[
			{ cities: 'Tampa', filedAfter: '2027-01-01' },
			"3 licenses were read, and none matches 'Filed On or After'.",
		],
		[
			{ cities: 'Orlando', zipCodes: '33602', onlyWithAddress: true },
			"3 licenses were read, and none matches 'Cities' or 'Only With an Address'.",
		],
		[
			{ happenedBefore: '2020-01-01' },
			"3 licenses were read, and none matches 'Happened On or Before'.",
		],
		[
			{ cities: 'Miami', filedAfter: '2026-07-01' },
			"3 licenses were read, and none matches all of 'Cities' and 'Filed On or After'.",
		],
	])('which filter let nothing through: %o', async (filters, said) => {
		answerPages(page(RECORDS));
		expect(await hintsOf(filters)).toEqual([said]);
	});

	it('in which county the city is', async () => {
		answerPages(page(inCounty('Broward', licenses(2))));
		const [said] = await hintsOf({ cities: 'Miami', counties: 'Broward' });
		expect(said).toMatch(/^2 licenses were read, and none matches 'Cities'\./);
		expect(said).toMatch(/Miami is in Miami-Dade, which is not among your 'Counties'\.$/);
	});

	it('the same where licenses are counted', async () => {
		answerPages(page(RECORDS));
		expect(await hintsOf({ cities: 'Orlando' }, BESIDE)).toContain(
			"3 licenses were read, and none matches 'Cities'.",
		);
	});

	it('nothing where there is a result', async () => {
		answerPages(page(RECORDS));
		expect(await hintsOf({ cities: 'Tampa' })).toEqual([]);
	});
});

describe('What a filter by place costs', () => {
	const COST = "the service does not filter by 'Cities'";

	/** A list of this many full pages. */
	const answerLong = (pages: number) =>
		answerPages(
			...Array.from({ length: pages }, (_, at) => ({
				data: licenses(50, at * 50),
				pagination: { cursor: at === pages - 1 ? null : `page-${at}` },
			})),
		);

	it.each([
		['nothing came', 'Miami'],
		['something came', 'Tampa'],
	])('is said, with what helps, where %s', async (_, cities) => {
		answerLong(30);
		const hints = await hintsOf({ cities }, { options: { parallelRequests: 1 } });
		expect(hints).toContainEqual(
			expect.stringMatching(new RegExp(`^This took 30 requests, because ${COST}.*'Counties'`)),
		);
	});

	it('is not said of a list of few pages', async () => {
		answerLong(3);
		expect(await hintsOf({ cities: 'Tampa' })).toEqual([]);
	});

	it('is not said where a county is chosen', async () => {
		answerLong(30);
		const filters = { cities: 'Tampa', counties: 'Hillsborough' };
		expect(await hintsOf(filters, { options: { parallelRequests: 1 } })).toEqual([]);
	});

	const isShown = (parameters: IDataObject): boolean[] => {
		const nodeType = new LicensingData();
		const node = nodeOf(nodeType, { resource: 'license', ...parameters });
		const { expression } = workflowOf(nodeType, node);
		return (nodeType.description.hints ?? [])
			.filter(({ message }) => message.includes("cannot filter by 'Cities'"))
			.map(({ displayCondition }) =>
				Boolean(expression.getSimpleParameterValue(node, displayCondition, 'internal', {})),
			);
	};
	const near = (center: string) => ({ area: { center, radius: 25 } });

	it.each<[boolean, string, IDataObject]>([
		[true, 'getAll', { cities: 'Tampa' }],
		[true, 'export', { zipCodes: '336*' }],
		[true, 'count', { near: near('Tampa'), counties: [] }],
		[false, 'getAll', { near: near('') }],
		[false, 'getAll', { cities: 'Tampa', counties: ['Hillsborough'] }],
		[false, 'getAll', { status: ['active'] }],
		[false, 'search', { cities: 'Tampa' }],
	])('is said before a run: %s for %s with %o', (expected, operation, filters) => {
		expect(isShown({ operation, filters })).toEqual([expected]);
	});
});
