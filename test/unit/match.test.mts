import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { rank, searchesFor, type Business } from '../../nodes/LicensingData/match/ranking.ts';
import { answer, useAnswers, type Asked } from '../support/answers.mts';
import type { RunOptions } from '../support/host.mts';
import { ids, runLicense } from '../support/nodes.mts';
import { license, page } from '../support/records.mts';

// cspell:ignore rustys rusyt anchr anhcor anchers lant
useAnswers();

const RUSTY = { name: 'The Rusty Anchor', street: '100 Bay Street', city: 'Tampa', zip: '33602' };

/** How well the record that every test knows matches a business. */
const fit = (business: Partial<Business>, more: License = {}) =>
	rank({ ...RUSTY, ...business }, [license(more)])[0];

const at = (address: License['address']) => ({ address: { ...license().address, ...address } });
const named = (businessName: string | null) => ({ businessName, dbaName: null, legalName: null });

describe('How well a license fits a business', () => {
	it.each([
		['a missing suite', {}, at({ street: '100 Bay St, Suite 12' })],
		['another unit', { street: '100 Bay St #4' }, at({ street: '100 Bay St #5' })],
		['a move within the city', { street: '900 Oak Avenue', zip: '33605' }, {}],
		['an apostrophe', { name: "Rusty's Anchor" }, named('Rustys Anchor')],
		['the legal name', { name: 'RUSTY ANCHOR HOLDINGS, L.L.C.' }, {}],
		['the trade name', {}, { businessName: 'BHS Foods' }],
		['a slip of the keys', { name: 'The Rusyt Anchor' }, {}],
		['a name that grew', { name: 'The Rusty Anchor Bar & Grill' }, {}],
		['a word in two', { name: 'Sea Side Grill', street: undefined }, named('Seaside Grille')],
		['the article behind', { name: 'The Lantern' }, named('Lantern (The)')],
		['one of two names', { name: 'Harbor Cafe', street: undefined }, named('Marlas/Harbor Cafe')],
		['a short form', { name: 'Harbor Bev', street: undefined }, named('Harbor Beverage')],
		['an article', { name: 'Tacos Vega', street: undefined }, named('Los Tacos Vega')],
		['accents broken twice', { name: 'Café Olé' }, named('CafÃ\u0083Â© OlÃ\u0083Â©')],
		['initials', { name: 'J.R. Oyster', street: undefined }, named('JR Oyster')],
		['a county before the city', { zip: undefined, city: 'Miami' }, at({ city: 'MD MIAMI' })],
		['an old ZIP code', { zip: '33755', city: undefined }, at({ zip: '34620' })],
	])('is enough with %s', (_, business, more) => {
		expect(fit(business, more)?.score).toBeGreaterThanOrEqual(0.8);
	});

	const nowhere = { street: undefined, city: undefined, zip: undefined };

	it.each([
		['another name at the same address', { name: 'Blue Heron Sushi' }, {}],
		['common words alone', { name: 'Corner Bar & Grill' }, named('Harbor Bar & Grill')],
		['the same name in another city', { ...nowhere, city: 'Miami' }, {}],
		['the same street in another city', { city: 'Miami', zip: undefined }, {}],
		['the same street far away', { city: undefined, zip: '33130' }, {}],
		['an initial', { name: 'R Anchor', street: undefined }, named('Rusty Anchor')],
		['a common word behind a slash', { name: 'Harbor/Bar', street: undefined }, named('Bar')],
		['a similar name in another street', { name: 'Rusyt Anchor', street: '9 Oak Avenue' }, {}],
		['the same name and nothing else', nowhere, {}],
		[
			'a similar name in another unit',
			{ name: 'Rusty Nail Tiki', street: '100 Bay St #4' },
			{ ...named('Rusty Nail Thai'), ...at({ street: '100 Bay St #5' }) },
		],
		[
			'the legal name at another address',
			{ name: 'Rusty Anchor Holdings LLC', street: '900 Oak Avenue' },
			{},
		],
		['a record with no letter in its name', {}, named('***')],
		['a business with no letter in its name', { name: '!!!' }, {}],
		['two names without a letter', { name: '!!!', street: undefined }, named('***')],
		['a record without names', {}, named(null)],
		['a number for a name', {}, { ...named(null), legalName: 7 as never }],
		['a record without an address', {}, { address: null }],
	])('is not enough with %s', (_, business, more) => {
		expect(fit(business, more)?.score).toBeLessThan(0.8);
	});

	it.each([
		[{}, {}, 'same name, same address'],
		[
			{ street: '100 Bay St #4' },
			at({ street: '100 Bay St #5' }),
			'same name, same address, another unit',
		],
		[{ street: '7 Oak St' }, {}, 'same name, same ZIP code, another address'],
		[{ street: undefined, zip: undefined }, {}, 'same name, same city, street unknown'],
		[{ name: 'Blue Heron' }, {}, 'another name, same address'],
		[{ name: 'Anchor and Rusty' }, {}, 'same name, same address'],
		[{ name: 'Oyster J.R.' }, named('JR Oyster'), 'same name, same address'],
	])('says why: %j', (business, more, reason) => {
		expect(fit(business, more)?.reason).toBe(reason);
	});

	const branch = (id: string, street: string, businessName = 'The Rusty Anchor') =>
		license({ id, ...named(businessName), ...at({ street }) });
	const branches = [branch('lic_1', '1 Oak St'), branch('lic_2', '2 Elm St')];

	const inMiami = license({ id: 'lic_4', ...at({ city: 'Miami', zip: '33130' }) });

	it.each<[what: string, street: string | undefined, licenses: License[], enough: string[]]>([
		['several venues that fit equally well are not enough', undefined, branches, []],
		[
			'nor is one beside them that fits less well',
			undefined,
			[...branches, branch('lic_3', '3 Ash St', 'The Rusty Anchr')],
			[],
		],
		['one of them alone is enough', undefined, branches.slice(1), ['lic_2']],
		[
			'one is enough beside one with another name',
			undefined,
			[...branches.slice(1), branch('lic_3', '3 Ash St', 'The Rusty Nail')],
			['lic_2'],
		],
		['or beside one in another city', undefined, [...branches.slice(1), inMiami], ['lic_2']],
		[
			'which shows that one with another address has not moved',
			'9 Fir St',
			[...branches.slice(1), inMiami],
			[],
		],
		[
			'unless it has another name',
			'9 Fir St',
			[...branches.slice(1), { ...inMiami, ...named('The Rusty Nail') }],
			['lic_2'],
		],
		[
			'two licenses of one venue are enough',
			undefined,
			[license({ id: 'lic_1' }), license()],
			['lic_1', 'lic_8f3k2m'],
		],
	])('is told by what else there is: %s', (_, street, licenses, enough) => {
		const matches = rank({ ...RUSTY, street }, licenses).filter(({ score }) => score >= 0.8);
		expect(matches.map(({ license: { id } }) => id)).toEqual(enough);
	});

	it('names how many venues fit equally well, at each of them', () => {
		const matches = rank({ ...RUSTY, street: undefined }, [
			...branches,
			branch('lic_3', '3 Ash St', 'The Rusty Nail'),
		]);
		expect(matches.map(({ reason }) => reason)).toEqual([
			'same name, same ZIP code, street unknown; 2 venues fit equally well',
			'same name, same ZIP code, street unknown; 2 venues fit equally well',
			'another name, same ZIP code, street unknown',
		]);
	});

	it('trusts the right door, though the right name stands elsewhere', () => {
		const name = 'Rusty Anchor Marina Fuel Dock Shop';
		const [best] = rank({ ...RUSTY, name }, [branch('lic_2', '9 Oak St', name), license()]);
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
		['Bar & Grill ("Oyster")', 'Grill Oyster', ['oys', 'bar']],
		['Rusty  Anchor  Corner  Cafe', 'Rusty Anchor', ['anchor', 'rusty']],
		['Theo Bathe', 'Theo Bathe', ['bathe', 'theo']],
		['Lantern & Salty', 'Lantern', ['salty']],
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
		['12 Saint George St', ['12']],
		['1200 B Street', ['1200']],
		['Pier 60', []],
	])('for what stands at %s', (street, streets) => {
		expect(searchesFor({ name: 'Rusty Anchor', street }).streets).toEqual(streets);
	});

	it.each([
		['the county of the ZIP code', { zip: '32084-1234', city: 'Tampa' }, 'St. Johns'],
		['the county of the city, however it is written', { city: 'ST AUGUSTINE' }, 'St. Johns'],
		['the county around a city without ZIP codes', { city: 'Doral' }, 'Miami-Dade'],
		['all of Florida, where the city is unknown', { city: 'Nowhere Key' }, undefined],
	])('in %s', (_, place, county) => {
		expect(searchesFor({ name: 'Rusty Anchor', ...place }).county).toBe(county);
	});
});

