import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { rank, searchesFor, type Business } from '../../nodes/LicensingData/match/ranking.ts';
import { answer, useAnswers, type Asked } from '../support/answers.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { license, page } from '../support/records.mts';

useAnswers();

const RUSTY = { name: 'The Rusty Anchor', street: '100 Bay Street', city: 'Tampa', zip: '33602' };

/** How well the record that every test knows matches a business. */
const fit = (business: Partial<Business>, more: License = {}) =>
	rank({ ...RUSTY, ...business }, [license(more)])[0];

const at = (address: License['address']) => ({ address: { ...license().address, ...address } });

describe('How well a license fits a business', () => {
	it.each([
		['the same', {}, {}],
		['an abbreviated street', { street: '100 BAY ST.' }, {}],
		['a missing suite', {}, at({ street: '100 Bay St, Suite 12' })],
		[
			'a missing article and an apostrophe',
			{ name: "Rusty's Anchor" },
			{ dbaName: 'Rustys Anchor' },
		],
		['the legal name', { name: 'RUSTY ANCHOR HOLDINGS, L.L.C.' }, {}],
		['a slip of the keys', { name: 'The Rusyt Anchor' }, {}],
		['a word in two', { name: 'Sea Side Grill' }, { businessName: 'Seaside Grille' }],
		['the article behind', { name: 'The Lantern' }, { businessName: 'Lantern (The)' }],
		['one of two names', { name: 'Harbor Cafe' }, { businessName: 'Marlas/Harbor Cafe' }],
		[
			'accents that were broken twice',
			{ name: 'Café Olé', street: undefined },
			{ businessName: 'CafÃ\u0083Â© OlÃ\u0083Â©', dbaName: null, legalName: null },
		],
		['initials', { name: 'J.R. Oyster', street: undefined }, { businessName: 'JR Oyster' }],
		[
			'a city with its county before it',
			{ zip: undefined, city: 'Miami' },
			at({ city: 'MD MIAMI' }),
		],
		[
			'a ZIP code that is no longer in use',
			{ zip: '33755', city: undefined },
			at({ zip: '34620', city: 'Clearwater' }),
		],
		['another unit', { street: '100 Bay St #4' }, at({ street: '100 Bay St #5' })],
		['a name that grew', { name: 'The Rusty Anchor Bar & Grill' }, {}],
		['a move within the city', { street: '900 Oak Avenue', zip: '33605' }, {}],
		['a slip in the street', { street: '100 Palmteto Street' }, at({ street: '100 Palmetto St' })],
	])('is enough with %s', (_, business, more) => {
		expect(fit(business, more)?.score).toBeGreaterThanOrEqual(0.8);
	});

	it.each([
		['another name at the same address', { name: 'Blue Heron Sushi' }, {}],
		[
			'a name that shares only common words',
			{ name: 'Corner Bar & Grill' },
			{ businessName: 'Harbor Bar & Grill' },
		],
		['the same name in another city', { street: undefined, city: 'Miami', zip: undefined }, {}],
		[
			'a similar name in another street',
			{ name: 'The Rusyt Anchor', street: '900 Oak Avenue' },
			{},
		],
		['the same name and nothing else', { street: undefined, city: undefined, zip: undefined }, {}],
		[
			'a similar name in another unit',
			{ name: 'Rusty Nail Tiki', street: '100 Bay St #4' },
			{ businessName: 'Rusty Nail Thai', ...at({ street: '100 Bay St #5' }) },
		],
		[
			'the legal name at another address',
			{ name: 'Rusty Anchor Holdings LLC', street: '900 Oak Avenue' },
			{},
		],
		['a record without names', {}, { businessName: null, dbaName: null, legalName: 7 as never }],
		[
			'a record with no letter in its name',
			{},
			{ businessName: '***', dbaName: null, legalName: null },
		],
		['a record without an address', {}, { address: null }],
	])('is not enough with %s', (_, business, more) => {
		expect(fit(business, more)?.score).toBeLessThan(0.8);
	});

	it('is 1 for the same name and address', () => {
		expect(fit({})).toMatchObject({ score: 1, reason: 'same name, same address' });
	});

	it.each([
		[{ name: 'The Rusyt Anchor' }, {}, 'similar name, same address'],
		[
			{ street: '100 Bay St #4' },
			at({ street: '100 Bay St #5' }),
			'same name, same address, another unit',
		],
		[{ street: '7 Oak St' }, {}, 'same name, same ZIP code, another address'],
		[{ street: undefined, zip: undefined }, {}, 'same name, same city, street unknown'],
		[{ name: 'Blue Heron' }, {}, 'another name, same address'],
	])('says why: %j', (business, more, reason) => {
		expect(fit(business, more)?.reason).toBe(reason);
	});

	const branch = (id: string, street: string, businessName = 'The Rusty Anchor') =>
		license({ id, businessName, dbaName: null, legalName: null, ...at({ street }) });
	const branches = [branch('lic_1', '1 Oak St'), branch('lic_2', '2 Elm St')];

	it.each<[what: string, licenses: License[], isEnough: boolean]>([
		['several venues that fit equally well are not enough', branches, false],
		[
			'nor is one beside them that fits less well',
			[...branches, branch('lic_3', '3 Ash St', 'The Rusty Anchr')],
			false,
		],
		['one of them alone is enough', branches.slice(1), true],
		[
			'two licenses of one venue are enough',
			[license({ id: 'lic_1' }), license({ id: 'lic_2', licenseType: 'FOOD_SERVICE' })],
			true,
		],
	])('is told without a street: %s', (_, licenses, isEnough) => {
		const matches = rank({ ...RUSTY, street: undefined }, licenses);
		expect(matches.map(({ license: { id }, score }) => [id, score >= 0.8])).toEqual(
			licenses.map(({ id }) => [id, isEnough]),
		);
	});

	it('trusts the right door, though the right name stands elsewhere', () => {
		const name = 'Rusty Anchor Marina Fuel Dock Shop';
		const other = license({ id: 'lic_2', businessName: name, ...at({ street: '9 Oak St' }) });
		const [best] = rank({ ...RUSTY, name }, [other, license()]);
		expect(best?.license.id).toBe('lic_8f3k2m');
		expect(best?.score).toBeGreaterThanOrEqual(0.8);
	});
});

