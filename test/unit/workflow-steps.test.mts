import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { COUNTIES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { zipCodes as places } from '../../nodes/LicensingData/places/places.ts';
import { readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { WEBHOOK_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { ROOT } from '../support/manifest.mts';

interface Node {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
}

const FOLDER = join(ROOT, 'workflows');
const nodes = readdirSync(FOLDER).flatMap((file) => {
	const workflow = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { nodes: Node[] };
	return workflow.nodes.map((node) => ({ ...node, file }));
});
const stepsNamed = (name: string) => nodes.filter((node) => node.name === name);

/** What n8n runs. */
const codeOf = (name: string, ...names: string[]) =>
	new Function(...names, String(stepsNamed(name)[0]?.parameters.jsCode)) as (
		...given: unknown[]
	) => Array<{ json: Record<string, unknown> }>;

const items = (of: object[]) => ({
	all: () => of.map((json) => ({ json })),
	itemMatching: (at: number) => ({ json: of[at] }),
});

describe('The steps that escape what a license says', () => {
	const steps = nodes.filter(({ name }) => name.startsWith('Escape for '));
	const first = String(steps[0]?.parameters.jsonOutput);
	const escaping = first.slice(first.indexOf('.replaceAll'));

	it('escape in one way', () => {
		expect(steps.length).toBeGreaterThan(2);
		expect(escaping).toMatch(/^\.replaceAll/);
		for (const { parameters, file } of steps) {
			expect(String(parameters.jsonOutput).endsWith(`)${escaping}`), file).toBe(true);
		}
	});

	it('leave no markup, no mention and no link, and change nothing else', () => {
		const code = `return JSON.stringify($json)${escaping.replace(' }}', '')}`;
		const given = { company: '<!channel> & <b>"Joe\'s"</b>', isLiquor: true, latitude: null };
		expect(JSON.parse(new Function('$json', code)(given) as string)).toEqual({
			company: '&lt;!channel&gt; &amp; &lt;b&gt;"Joe\'s"&lt;/b&gt;',
			isLiquor: true,
			latitude: null,
		});
	});
});

it('The row of a lead in Google Sheets is found by leadId alone, so that a new holder gets one of its own', () => {
	const step = nodes.find(({ type }) => type.endsWith('.googleSheets'));
	expect(step?.parameters.columns).toMatchObject({ matchingColumns: ['leadId'] });
});

describe('The step that finds a territory', () => {
	const run = codeOf('Find Territory', '$input', '$');
	const find = (leads: object[], rows: object[]) =>
		run(items(rows), () => items(leads)).map(({ json }) => json);

	/** Where a license is. */
	const filters = WEBHOOK_FILTERS.filter(({ fields: [{ name }] }) => name !== 'licenseTypes');
	/** What holds the same in an address, in a lead, in a territory, and in the filters of the nodes. */
	const NAMES = {
		county: ['county', 'counties', 'counties'],
		city: ['city', 'cities', 'cities'],
		zip: ['postalCode', 'zip_codes', 'zipCodes'],
	} as const;

	/** Which places lie in a territory of this text, and which of them the filters keep. */
	function compare(kind: keyof typeof NAMES, all: unknown[], text: string) {
		const [inLead, inRow, filter] = NAMES[kind];
		const leads = all.map((place) => ({ [inLead]: place }));
		const found = find(leads, [{ name: 'Mine', [inRow]: text }]);
		const given: Record<string, unknown> = { keepUnlocated: false, [filter]: text };
		const read = readFilters(filters, () => given);
		const isKept = (place: unknown) =>
			filters.every(
				({ fields: [{ name }], matches }) =>
					!(name in read) || matches({ address: { [kind]: place } }, read[name]),
			);
		expect(
			found.map(({ territory }) => territory !== null),
			text,
		).toEqual(all.map(isKept));
	}

	it('is the same in every workflow', () => {
		const codes = stepsNamed('Find Territory').map(({ parameters }) => parameters.jsCode);
		expect(codes.length).toBeGreaterThan(2);
		expect(new Set(codes).size).toBe(1);
	});

	const spelled = (name: string) => [
		...[name, name.toUpperCase(), ` ${name.toLowerCase()} `, name.replaceAll('.', '')],
		...[name.replace(/^St\.? /, 'Saint '), name.replaceAll('-', ' ')],
		name.replace(/^Fort /, 'Ft. '),
	];

	it('takes every county in the spellings of the filters, and no other', () => {
		for (const { name } of COUNTIES) {
			const counties = [name, `${name} COUNTY`, 'Bay', 'Dade', '', null];
			for (const text of spelled(name)) {
				for (const ending of ['', ' County']) compare('county', counties, text + ending);
			}
		}
	});

	it('takes cities in the spellings of the filters, and no other', () => {
		const nicknames = ['St. Pete', 'Boca', 'Jax', 'Ft Laud', 'Vero', 'Town of Davie', 'Lk Worth'];
		const odd = /^(?:St|Ft|Fort|Mount|Port|North|South|East|West|Lake|O|Miami|Tampa)|['.-]/;
		const cities = new Set([...places().values()].map(({ city }) => city));
		const others = ['Saint Petersburg', 'Boca Raton', 'Jacksonville', '?', '', null];
		for (const name of [...nicknames, ...[...cities].filter((city) => odd.test(city))]) {
			for (const text of spelled(name)) compare('city', [name, `${name}, FL`, ...others], text);
		}
	});

	it.each([
		...['33602', '33101-33199', '33101 – 33199', '331*', '33602-1234', '33602 33603'],
		...['33601, 337*', '33601;33602', '33601 and 33602'],
	])('takes ZIP codes as the filters do: %s', (zipCodes) => {
		const some = ['33602', '33602-1234', 33101, '33150', '33199', '33200', '33700', '3360'];
		compare('zip', [...some, '', null], zipCodes);
	});

	it('brings a lead once for each territory that it lies in, and once if in none', () => {
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
});

describe('The step that decides about matches', () => {
	const decide = codeOf('Decide', '$input', '$');
	const match = (name: string, matchScore: number, more: object = {}) => ({
		...{ leadId: `lic_${name}`, venueKey: `${name}-33602`, company: name },
		...{ matchScore, matchReason: 'as measured', ...more },
	});
	const none = { matchScore: 0, matchReason: 'no license found' };
	const [ASK, NONE] = ['please decide', 'no license found'];

	it.each([
		['a clear match', [match('a', 0.95)], ['linked']],
		['a low score', [match('a', 0.89)], [ASK]],
		['no match', [none, none], [NONE, NONE]],
		[
			'two at one venue, with two licenses',
			[match('a', 0.95), match('a', 0.95, { leadId: 'lic_b' }), match('c', 1)],
			['linked', 'linked', 'linked'],
		],
		['two with one license', [match('a', 0.95), match('a', 0.95)], [ASK, ASK]],
		['a license of an earlier run', [match('known', 1)], [ASK]],
	])('takes %s for what it is', (_, matches, results) => {
		const steps: Record<string, object[]> = {
			'Each Company': matches.map(() => ({ id: '17', properties: { name: 'Mine' } })),
			'Open Questions': [{ license_id: 'lic_known' }],
		};
		const decided = decide(items(matches), (name: string) => items(steps[name] ?? []));
		expect(decided.map(({ json }) => json.result)).toEqual(results);
		for (const { json } of decided) {
			expect(json).toMatchObject({ company: 'Mine', reason: expect.stringMatching(/^as |^no /) });
			expect(json.license_id === '').toBe(json.result === NONE);
		}
	});
});

describe('The step that takes formulas out of letters', () => {
	const step = stepsNamed('No Formulas')[0]?.parameters.jsonOutput;
	const run = new Function('$json', `return ${String(step).slice(4, -3)}`);

	it.each([
		...['=1+1', ' \t=1+1', '\u200B=1+1', '\u2066=1+1', '＝1+1', '＠1+1'].map((text) => [
			text,
			'1+1',
		]),
		['JOES;=HYPERLINK(A1)', 'JOES;HYPERLINK(A1)'],
		['JOES; \u200B＋-1', 'JOES;1'],
		['A-1 Bar @ Bay; Grill', 'A-1 Bar @ Bay; Grill'],
	])('makes of %j the text %j', (given, left) => {
		expect(run({ Company: given, ZIP: 33602 })).toEqual({ Company: left, ZIP: '33602' });
	});
});

describe('The step that writes the weekly numbers', () => {
	const writeEmail = codeOf('Write Email', '$input', '$now');
	/** Each row is "week county type licenses"; each line of a section "name count change width". */
	const write = (...rows: string[]) => {
		const counts = rows.map((row) => {
			const [day, county, license_type, licenses] = row.split(' ');
			return { week: `2026-11-${day}`, county, license_type, licenses };
		});
		const $now = { startOf: () => ({ toISODate: () => '2026-11-23' }) };
		const { subject, html } = writeEmail(items(counts), $now)[0]?.json ?? {};
		const line = /<td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td>.*?width:(\d+)px/g;
		const [, ...sections] = String(html).split('<h3>');
		return [
			String(subject).split(': ')[1],
			...sections.map((section) =>
				[...section.matchAll(line)].map(([, ...cells]) => cells.join(' ')),
			),
		];
	};

	it('adds up counties and types, the most first, with the change since last week', () => {
		const thisWeek = ['23 Lee COP 3', '23 Lee BEV 1', '23 Bay COP 8', '23 Polk COP 0'];
		expect(write(...thisWeek, '16 Lee COP 5', '16 Bay COP 8', '16 Clay SRX 1')).toEqual([
			'12, −2 since last week',
			['Bay 8 ±0 200', 'Lee 4 −1 100', 'Clay 0 −1 0'],
			['COP 11 −2 200', 'BEV 1 +1 18', 'SRX 0 −1 0'],
		]);
	});

	it('tells no change in the first week', () => {
		expect(write('23 Lee COP 3')).toEqual(['3', ['Lee 3  200'], ['COP 3  200']]);
	});
});

describe('The step that says why nothing came', () => {
	const sayWhy = codeOf('Say Why', '$input', '$');
	const groups = [
		{ county: 'Miami-Dade', count: 3 },
		{ county: 'St. Johns', count: 1 },
		{ county: 'Bay', count: 0 },
		{ county: 'Other', count: 2 },
	];
	const refused = [{ error: 'The API key was not accepted' }];
	const one = /^Your filters .* one new filing .* SAINT JOHNS County,/;

	it.each([
		['the list stands still', /^The service lists no new filing/, undefined, groups.slice(2, 3)],
		['the county is quiet', /quiet: .* in Bay County, and 6 new/, ['Bay'], groups],
		['the filters keep nothing', one, 'SAINT JOHNS COUNTY', groups],
		[
			'of several counties',
			/ 4 new .* Miami-Dade, St. Johns County/,
			['Miami-Dade', 'St. Johns'],
			groups,
		],
		['of all of Florida', /^Your filters .* 6 new filings .* in Florida,/, undefined, groups],
		['the key is refused', /: The API key was not accepted\.$/, undefined, refused],
	])('tells that %s', (_, reason, counties, counted) => {
		const filters = counties ? { counties } : {};
		const [said] = sayWhy(items(counted), () => ({ params: { filters } }));
		expect(said?.json.reason).toMatch(reason);
	});
});
