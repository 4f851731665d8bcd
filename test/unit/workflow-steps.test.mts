import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS, WEBHOOK_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { crmLead } from '../../nodes/LicensingData/output/outputForms.ts';
import { ROOT } from '../support/manifest.mts';

interface Step {
	file: string;
	name: string;
	parameters: {
		jsCode?: string;
		jsonOutput?: string;
		subject?: string;
		text?: string;
		columns?: { value: Record<string, string> };
		filters?: { conditions: Array<{ keyName: string; keyValue: string }> };
	};
}

const FOLDER = join(ROOT, 'workflows');
const steps = readdirSync(FOLDER).flatMap((file) => {
	const workflow = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { nodes: Step[] };
	return workflow.nodes.map((step) => ({ ...step, file }));
});
const stepsNamed = (name: string) => steps.filter((step) => step.name === name);
const parametersOf = (name: string) => stepsNamed(name)[0]?.parameters ?? {};

/** What n8n runs. */
const codeOf = (name: string, ...names: string[]) =>
	new Function(...names, String(parametersOf(name).jsCode)) as (
		...given: unknown[]
	) => Array<{ json: Record<string, unknown> }>;

const expression = (text: string) =>
	new Function('$json', '$', `return ${text.slice(3, -2)}`) as (...given: unknown[]) => unknown;

const items = (of: object[]) => ({
	all: () => of.map((json) => ({ json })),
	itemMatching: (at: number) => ({ json: of[at] }),
});

it('The steps that escape what a license says do it in one way, and leave no markup, mention or link', () => {
	const escaping = steps.filter(({ name }) => name.startsWith('Escape for '));
	const codes = escaping.map(({ parameters: { jsonOutput = '' } }) =>
		jsonOutput.slice(jsonOutput.indexOf('.replaceAll')).replace(' }}', ''),
	);
	expect(codes.length).toBeGreaterThan(2);
	expect(new Set(codes).size).toBe(1);
	const escape = new Function('$json', `return JSON.stringify($json)${codes[0]}`);
	const given = { company: '<!channel> & <b>"Joe\'s"</b>', isLiquor: true, latitude: null };
	expect(JSON.parse(escape(given) as string)).toEqual({
		company: '&lt;!channel&gt; &amp; &lt;b&gt;"Joe\'s"&lt;/b&gt;',
		isLiquor: true,
		latitude: null,
	});
});

