import type { IDataObject } from 'n8n-workflow';

import { LicensingData } from '../../nodes/LicensingData/LicensingData.node.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { searchesFor } from '../../nodes/LicensingData/match/questions.ts';
import { rank, type Business } from '../../nodes/LicensingData/match/ranking.ts';
import { answer, useAnswers } from '../support/answers.mts';
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
const unit5 = at({ street: '100 Bay St #5' });
const HOLDER = 'Rusty Anchor Holdings LLC';
const named = (businessName: string | null) => ({ businessName, dbaName: null, legalName: null });
const thai = { ...named('Rusty Nail Thai'), ...unit5 };

describe('How well a license fits a business', () => {
	it.each([
		['a missing suite', {}, at({ street: '100 Bay St, Suite 12' })],
		['another unit', { street: '100 Bay St #4' }, unit5],
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
		['the same street far away', { city: undefined, zip: '33130' }, {}],
		['an initial', { name: 'R Anchor', street: undefined }, named('Rusty Anchor')],
		['a common word behind a slash', { name: 'Harbor/Bar', street: undefined }, named('Bar')],
		['a similar name in another street', { name: 'Rusyt Anchor', street: '9 Oak Avenue' }, {}],
		['the same name and nothing else', nowhere, {}],
		['a similar name in another unit', { name: 'Rusty Nail Tiki', street: '100 Bay St #4' }, thai],
		['the legal name at another address', { name: HOLDER, street: '900 Oak Avenue' }, {}],
		['a record without an address', {}, { address: null }],
	])('is not enough with %s', (_, business, more) => {
		expect(fit(business, more)?.score).toBeLessThan(0.8);
	});

	it.each([
		[{}, {}, 'same name, same address'],
		[{ street: '100 Bay St #4' }, unit5, 'same name, same address, another unit'],
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
	const [one, two] = [branch('lic_1', '1 Oak St'), branch('lic_2', '2 Elm St')];
	const similar = branch('lic_3', '3 Ash St', 'The Rusty Anchr');
	const other = branch('lic_3', '3 Ash St', 'The Rusty Nail');
	const inMiami = license({ id: 'lic_4', ...at({ city: 'Miami', zip: '33130' }) });

	it.each<[what: string, street: string, licenses: License[], enough: string[]]>([
		['several venues that fit equally well are not', '', [one, two], []],
		['nor is one beside them that fits less well', '', [one, two, similar], []],
		['one of them alone is', '', [two], ['lic_2']],
		['one is beside one with another name', '', [two, other], ['lic_2']],
		['or beside one in another city', '', [two, inMiami], ['lic_2']],
		['which makes one at another address a branch, and not', '9 Fir St', [two, inMiami], []],
		['unless it has another name', '9 Fir St', [two, { ...inMiami, ...named('Nail') }], ['lic_2']],
		['two licenses of one venue are', '', [{ ...one, id: 'lic_5' }, one], ['lic_5', 'lic_1']],
	])('is told by what else there is: %s enough', (_, street, licenses, enough) => {
		const matches = rank({ ...RUSTY, street }, licenses);
		const found = matches.filter(({ score }) => score >= 0.8);
		expect(found.map(({ license: { id } }) => id)).toEqual(enough);
		const isSaid = matches.some(({ reason }) => reason.endsWith('; 2 venues fit equally well'));
		expect(isSaid).toBe(enough.length === 0);
	});

	it('trusts the right door, though the right name stands elsewhere', () => {
		const name = 'Rusty Anchor Marina Fuel Dock Shop';
		const [best] = rank({ ...RUSTY, name }, [branch('lic_2', '9 Oak St', name), license()]);
		expect(best?.license.id).toBe('lic_8f3k2m');
		expect(best?.score).toBeGreaterThanOrEqual(0.8);
	});
});

it.each<[business: Partial<Business>, searches: object]>([
	[{ name: 'The Rusty Anchor' }, { phrase: 'Rusty Anchor', words: ['anchor', 'rusty'] }],
	[{ name: 'The Lantern' }, { phrase: 'Lantern', words: ['lant', 'the'] }],
	[{ name: "Joe's Pizzeria" }, { phrase: "Joe's Pizzeria", words: ['joe', 'pizzeria'] }],
	[{ name: 'Bar & Grill ("Oyster")' }, { phrase: 'Grill Oyster', words: ['oys', 'bar'] }],
	[{ name: '!!!' }, { phrase: '', words: [] }],
	[{ street: '12340 SW 99th Street, Bay 601' }, { streets: ['12340', '12340 sw 99'] }],
	[{ street: '7 King Street' }, { streets: ['7 king'] }],
	[{ street: '100 North Main Street' }, { streets: ['100 n main'] }],
	[{ street: '12 Saint George St' }, { streets: ['12'] }],
	[{ street: '1200 B Street' }, { streets: ['1200'] }],
	[{ street: 'Pier 60' }, { streets: [] }],
	[{ zip: '32084-1234', city: 'Tampa' }, { county: 'St. Johns' }],
	[{ city: 'ST AUGUSTINE' }, { county: 'St. Johns' }],
	// A city without ZIP codes.
	[{ city: 'Doral' }, { county: 'Miami-Dade' }],
	[{ city: 'Nowhere Key' }, { county: undefined }],
])('For %o, the service is searched for %o', (business, searches) => {
	expect(searchesFor({ name: 'Rusty Anchor', ...business })).toMatchObject(searches);
});

describe('Match', () => {
	const match = (parameters: IDataObject, more: Partial<RunOptions> = {}) => {
		const { name: businessName, ...place } = RUSTY;
		const asked = { operation: 'match', businessName, ...place, adjustMatching: true };
		return runLicense({ ...asked, ...parameters }, more);
	};

	it('brings the license that fits, and how well', async () => {
		const other = license({ id: 'lic_9', ...named('Anchor Inn') });
		const asked = answer('/licenses', page([other, license()]));
		const { items } = await match({ output: 'simplified' });
		const json = { licenseNumber: 'COP-2026-001234', matchScore: 1 };
		expect(items).toMatchObject([{ json: { ...json, matchReason: 'same name, same address' } }]);
		expect(items[0]?.json).not.toHaveProperty('asked');
		expect(asked.map(({ query }) => query)).toEqual([{ q: 'Rusty Anchor', limit: '50' }]);
	});

	const heron = license(named('Blue Heron'));
	const many = Array.from({ length: 50 }, (_, index) => ({ ...heron, id: `lic_${index}` }));
	const rusty = license(at({ street: '1200 BAY ST' }));
	const owned = { ...rusty, ...named('Blue Heron'), legalName: 'The Rusty Anchor LLC' };
	const ODD = { city: 'Nowhere Key', zip: '' };
	const STREETLESS = { street: '' };
	const LEGAL = { ...STREETLESS, businessName: HOLDER };

	/** A plus stands for a question about the county alone. */
	it.each([
		['nothing fits', {}, [[heron], [heron], []], [[]], 'Rusty Anchor, +anchor, +rusty, +1200', 0],
		['the street finds another', {}, [[], []], [[heron]], 'Rusty Anchor, +anchor, +1200', 0],
		['no county is known', ODD, [many, [], []], [[]], 'Rusty Anchor, anchor, rusty, 1200', 0],
		['a name has no letter', { ...STREETLESS, businessName: '!!!' }, [], [], '', 0],
		['the list lacks the legal name', {}, [[]], [[owned]], 'Rusty Anchor, +1200', 1],
		['only a search knows legal names', LEGAL, [[]], [[rusty]], 'Rusty Anchor, +Rusty Anchor', 1],
		['the name is found, without a street', STREETLESS, [[rusty]], [], 'Rusty Anchor', 1],
		['a like name is found', { businessName: 'Rusyt' }, [[rusty]], [[]], 'Rusyt, +1200', 1],
		['Florida has too many', {}, [many, [rusty]], [[]], 'Rusty Anchor, +Rusty Anchor, +1200', 1],
		['a number has too many', {}, [[]], [many, [rusty]], 'Rusty Anchor, +1200, +1200 bay', 1],
	])('asks what it needs where %s', async (_, parameters, listed, searched, asks, found) => {
		const pages = listed.map((records) => page(records, records === many ? 'more' : null));
		const answers = [answer('/licenses', ...pages), answer('/licenses/search', ...searched)];
		const { items, error } = await match({ street: '1200 Bay Street', ...parameters });
		expect([items.length, error]).toEqual([found, undefined]);
		const asked = answers.flat().map(({ query: { q, county } }) => (county ? `+${q}` : q));
		expect(asked.join(', ')).toBe(asks);
	});

	it.each([
		[{ candidates: 5, minimumScore: 0.7 }, ['lic_3', 'lic_1', 'lic_2', 'lic_4']],
		[{ candidates: 5 }, ['lic_3', 'lic_1', 'lic_2']],
		[{ candidates: 2, minimumScore: '={{ "0.7" }}' }, ['lic_3', 'lic_1']],
		[{ candidates: 5, minimumScore: 0.7, adjustMatching: false }, ['lic_3']],
	])('brings the best first, as %j says', async (parameters, found) => {
		const elsewhere = at({ street: '9 Oak St' });
		const records = [
			license({ id: 'lic_1', ...named('Rusty Anchors Pub') }),
			license({ id: 'lic_2', ...elsewhere }),
			license({ id: 'lic_3' }),
			license({ id: 'lic_4', ...named('Rusty Anchers'), ...elsewhere }),
		];
		answer('/licenses', page(records));
		expect(ids(await match(parameters))).toEqual(found);
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

		it('leaves the business out and says why, or keeps it with reason and question', async () => {
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

		const far = { ...heron, ...at({ city: 'Miami' }) };
		const CLOSEST =
			/^no license scores 0\.8 or more; the closest, Blue Heron \(COP-2026-001234\), scores 0\.\d+: another name, same address$/;

		it.each([
			['the license at the address does not score enough', {}, heron, CLOSEST],
			['nothing of the name fits', { street: 'Pier 60' }, far, ADD_STREET],
		])('says what stood in the way: %s', async (_, parameters, record, reason) => {
			const { items } = await unmatched(parameters, [record]);
			expect(items[0]?.json.matchReason).toMatch(reason);
		});
	});

	it('keeps or names a business without a name as any other, and matches the next', async () => {
		answer('/licenses', page([license()]));
		const parameters = { businessName: '={{ $json.name }}', noMatch: 'keep' };
		const { items } = await match(parameters, { items: [{}, { name: RUSTY.name }] });
		const { name, ...place } = RUSTY;
		expect(items.map(({ json }) => json)).toMatchObject([
			{ matchReason: "'Business Name' is empty", asked: { businessName: null, ...place } },
			{ id: license().id, asked: { businessName: name } },
		]);
		const left = `left out: 100 Bay Street, Tampa 33602 ('Business Name' is empty)`;
		expect((await match({ businessName: ' ' })).hints).toEqual([expect.stringContaining(left)]);
	});
});