describe('Match', () => {
	const match = (parameters: IDataObject, more: Partial<RunOptions> = {}) => {
		const { name: businessName, ...place } = RUSTY;
		const asked = { operation: 'match', businessName, ...place, adjustMatching: true };
		return runLicense({ ...asked, ...parameters }, more);
	};
	const askedFor = (asked: Asked[]) => asked.map(({ query: { q, county } }) => [q, county]);

	it('brings the license that fits, and how well', async () => {
		const other = license({ id: 'lic_9', ...named('Anchor Inn') });
		const asked = answer('/licenses', page([other, license()]));
		const { items } = await match({ output: 'simplified' });
		const found = { matchScore: 1, matchReason: 'same name, same address' };
		expect(items).toMatchObject([{ json: { licenseNumber: 'COP-2026-001234', ...found } }]);
		expect(items[0]?.json).not.toHaveProperty('asked');
		expect(asked.map(({ query }) => query)).toEqual([{ q: 'Rusty Anchor', limit: '50' }]);
	});

	const heron = license(named('Blue Heron'));
	const many = Array.from({ length: 50 }, (_, index) => ({ ...heron, id: `lic_${index}` }));

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

	it('asks for one word less where the search finds something', async () => {
		const listed = answer('/licenses', page([]), page([]));
		answer('/licenses/search', [heron]);
		await match({});
		expect(askedFor(listed)).toEqual([
			['Rusty Anchor', undefined],
			['anchor', 'Hillsborough'],
		]);
	});

	it('asks for single words where all of Florida has too many, and the county is unknown', async () => {
		const listed = answer('/licenses', page(many, 'more'), page([]), page([]));
		answer('/licenses/search', []);
		await match({ city: 'Nowhere Key', zip: '' });
		expect(askedFor(listed).map(([q]) => q)).toEqual(['Rusty Anchor', 'anchor', 'rusty']);
	});

	it('asks nothing for a name without a letter or a digit', async () => {
		const { items, error } = await match({ businessName: '!!!', street: '' });
		expect([items, error]).toEqual([[], undefined]);
	});

	it('asks for the street, and finds the business there under its legal name', async () => {
		answer('/licenses', page([]));
		answer('/licenses/search', [
			license({ ...named('Blue Heron'), legalName: 'The Rusty Anchor LLC' }),
		]);
		const { items } = await match({});
		expect(items[0]?.json.matchReason).toBe('similar legal name, same address');
	});

	it('searches for the name where there is no street: the search knows legal names', async () => {
		answer('/licenses', page([]));
		const searched = answer('/licenses/search', [license()]);
		const { items } = await match({ businessName: 'Rusty Anchor Holdings LLC', street: '' });
		expect(items[0]?.json.matchReason).toBe('same legal name, same ZIP code, street unknown');
		expect(askedFor(searched)).toEqual([['Rusty Anchor', 'Hillsborough']]);
	});

	it.each([
		['at once by its name where there is no street', { street: '' }, 0],
		['by its street, too, where the name is not the same', { businessName: 'The Rusyt Anhcor' }, 1],
	])('finds a business %s', async (_, parameters, searches) => {
		answer('/licenses', page([license()]));
		const searched = answer('/licenses/search', ...Array<License[]>(searches).fill([]));
		expect(ids(await match(parameters))).toEqual([license().id]);
		expect(searched).toHaveLength(searches);
	});

	it('asks in the county where all of Florida has too many', async () => {
		const asked = answer('/licenses', page(many, 'more'), page([license()]));
		answer('/licenses/search', []);
		expect(ids(await match({}))).toEqual([license().id]);
		expect(askedFor(asked)).toEqual([
			['Rusty Anchor', undefined],
			['Rusty Anchor', 'Hillsborough'],
		]);
	});

	it('asks for more of the street where a house number finds too many', async () => {
		const there = license(at({ street: '1200 BAY ST' }));
		answer('/licenses', page([]));
		const searched = answer('/licenses/search', many, [there]);
		expect(ids(await match({ street: '1200 Bay Street' }))).toEqual([there.id]);
		expect(askedFor(searched).map(([q]) => q)).toEqual(['1200', '1200 bay']);
	});

	it('takes an address of several lines, as some CRMs keep it, and says what was asked', async () => {
		answer('/licenses', page([license(at({ street: '100 Bay Street, Suite 5' }))]));
		const street = '={{ "100 Bay Street\\r\\nSuite 5" }}';
		const { items } = await match({ street, includeInput: true });
		expect(items[0]?.json).toMatchObject({
			matchReason: 'same name, same address',
			asked: { businessName: RUSTY.name, street: '100 Bay Street Suite 5' },
		});
	});

	it.each<[parameters: IDataObject, found: string[]]>([
		[{ candidates: 5, minimumScore: 0.7 }, ['lic_3', 'lic_1', 'lic_2', 'lic_4']],
		[{ candidates: 5 }, ['lic_3', 'lic_1', 'lic_2']],
		[{ candidates: 2, minimumScore: '={{ "0.7" }}' }, ['lic_3', 'lic_1']],
		[{ candidates: 5, minimumScore: 0.7, adjustMatching: false }, ['lic_3']],
	])(
		'brings as many as asked, the best first, down to the lowest score: %j',
		async (parameters, found) => {
			const elsewhere = at({ street: '9 Oak St' });
			const records = [
				license({ id: 'lic_1', ...named('Rusty Anchors Pub') }),
				license({ id: 'lic_2', ...elsewhere }),
				license({ id: 'lic_3' }),
				license({ id: 'lic_4', ...named('Rusty Anchers'), ...elsewhere }),
			];
			answer('/licenses', page(records));
			expect(ids(await match(parameters))).toEqual(found);
		},
	);

	it('keeps two licenses apart that have no ID, and no number either', async () => {
		const nameless = { id: null, licenseNumber: 'N/A' };
		const records = ['9 Oak St', '100 Bay St'].map((street) =>
			license({ ...nameless, ...at({ street }) }),
		);
		answer('/licenses', page(records));
		const { items } = await match({ candidates: 5, minimumScore: 0.7 });
		expect(items).toHaveLength(2);
	});

	describe('where nothing matches', () => {
		const asked = { businessName: RUSTY.name, street: '100 Bay St', city: 'Tampa', zip: null };
		const NONE = 'no license found by this name or at this address';
		const ADD_STREET =
			'no license found by this name; add house number and street to search by address, too';
		const unmatched = async (parameters: IDataObject, records: License[] = []) => {
			answer(/licenses/, ...Array.from({ length: 4 }, () => page(records)));
			return await match({ ...asked, zip: '', noMatch: 'keep', ...parameters });
		};

		it('leaves the business out and says above the output why, or keeps it with the reason and what was asked', async () => {
			const { items, hints } = await unmatched({ noMatch: 'leaveOut' });
			expect(items).toEqual([]);
			expect(hints).toEqual([expect.stringContaining(`left out: The Rusty Anchor (${NONE})`)]);
			const kept = { matchScore: 0, matchReason: NONE };
			expect((await unmatched({})).items).toMatchObject([{ json: { ...kept, asked } }]);
			const [{ json } = expect.unreachable()] = (await unmatched({ includeInput: false })).items;
			expect(json).toEqual(kept);
		});

		it('keeps the business by default where an AI agent asks, with the closest license', async () => {
			const nodeType = new LicensingData();
			// So n8n makes a tool of a node.
			nodeType.description.name += 'Tool';
			answer(/licenses/, ...Array.from({ length: 4 }, () => page([heron])));
			const parameters = { ...asked, adjustMatching: false };
			const { items } = await match(parameters, { nodeType });
			const matchReason = expect.stringContaining('the closest, Blue Heron (COP-2026-001234)');
			expect(items.map(({ json }) => json)).toEqual([{ matchScore: 0, matchReason, asked }]);
			const chosen = { ...parameters, noMatch: 'leaveOut' };
			answer(/licenses/, ...Array.from({ length: 4 }, () => page([heron])));
			expect((await match(chosen, { nodeType })).items).toEqual([]);
		});

		it.each([
			[
				'the license at the address does not score enough',
				{},
				[heron],
				expect.stringMatching(
					/^no license scores 0\.8 or more; the closest, Blue Heron \(COP-2026-001234\), scores 0\.\d+: another name, same address$/,
				),
			],
			['there is no house number to search for', { street: 'Pier 60' }, [], ADD_STREET],
			[
				'nothing of the name fits, and the place neither',
				{ street: '' },
				[{ ...heron, ...at({ city: 'Miami' }) }],
				ADD_STREET,
			],
		])('says what stood in the way: %s', async (_, parameters, records, reason) => {
			const { items } = await unmatched(parameters, records);
			expect(items[0]?.json.matchReason).toEqual(reason);
		});
	});

	it('keeps a business without a name as any other, and matches the next', async () => {
		answer('/licenses', page([license()]));
		const parameters = { businessName: '={{ $json.name }}', noMatch: 'keep' };
		const { items } = await match(parameters, { items: [{}, { name: RUSTY.name }] });
		const { street, city, zip } = RUSTY;
		expect(items.map(({ json }) => json)).toMatchObject([
			{
				matchReason: "'Business Name' is empty",
				asked: { businessName: null, street, city, zip },
			},
			{ id: license().id, asked: { businessName: RUSTY.name } },
		]);
	});

	it.each([
		['its address', {}, '100 Bay Street, Tampa 33602'],
		['what it lacks', { street: '', city: '', zip: '' }, 'one without a name or address'],
	])('names a business without a name by %s where it leaves it out', async (_, place, name) => {
		const { hints } = await match({ businessName: ' ', ...place });
		const left = `left out: ${name} ('Business Name' is empty)`;
		expect(hints).toEqual([expect.stringContaining(left)]);
	});

	it.each([
		[{ minimumScore: 80 }, "'Minimum Score' is not a number from 0 to 1"],
		[{ includeInput: 'perhaps' }, "'Include Input' is neither true nor false"],
		[{ candidates: 0 }, "'Candidates' is not a whole number from 1 to 10"],
		[{ noMatch: 'drop' }, "'When Nothing Matches' has a value that this node does not know"],
	])('refuses %o before a request', async (parameters, message) => {
		const { error } = await match(parameters as IDataObject);
		expect(error).toMatchObject({ name: 'NodeOperationError', message });
	});
});