describe('The step that finds a territory', () => {
	const run = codeOf('Find Territory', '$input', '$');
	const find = (leads: object[], rows: object[]) =>
		run(items(rows), () => items(leads)).map(({ json }) => json);

	it('is the same in every workflow, and brings a lead once for each territory that it lies in, and once if in none', () => {
		const codes = stepsNamed('Find Territory').map(({ parameters }) => parameters.jsCode);
		expect(codes.length).toBeGreaterThan(2);
		expect(new Set(codes).size).toBe(1);

		const leads = [
			{ leadId: 'a', county: 'Hillsborough', city: 'Tampa', postalCode: '33602' },
			{ leadId: 'b', county: 'Leon', city: null, postalCode: null },
		];
		const rows = [
			{ name: 'Bay', rep_email: 'ann@example.com', channel: '#bay', counties: 'Hillsborough' },
			{ name: 'Downtown', rep_email: 'bob@example.com', channel: null, zip_codes: '336*' },
			{ name: 'South', counties: 'Broward', cities: 'Miami', zip_codes: null },
		];
		const none = { territory: null, rep_email: null, channel: null };
		expect(find(leads, rows)).toEqual([
			{ ...leads[0], territory: 'Bay', rep_email: 'ann@example.com', channel: '#bay' },
			{ ...leads[0], territory: 'Downtown', rep_email: 'bob@example.com', channel: null },
			{ ...leads[1], ...none },
		]);
		// An empty table brings one empty row.
		expect(find(leads, [{}])).toEqual(leads.map((lead) => ({ ...lead, ...none })));
	});

	const counties = COUNTIES.map(({ name }) => name);
	const spelled = counties.flatMap((name) => [
		...[name.toUpperCase(), `${name} County`, name.replaceAll(/[.-]/g, ' ')],
		name.replace(/^St\. /, 'Saint '),
	]);
	const cities = ['Saint Petersburg', 'ST PETERSBURG', 'Ft. Lauderdale', 'MD MIAMI', 'Boca Raton'];
	const nicknames = ['St. Pete', 'Ft Laud', 'Miami, FL', 'Boca', 'Town of Davie', 'Lk Worth'];
	const zipCodes = ['33602', '33602-1234', 33101, '33150', '33199', '33200', '33700', '3360'];
	const zipTexts = ['33101 – 33199', '331*', '33602-1234', '33601, 337*', '33601;33602 33700'];

	it.each([
		['county', 'county', 'counties', 'counties', [...counties, ...spelled.slice(0, 8)], spelled],
		['city', 'city', 'cities', 'cities', [...cities, ...nicknames], [...cities, ...nicknames]],
		['zip', 'postalCode', 'zip_codes', 'zipCodes', zipCodes, zipTexts],
	] as const)('reads a %s as the filters do', (field, inLead, inRow, filter, places, texts) => {
		const filters = WEBHOOK_FILTERS.filter(({ fields: [{ name }] }) => name !== 'licenseTypes');
		const leads = [...places, '?', '', null].map((place) => ({ [inLead]: place }));
		for (const text of texts) {
			const found = find(leads, [{ name: 'Mine', [inRow]: text }]);
			const given: Record<string, unknown> = { keepUnlocated: false, [filter]: text };
			const read = readFilters(filters, () => given);
			const isKept = (lead: Record<string, unknown>) =>
				filters.every(
					({ fields: [{ name }], matches }) =>
						!(name in read) || matches({ address: { [field]: lead[inLead] } }, read[name]),
				);
			const isFound = found.map(({ territory }) => territory !== null);
			expect(isFound, text).toEqual(leads.map(isKept));
			expect(isFound, text).toContain(true);
		}
	});
});

describe('The step that decides about matches', () => {
	const decide = codeOf('Decide', '$input', '$');
	const match = (name: string, matchScore: number) => ({
		...{ leadId: `lic_${name}`, company: name, matchScore, matchReason: 'as measured' },
	});
	const none = { matchScore: 0, matchReason: 'no license found' };
	const [ASK, NONE] = ['please decide', 'no license found'];

	it.each([
		['a clear match', [match('a', 0.95)], ['linked']],
		['a low score, and no match', [match('a', 0.89), none, none], [ASK, NONE, NONE]],
		['two with one license', [match('a', 0.95), match('a', 0.95)], [ASK, ASK]],
		['a license of an earlier run', [match('known', 1)], [ASK]],
	])('takes %s for what it is', (_, matches, results) => {
		const before: Record<string, object[]> = {
			'Each Company': matches.map(() => ({ id: '17', properties: { name: 'Mine' } })),
			'Open Questions': [{ license_id: 'lic_known' }],
		};
		const decided = decide(items(matches), (name: string) => items(before[name] ?? []));
		expect(decided.map(({ json }) => json.result)).toEqual(results);
		for (const { json } of decided) expect(json.license_id === '').toBe(json.result === NONE);
	});
});

it.each([
	[[{ id: '17' }], 'linked', 'as measured'],
	[undefined, 'please decide', 'HubSpot rejected the ID; another company may have it'],
])('The row of a company says after the answer %j of HubSpot: %s, %s', (results, ...said) => {
	const step = stepsNamed('Remember').find(({ file }) => file === 'link-hubspot-companies.json');
	const { result = '', reason = '' } = step?.parameters.columns?.value ?? {};
	const decided = { item: { json: { result: 'linked', reason: 'as measured' } } };
	const row = [result, reason].map((text) => expression(text)({ results }, () => decided));
	expect(row).toEqual(said);
});