describe('What the service is searched for', () => {
	it.each([
		['The Rusty Anchor', 'Rusty Anchor', ['anchor', 'rusty']],
		['The Lantern', 'Lantern', ['lant', 'the']],
		["Joe's Pizzeria", "Joe's Pizzeria", ['joe', 'pizzeria']],
		['Salt & Pepper Cafe', 'Pepper Cafe', ['pepper', 'salt']],
		['Bar & Grill (Oyster)', 'Grill Oyster', ['oys', 'bar']],
		['Café Olé', 'Café Olé', ['ole', 'cafe']],
		['!!!', '', []],
	])('%s', (name, phrase, words) => {
		expect(searchesFor({ name })).toMatchObject({ phrase, words });
	});

	it.each([
		['12340 SW 99th Street, Bay 601', ['12340', '12340 sw 99']],
		['8801-8803 South Dixie Highway', ['8801']],
		['7 King Street', ['7 king']],
		['100 North Main Street', ['100 n main']],
		['45 N.W. 8th St', ['45 nw 8']],
		['19 1/2 King St', ['19 1']],
		['12 Saint George St', ['12']],
		['Pier 60', []],
	])('for what stands at %s', (street, streets) => {
		expect(searchesFor({ name: 'Rusty Anchor', street }).streets).toEqual(streets);
	});

	it.each([
		['the county of the ZIP code', { zip: '32084-1234', city: 'Tampa' }, 'St. Johns'],
		['the county of the city, however it is written', { city: 'ST AUGUSTINE' }, 'St. Johns'],
		['the county that most of the city is in', { city: 'Orlando' }, 'Orange'],
		['the county around a city without ZIP codes', { city: 'Doral' }, 'Miami-Dade'],
		['all of Florida, where the city is unknown', { city: 'Nowhere Key' }, undefined],
	])('in %s', (_, place, county) => {
		expect(searchesFor({ name: 'Rusty Anchor', ...place }).county).toBe(county);
	});
});

