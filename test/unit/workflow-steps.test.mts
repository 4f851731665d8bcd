import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { COUNTIES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import type { Address } from '../../nodes/LicensingData/licenses/license.ts';
import { zipCodes as places } from '../../nodes/LicensingData/places/places.ts';
import { readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { WEBHOOK_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'workflows');

interface Node {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
}

const nodes = readdirSync(FOLDER).flatMap((file) => {
	const workflow = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { nodes: Node[] };
	return workflow.nodes.map((node) => ({ ...node, file }));
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
		const escape = new Function(
			'$json',
			`return JSON.stringify($json)${escaping.replace(' }}', '')}`,
		);
		const given = { company: '<!channel> & <b>"Joe\'s"</b>', isLiquor: true, latitude: null };
		expect(JSON.parse(escape(given) as string)).toEqual({
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

/** Where a license is. */
const FILTERS = WEBHOOK_FILTERS.filter(({ fields: [{ name }] }) => name !== 'licenseTypes');

describe('The step that finds a territory', () => {
	const steps = nodes.filter(({ name }) => name === 'Find Territory');
	const code = String(steps[0]?.parameters.jsCode);

	const step = new Function('$input', '$', code) as (...given: unknown[]) => Array<{
		json: Record<string, unknown>;
	}>;
	/** Runs it as n8n does. */
	const find = (leads: object[], rows: object[]) => {
		const items = (of: object[]) => ({ all: () => of.map((json) => ({ json })) });
		return step(items(rows), () => items(leads)).map(({ json }) => json);
	};

	/** Which addresses lie in a territory, and which of them the filters of the nodes keep. */
	function compare(addresses: Address[], row: object, given: Record<string, string>) {
		const leads = addresses.map(({ city, county, zip }) => ({ city, county, postalCode: zip }));
		const found = find(leads, [{ name: 'Mine', ...row }]).map(
			({ territory }) => territory !== null,
		);
		const read = readFilters(FILTERS, () => ({ keepUnlocated: false, ...given }));
		const isKept = (address: Address) =>
			FILTERS.every(
				({ fields: [{ name }], matches }) => !(name in read) || matches({ address }, read[name]),
			);
		expect(found, JSON.stringify(given)).toEqual(addresses.map(isKept));
	}

	it('is the same in every workflow', () => {
		expect(steps.length).toBeGreaterThan(2);
		expect(new Set(steps.map(({ parameters }) => parameters.jsCode)).size).toBe(1);
	});

	const spelled = (name: string) => [
		...[name, name.toUpperCase(), ` ${name.toLowerCase()} `, name.replaceAll('.', '')],
		...[
			name.replace(/^St\.? /, 'Saint '),
			name.replaceAll('-', ' '),
			name.replace(/^Fort /, 'Ft. '),
		],
	];

	it('takes every county in the spellings of the filters, and no other', () => {
		for (const { name } of COUNTIES) {
			const others = [name, `${name} COUNTY`, 'Bay', 'Dade', '', null];
			for (const counties of spelled(name).flatMap((text) => [text, `${text} County`])) {
				compare(
					others.map((county) => ({ county })),
					{ counties },
					{ counties },
				);
			}
		}
	});

	const NICKNAMES = [
		'St. Pete',
		'Boca',
		'Jax',
		'Ft Laud',
		'Vero',
		'Town of Davie',
		'Lk Worth',
		'Jax Bch',
	];
	const cities = [...new Set([...places().values()].map(({ city }) => city))];

	it('takes cities in the spellings of the filters, and no other', () => {
		const odd = /^(?:St|Ft|Fort|Mount|Port|North|South|East|West|Lake|O|Miami|Tampa)|['.-]/;
		for (const name of [...NICKNAMES, ...cities.filter((city) => odd.test(city))]) {
			const others = [
				name,
				`${name}, FL`,
				'Saint Petersburg',
				'Boca Raton',
				'Jacksonville',
				'?',
				'',
				null,
			];
			for (const text of spelled(name)) {
				compare(
					others.map((city) => ({ city })),
					{ cities: text },
					{ cities: text },
				);
			}
		}
	});

	it.each([
		...['33602', '33101-33199', '33101 – 33199', '331*', '33602-1234', '33602 33603'],
		...['33601, 337*', '33601;33602', '33601 and 33602'],
	])('takes ZIP codes as the filters do: %s', (zipCodes) => {
		const zips = [
			'33602',
			'33602-1234',
			33101,
			'33150',
			'33199',
			'33200',
			'33700',
			'3360',
			'',
			null,
		];
		compare(
			zips.map((zip) => ({ zip: zip as string })),
			{ zip_codes: zipCodes },
			{ zipCodes },
		);
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
		expect(find(leads, rows)).toEqual([
			{ ...leads[0], territory: 'Bay', rep_email: 'ann@example.com', channel: '#bay' },
			{ ...leads[0], territory: 'Downtown', rep_email: 'bob@example.com', channel: null },
			{ ...leads[1], territory: null, rep_email: null, channel: null },
		]);
	});

	it('loses no lead where the table is empty', () => {
		expect(find([{ leadId: 'a', county: 'Leon' }], [{}])).toEqual([
			{ leadId: 'a', county: 'Leon', territory: null, rep_email: null, channel: null },
		]);
	});
});

describe('The step that decides about matches', () => {
	const { jsCode } = nodes.find(({ name }) => name === 'Decide')?.parameters ?? {};
	const decide = new Function('$input', '$', String(jsCode)) as (...given: unknown[]) => Array<{
		json: Record<string, unknown>;
	}>;
	const match = (name: string, matchScore: number, more: object = {}) => ({
		...{ leadId: `lic_${name}`, venueKey: `${name}-33602`, company: name },
		...{ matchScore, matchReason: 'as measured', ...more },
	});
	const none = { matchScore: 0, matchReason: 'no license found' };

	it.each([
		['a clear match', [match('a', 0.95)], ['linked']],
		['a low score', [match('a', 0.89)], ['please decide']],
		['no match', [none, none], ['no license found', 'no license found']],
		[
			'two at one venue, with two licenses',
			[match('a', 0.95), match('a', 0.95, { leadId: 'lic_b' }), match('c', 1)],
			['linked', 'linked', 'linked'],
		],
		[
			'two with one license',
			[match('a', 0.95), match('a', 0.95)],
			['please decide', 'please decide'],
		],
		['a license of an earlier run', [match('known', 1)], ['please decide']],
	])('takes %s for what it is', (_, matches, results) => {
		const items = (of: object[]) => ({
			all: () => of.map((json) => ({ json })),
			itemMatching: (at: number) => ({ json: of[at] }),
		});
		const company = { id: '17', properties: { name: 'Mine' } };
		const steps: Record<string, object[]> = {
			'Each Company': matches.map(() => company),
			'Open Questions': [{ license_id: 'lic_known' }],
		};
		const decided = decide(items(matches), (name: string) => items(steps[name] ?? []));
		expect(decided.map(({ json }) => json.result)).toEqual(results);
		for (const { json } of decided) {
			expect(json).toMatchObject({ company: 'Mine', reason: expect.stringMatching(/^as |^no /) });
			expect(json.license_id === '').toBe(json.result === 'no license found');
		}
	});
});

describe('The step that takes formulas out of letters', () => {
	const step = nodes.find(({ name }) => name === 'No Formulas')?.parameters.jsonOutput;
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
	const { jsCode } = nodes.find(({ name }) => name === 'Write Email')?.parameters ?? {};
	const writeEmail = new Function('$input', '$now', String(jsCode)) as (
		...given: unknown[]
	) => [{ json: { subject: string; html: string } }];
	const $now = { startOf: () => ({ toISODate: () => '2026-11-23' }) };
	/** Each row is "week county type licenses"; each line of a section "name count change width". */
	const write = (...rows: string[]) => {
		const all = () =>
			rows.map((row) => {
				const [day, county, license_type, licenses] = row.split(' ');
				return { json: { week: `2026-11-${day}`, county, license_type, licenses } };
			});
		const [{ json }] = writeEmail({ all }, $now);
		const sections = json.html.split('<h3>').slice(1);
		const line = /<td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td><td[^>]*>(.*?)<\/td>.*?width:(\d+)px/g;
		return [
			json.subject.split(': ')[1],
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
	const { jsCode } =
		nodes.find(({ file, name }) => file === 'tell-me-when-nothing-comes.json' && name === 'Say Why')
			?.parameters ?? {};
	const sayWhy = new Function('$input', '$', String(jsCode)) as (
		...given: unknown[]
	) => [{ json: { reason: string } }];
	const say = (groups: object[], filters: object = {}) => {
		const all = () => groups.map((json) => ({ json }));
		return sayWhy({ all }, () => ({ params: { filters } }))[0].json.reason;
	};
	const groups = [
		{ county: 'Miami-Dade', count: 3 },
		{ county: 'St. Johns', count: 1 },
		{ county: 'Bay', count: 0 },
		{ county: 'Other', count: 2 },
	];

	it.each([
		[
			'the list stands still',
			/^The service lists no new filing/,
			[{ county: 'Bay', count: 0 }],
			{},
		],
		['the county is quiet', /quiet: .* in Bay County, and 6 new/, groups, { counties: ['Bay'] }],
		[
			'the filters keep nothing',
			/^Your filters .* one new filing .* SAINT JOHNS County,/,
			groups,
			{ counties: 'SAINT JOHNS COUNTY' },
		],
		[
			'of several counties',
			/ 4 new .* Miami-Dade, St. Johns County/,
			groups,
			{ counties: ['Miami-Dade', 'St. Johns'] },
		],
		['of all of Florida', /^Your filters .* 6 new filings of these weeks in Florida,/, groups, {}],
		[
			'the key is refused',
			/: The API key was not accepted\.$/,
			[{ error: 'The API key was not accepted' }],
			{},
		],
	])('tells that %s', (_, reason, counted, filters) => {
		expect(say(counted, filters)).toMatch(reason);
	});
});