it.each([
	...['=1+1', ' \t=1+1', '\u200B=1+1', '＝1+1', '＠1+1'].map((text) => [text, '1+1']),
	['JOES; \u200B＋-1', 'JOES;1'],
	['A-1 Bar @ Bay; Grill', 'A-1 Bar @ Bay; Grill'],
])('The step that takes formulas out of letters makes of %j the text %j', (given, left) => {
	const code = String(parametersOf('No Formulas').jsonOutput).slice(4, -3);
	const run = new Function('$json', `return ${code}`);
	expect(run({ Company: given, ZIP: 33602 })).toEqual({ Company: left, ZIP: '33602' });
});

it.each([
	['that the list stands still', /^The service lists no new filing/, undefined, [{ count: 0 }]],
	['that the county is quiet', /quiet: .* in Bay County, and 3 new/, ['Bay'], undefined],
	['of filters that keep nothing', /^Your filters .* one .* SAINT JOHNS County,/, 'SAINT JOHNS'],
	['of a refused key', /: The key was refused\.$/, undefined, [{ error: 'The key was refused' }]],
])('The step that says why nothing came tells %s', (_, reason, counties?, counted?) => {
	const groups = [
		{ county: 'St. Johns', count: 1 },
		{ county: 'Bay', count: 0 },
		{ county: 'Other', count: 2 },
	];
	const filters = counties ? { counties } : {};
	const sayWhy = codeOf('Say Why', '$input', '$');
	const [said] = sayWhy(items(counted ?? groups), () => ({ params: { filters } }));
	expect(said?.json.reason).toMatch(reason);
});

describe('The email about a customer', () => {
	const row = { business: 'Rusty Anchor', license_number: 'BEV1', holder: 'Old Salt, LLC' };
	const filing = {
		...{ licenseNumber: 'BEV1', legalName: 'OLD SALT LLC', licenseStatus: 'active' },
		...{ event: 'new_filing', filedDate: '2026-11-02', description: 'As the lead says it.' },
	};

	/** What n8n sends, with what the table has and what the trigger brings. */
	function mailOn(change: object): { subject: string; text: string } {
		const { parameters } =
			stepsNamed('Tell the Rep').find(({ file }) => file === 'watch-my-customers.json') ??
			expect.unreachable();
		const steps: Record<string, object> = {
			Change: { ...filing, ...change },
			'Find Customer': row,
		};
		const find = (name: string) => ({ item: { json: steps[name] } });
		const [subject = '', text = ''] = [parameters.subject, parameters.text].map((template) =>
			String(template)
				.slice(1)
				.replace(/\{\{([^]*?)\}\}/g, (_, code) => String(expression(`={{${code}}}`)(row, find))),
		);
		return { subject, text };
	}

	it.each([
		['took over', { legalName: 'Bright Inc.' }, 'new holder', 'Bright Inc. took over this license'],
		['filed again', {}, 'filed again', 'Rusty Anchor filed again for this license'],
	])('says who %s, as the table knows that the license is not new', (_, change, what, sentence) => {
		const { subject, text } = mailOn(change);
		expect(subject).toBe(`Rusty Anchor: ${what}`);
		expect(text.split('\n')[0]).toBe(`${sentence}, filed on 2026-11-02.`);
		expect(text.includes('Holder: Old Salt, LLC →')).toBe(what === 'new holder');
	});

	it.each([
		[{ licenseNumber: 'BEV2' }, 'new filing at this address'],
		[{ event: 'ownership_transfer' }, 'ownership transfer'],
	])('says of %o what the lead says', (change, what) => {
		const { subject, text } = mailOn(change);
		expect([subject, text.split('\n')[0]]).toEqual([`Rusty Anchor: ${what}`, filing.description]);
	});
});