describe('Match', () => {
	const match = (parameters: IDataObject, more: { items?: IDataObject[] } = {}) =>
		runLicense(
			{
				operation: 'match',
				businessName: RUSTY.name,
				street: RUSTY.street,
				city: RUSTY.city,
				zip: RUSTY.zip,
				adjustMatching: true,
				...parameters,
			},
			more,
		);

	it('brings the license that fits, and how well', async () => {
		const other = license({
			id: 'lic_9',
			businessName: 'Anchor Inn',
			dbaName: null,
			legalName: null,
		});
		const asked = answer('/licenses', page([other, license()]));
		const { items, error } = await match({ output: 'simplified' });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			licenseNumber: 'COP-2026-001234',
			matchScore: 1,
			matchReason: 'same name, same address',
		});
		expect(asked.map(({ query }) => query)).toEqual([{ q: 'Rusty Anchor', limit: '50' }]);
	});

	const heron = license({ businessName: 'Blue Heron', dbaName: null, legalName: null });
	const askedFor = (asked: Asked[]) => asked.map(({ query: { q, county } }) => [q, county]);

	it('asks at most four times, and brings nothing where nothing fits', async () => {
		const listed = answer('/licenses', page([heron]), { data: [heron] }, page([]));
		const searched = answer('/licenses/search', []);
		expect(await match({})).toMatchObject({ items: [], error: undefined });
		expect(askedFor(listed)).toEqual([
			['Rusty Anchor', undefined],
			['anchor', 'Hillsborough'],
			['rusty', 'Hillsborough'],
		]);
		expect(askedFor(searched)).toEqual([['100 bay', 'Hillsborough']]);
	});

	it.each([
		[
			'under a name that is spelled otherwise',
			{ businessName: "Rusti's Anchor", dbaName: null },
			'similar name',
		],
		[
			'under its legal name',
			{ businessName: 'Blue Heron', dbaName: null, legalName: 'The Rusty Anchor LLC' },
			'similar legal name',
		],
		[
			'under its trade name',
			{ businessName: 'BHS Foods', dbaName: 'The Rusty Anchor' },
			'same trade name',
		],
	])('asks for the street, and finds the business there %s', async (_, more, name) => {
		const listed = answer('/licenses', page([]));
		answer('/licenses/search', [license({ id: 'lic_9', ...more })]);
		const { items } = await match({});
		expect(items[0]?.json).toMatchObject({ id: 'lic_9', matchReason: `${name}, same address` });
		expect(listed).toHaveLength(1);
	});

	it('searches for the name where there is no street: the search knows legal names', async () => {
		answer('/licenses', page([]));
		const searched = answer('/licenses/search', [license()]);
		const { items } = await match({ businessName: 'Rusty Anchor Holdings LLC', street: '' });
		expect(items[0]?.json.matchReason).toBe('same legal name, same ZIP code, street unknown');
		expect(askedFor(searched)).toEqual([['Rusty Anchor', 'Hillsborough']]);
	});

	it('asks in the county where all of Florida has too many', async () => {
		const many = Array.from({ length: 50 }, (_, at) => ({ ...heron, id: `lic_${at}` }));
		const asked = answer('/licenses', page(many, 'more'), page([license()]));
		answer('/licenses/search', []);
		expect(ids(await match({}))).toEqual([license().id]);
		expect(askedFor(asked)).toEqual([
			['Rusty Anchor', undefined],
			['Rusty Anchor', 'Hillsborough'],
		]);
	});

	it('asks for more of the street where a house number finds too many', async () => {
		const many = Array.from({ length: 50 }, (_, at) => ({ ...heron, id: `lic_${at}` }));
		const there = license(at({ street: '1200 BAY ST' }));
		answer('/licenses', page([]));
		const searched = answer('/licenses/search', many, [there]);
		expect(ids(await match({ street: '1200 Bay Street' }))).toEqual([there.id]);
		expect(askedFor(searched).map(([q]) => q)).toEqual(['1200', '1200 bay']);
	});

	it('brings as many candidates as asked, the best first, down to the lowest score', async () => {
		const records = [
			license({ id: 'lic_1', businessName: 'Rusty Anchors Pub', dbaName: null, legalName: null }),
			license({ id: 'lic_2', ...at({ street: '9 Oak St' }) }),
			license({ id: 'lic_3' }),
			license({
				id: 'lic_4',
				businessName: 'Rusty Anchers',
				dbaName: null,
				legalName: null,
				...at({ street: '9 Oak St' }),
			}),
		];
		const answered = page(records);
		answer('/licenses', answered, answered, answered, answered);
		expect(ids(await match({ candidates: 5, minimumScore: 0.7 }))).toEqual([
			'lic_3',
			'lic_1',
			'lic_2',
			'lic_4',
		]);
		// 0.8, unless another one is asked for.
		expect(ids(await match({ candidates: 5 }))).toEqual(['lic_3', 'lic_1', 'lic_2']);
		expect(ids(await match({ candidates: 2, minimumScore: '={{ "0.7" }}' }))).toEqual([
			'lic_3',
			'lic_1',
		]);
		expect(ids(await match({ candidates: 3, minimumScore: 0.81 }))).toEqual(['lic_3', 'lic_1']);
	});

	it('leaves the ID of an event without a date as it is elsewhere', async () => {
		const undated = license({ eventTimestamp: null });
		answer('/licenses', page([undated]));
		answer('/licenses/lic_8f3k2m', { data: undated });
		const [matched, got] = [
			await match({ output: 'simplified' }),
			await runLicense({ operation: 'get', licenseId: 'lic_8f3k2m', output: 'simplified' }),
		];
		expect(matched.items[0]?.json.eventId).toBe(got.items[0]?.json.eventId);
	});

	it('takes an address of several lines, as some CRMs keep it', async () => {
		answer('/licenses', page([license(at({ street: '100 Bay Street, Suite 5' }))]));
		const { items, error } = await match({ street: '={{ "100 Bay Street\\r\\nSuite 5" }}' });
		expect(error).toBeUndefined();
		expect(items[0]?.json.matchReason).toBe('same name, same address');
	});

	describe('where nothing matches', () => {
		const asked = {
			businessName: 'The Rusty Anchor',
			street: '100 Bay St',
			city: 'Tampa',
			zip: null,
		};
		const other = license({ businessName: 'Blue Heron', dbaName: '', legalName: '' });
		const parameters = { street: asked.street, city: asked.city, zip: '' };
		const unmatched = async (records: License[], more: IDataObject) => {
			answer('/licenses', ...Array.from({ length: 3 }, () => page(records)));
			answer('/licenses/search', records);
			const { items } = await match({ ...parameters, businessName: asked.businessName, ...more });
			return items.map(({ json }) => json);
		};

		it('leaves the business out, and says above the output why', async () => {
			answer('/licenses', page([]), page([]), page([]));
			answer('/licenses/search', []);
			const { items, hints } = await match(parameters);
			expect(items).toEqual([]);
			expect(hints).toEqual([
				expect.stringContaining(
					'left out: The Rusty Anchor (no license found by this name or at this address)',
				),
			]);
		});

		it('keeps it on request, with what was asked and the reason', async () => {
			expect(await unmatched([], { noMatch: 'keep' })).toEqual([
				{ matchScore: 0, matchReason: 'no license found by this name or at this address', asked },
			]);
		});

		it('names the license at the address that does not score enough', async () => {
			const [item] = await unmatched([other], { noMatch: 'keep' });
			expect(item?.matchReason).toMatch(
				/^no license scores 0\.8 or more; the closest, Blue Heron \(COP-2026-001234\), scores 0\.\d+: another name, same address$/,
			);
		});

		const elsewhere = license({
			businessName: 'Blue Heron',
			dbaName: '',
			legalName: '',
			...at({ city: 'Miami' }),
		});
		it.each<[what: string, more: IDataObject, replies: License[][], reason: string]>([
			[
				'there is no house number to search for',
				{ street: 'Pier 60' },
				[[], [], [], []],
				'no license found by this name; add house number and street to search by address, too',
			],
			[
				'nothing of the name fits, and the place neither',
				{ street: '' },
				[[elsewhere], [elsewhere], [elsewhere], [elsewhere]],
				'no license found by this name; add house number and street to search by address, too',
			],
		])('says what stood in the way: %s', async (_, more, replies, reason) => {
			answer(/licenses/, ...replies.map((records) => page(records)));
			const { items } = await match({ ...parameters, noMatch: 'keep', ...more });
			expect(items[0]?.json.matchReason).toBe(reason);
		});

		it('keeps it without what was asked where that is turned off', async () => {
			expect(await unmatched([], { noMatch: 'keep', includeInput: false })).toEqual([
				{ matchScore: 0, matchReason: 'no license found by this name or at this address' },
			]);
		});
	});

	it.each([
		[{}, false],
		[{ includeInput: true }, true],
		[{ noMatch: 'keep' }, true],
		[{ noMatch: 'keep', includeInput: false }, false],
	])('says beside a match what was asked, with %o: %s', async (parameters, isAsked) => {
		answer('/licenses', page([license()]));
		const { items } = await match(parameters);
		expect(items).toHaveLength(1);
		expect(Object.hasOwn(items[0]?.json ?? {}, 'asked')).toBe(isAsked);
	});

	it('keeps a business without a name as any other', async () => {
		const { items } = await match({ businessName: ' ', noMatch: 'keep' });
		const asked = { businessName: null, street: RUSTY.street, city: RUSTY.city, zip: RUSTY.zip };
		expect(items.map(({ json }) => json)).toEqual([
			{ matchScore: 0, matchReason: "'Business Name' is empty", asked },
		]);
	});

	it('leaves out a business without a name, says so, and matches the others', async () => {
		answer('/licenses', page([license()]));
		const parameters = { businessName: '={{ $json.name }}', street: '={{ $json.street }}' };
		const items = [{ street: '9 Oak St' }, { name: RUSTY.name, street: RUSTY.street }];
		const ran = await match(parameters, { items });
		expect(ran.error).toBeUndefined();
		expect(ran.items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			[license().id, { item: 1 }],
		]);
		expect(ran.hints).toEqual([
			expect.stringContaining("left out: 9 Oak St, Tampa 33602 ('Business Name' is empty)."),
		]);
	});

	it('asks without the invisible characters that a list may hold', async () => {
		const asked = answer('/licenses', page([license()]));
		const { items } = await match({ businessName: 'Rusty\u200B An\u00ADchor\u202C\u0000' });
		expect(items).toHaveLength(1);
		expect(asked[0]?.query.q).toBe('Rusty Anchor');
	});

	describe("whose finer settings stand behind 'Adjust Matching'", () => {
		const finer = { minimumScore: 0.6, candidates: 2, noMatch: 'keep', includeInput: true };
		const named = (id: string, businessName: string) =>
			license({ id, businessName, dbaName: null, legalName: null });
		const records = [named('lic_1', 'Rusty Anchor Bar'), named('lic_2', 'Rusty Ancor')];
		const run = async (parameters: IDataObject) => {
			answer('/licenses', page(records));
			const { items } = await match(parameters);
			return items.map(({ json: { id, asked } }) => [id, asked !== undefined]);
		};

		it('takes them where it is on', async () => {
			expect(await run({ ...finer, adjustMatching: true })).toEqual([
				['lic_1', true],
				['lic_2', true],
			]);
		});

		it('takes the defaults while they are hidden', async () => {
			expect(await run({ ...finer, adjustMatching: false })).toEqual([['lic_1', false]]);
		});
	});

	it.each([
		[{ minimumScore: 80 }, "'Minimum Score' is not a number from 0 to 1"],
		[{ minimumScore: 'high' }, "'Minimum Score' is not a number from 0 to 1"],
		[{ candidates: 0 }, "'Candidates' is not a whole number from 1 to 10"],
		[{ noMatch: 'drop' }, "'When Nothing Matches' has a value that this node does not know"],
		[{ includeInput: 'perhaps' }, "'Include Input' is neither true nor false"],
	])('refuses %o before a request', async (parameters, message) => {
		const { error } = await match(parameters as IDataObject);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
	});
});