describe('The register of venues', () => {
	const columns = parametersOf('Fill Register').columns?.value ?? {};
	/** What it keeps of a license. */
	const rowOf = (license: License) =>
		Object.fromEntries(
			Object.entries(columns).map(([column, text]) => [column, expression(text)(crmLead(license))]),
		);
	const conditions = parametersOf('Find in Register').filters?.conditions ?? [];
	const compare = codeOf('Compare', '$input', '$');

	/** What a new lead is told by what is known. */
	function noteOn(license: License, known: License[]) {
		const rows = known.map(rowOf);
		const lead = crmLead(license);
		const found = conditions.flatMap(({ keyName, keyValue }) =>
			rows.filter((row) => row[keyName] === expression(keyValue)(lead)),
		);
		// Where nothing is found, n8n brings an empty item.
		const input = items(found.length > 0 ? found : [{}]);
		return compare(input, () => items([lead]))[0]?.json.note;
	}

	it('has the same row of a license, whichever step of the two workflows writes it', () => {
		for (const name of ['Keep One Row', 'Add to Register'])
			expect(parametersOf(name).columns?.value).toEqual(columns);
	});

	let filed = 0;
	/** Each is filed a day after the one before. */
	const license = (businessName: string, legalName: string, more: License = {}): License => ({
		...{ id: `lic_${++filed}`, licenseType: 'COP', eventType: 'new_filing' },
		eventTimestamp: new Date(Date.UTC(2026, 0, filed)).toISOString(),
		...{ businessName, legalName, ...at('700 Channelside Drive'), ...more },
	});
	const at = (street: string) => ({ address: { street, city: 'Tampa', zip: '33602' } });
	const anchor = license('The Rusty Anchor', 'Old Salt LLC');
	const shop = license('Shop', 'Shop LLC', at('700 Channelside Dr #5'));
	const places = (count: number, more: License = {}) =>
		Array.from({ length: count }, (_, index) =>
			license(`Bright ${index}`, 'Bright Water, Inc.', { ...at(`${index} Harbor Place`), ...more }),
		);
	const gecko = (more?: License) => license('Neon Gecko', 'BRIGHT WATER INC', more);
	const FIRST = 'First license of this holder.';
	const WAS_THERE = 'The Rusty Anchor was at this address.';
	const NO_OTHER = 'No other license was at this address.';

	it.each<[what: string, known: License[], lead: License, ...note: string[]]>([
		[
			'a third license, and who was there last',
			[license('Palm', 'Palm LLC', { eventTimestamp: '2025-01-01' }), anchor, ...places(2)],
			gecko(),
			'Third license of this holder.',
			WAS_THERE,
		],
		[
			'nothing of canceled licenses, and of those who came later',
			[
				...places(2, { eventType: 'cancellation' }),
				license('Later', 'Later LLC', { eventTimestamp: '2027-01-01' }),
			],
			gecko(),
			FIRST,
			NO_OTHER,
		],
		[
			'another license of the same holder',
			[license('Old Name', 'Bright Water Inc')],
			gecko(),
			'Second license of this holder.',
			'This holder has a license at this address already.',
		],
		[
			'what a missing unit may hide',
			[shop],
			gecko(),
			FIRST,
			'It may be a known venue: a license in this building has no unit number.',
		],
		['two doors apart', [shop], gecko(at('700 Channelside Dr #6')), FIRST, NO_OTHER],
	])('tells %s, also when it has the lead already', (_, known, lead, ...note) => {
		expect(noteOn(lead, known)).toBe(note.join(' '));
		expect(noteOn(lead, [...known, lead])).toBe(note.join(' '));
	});
});

it.each([
	['new_filing', 'COP-2019-7', true],
	['new_filing', 'COP-2026-7', false],
	['ownership_transfer', 'COP-2026-7', true],
])(
	'The lead with phone and website is of a new owner: %s of %s',
	(eventType, licenseNumber, is) => {
		const { eventTypes, filters } = parametersOf('New Owner') as Record<string, unknown>;
		const chosen = { ...(filters as object), eventTypes };
		const wanted = readFilters(LIST_FILTERS, (name) => (name === 'filters' ? chosen : undefined));
		const filing = { eventType, licenseNumber, licenseType: 'COP', filedDate: '2026-11-02' };
		expect(matcherOf(LIST_FILTERS, wanted)(filing)).toBe(is);
	},
);
