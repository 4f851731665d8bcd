import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { LIST_FILTERS, WEBHOOK_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/knownValues.ts';
import { ROOT } from '../support/manifest.mts';

interface Step {
	id: string;
	position: number[];
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
		// The first line says where its leads come from.
		const codes = stepsNamed('Find Territory').map(({ parameters }) =>
			parameters.jsCode?.replace(/^const leads = .*/, ''),
		);
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

describe('The middle of the workflows that send leads', () => {
	/** What the code of a step makes of its input and of what came out of others. */
	const run = (name: string, input: object[], leads: object[]) =>
		codeOf(
			name,
			'$input',
			'$',
			'$workflow',
		)(items(input), () => items(leads), { id: 'w' }).map(({ json }) => json);

	it('is the same in all of them, and fills columns that its table has', () => {
		const names = ['Make Delivered', 'Make Leave Out', 'Leave Out', 'Sort Out', 'Note Received'];
		for (const name of [...names, 'To Send', 'One by One', 'Note Outcome', 'All Sent?']) {
			const same = stepsNamed(name).map(({ id: _, position: __, file: ___, ...step }) => step);
			expect(same.length, name).toBeGreaterThan(8);
			for (const step of same) expect(step).toEqual(same[0]);
		}
		const columns = parametersOf('Make Delivered').columns as { column?: Array<{ name: string }> };
		const row = run('Sort Out', [{ name: 'Mine' }], [{ eventId: 'e', company: 'Mine' }])[0] ?? {};
		expect(columns.column?.map(({ name }) => name)).toEqual(
			expect.arrayContaining(Object.keys(row)),
		);
	});

	const lead = {
		...{ eventId: 'e', company: 'Rusty Anchor', legalName: 'Old Salt, L.L.C.' },
		...{ licenseNumber: 'BEV1', venueKey: '1-bay-st-33602', holderKey: 'old-salt-llc' },
		postalCode: '33602-1234',
	};

	it.each<[boolean, object]>([
		[true, { venueKey: '1-bay-st-33602' }],
		[true, { holderKey: ' OLD-SALT-LLC ' }],
		[true, { licenseNumber: 'bev1' }],
		[true, { name: 'old salt LLC' }],
		[true, { name: 'RUSTY ANCHOR, INC.', zip: 33602 }],
		[false, { name: 'Rusty Anchor', zip: '33603' }],
		[false, { name: 'Rusty' }],
		[false, { zip: '33602' }],
		[false, { name: '', venueKey: '', holderKey: null, licenseNumber: ' ' }],
		[false, {}],
	])('leaves a lead out (%j) that the table names as %j', (isLeftOut, row) => {
		const [noted] = run('Sort Out', [{ name: 'Other' }, { reason: 'customer', ...row }], [lead]);
		expect(noted).toMatchObject({
			eventId: 'e',
			company: 'Rusty Anchor',
			workflow: 'w',
			sentTo: '',
		});
		const [outcome, reason] = isLeftOut ? ['left out', 'customer'] : [];
		expect([noted?.outcome, noted?.reason]).toEqual([outcome, reason]);
	});

	it('never takes an empty name of a lead for an empty name in the table', () => {
		const nobody = { eventId: 'e', company: null, legalName: '', licenseNumber: '' };
		expect(run('Sort Out', [{ name: '!', licenseNumber: '' }], [nobody])[0]?.outcome).toBe(
			undefined,
		);
	});

	it('sends a lead once, to each person for whom it has neither been delivered nor left out', () => {
		const sent = (...leads: Array<[eventId: string, sentTo?: string]>) =>
			leads.map(([eventId, sentTo]) => (sentTo ? { eventId, sentTo } : { eventId }));
		const leads = sent(['a'], ['b'], ['c'], ['d'], ['e', 'ann'], ['e', 'bob'], ['d']);
		const outcomes = { a: 'delivered', b: 'left out', c: 'known', d: null, e: 'delivered' };
		const rows = Object.entries(outcomes).map(([eventId, outcome]) => ({
			...{ eventId, outcome },
			sentTo: eventId === 'e' ? 'ann' : '',
		}));
		expect(run('To Send', rows, leads)).toEqual(sent(['c'], ['d'], ['e', 'bob']));
	});

	it('fails at its end if a lead was refused, and says which and why', () => {
		const delivered = { company: 'A', outcome: 'delivered' };
		expect(run('All Sent?', [delivered], [])).toEqual([]);
		const refused = { company: 'Rusty Anchor', outcome: '', reason: 'Not now' };
		expect(() => run('All Sent?', [delivered, refused, refused], [])).toThrow(
			'Not delivered: 2 of 3 leads. Rusty Anchor: Not now',
		);
	});
});

describe('The nightly check', () => {
	const TODAY = '2026-11-28T11:00:00.000Z';
	const ago = (hours: number) => new Date(Date.parse(TODAY) - hours * 3_600_000).toISOString();
	const leads = (ids: string) =>
		[...ids].map((eventId) => ({
			...{ eventId, company: `Bar ${eventId}`, city: 'Tampa' },
			// What the trigger finds too old.
			filedDate: eventId === 'o' ? '2026-08-01' : '2026-11-26',
		}));
	/** "a listed 24, b received 30 delivered ann": hours ago, the outcome, and to whom. */
	const rowsFrom = (text: string) =>
		text.split(', ').map((row) => {
			const [eventId, event, hours, outcome = '', sentTo = ''] = row.split(' ');
			return { eventId, outcome, sentTo, [`${event}At`]: ago(Number(hours)) };
		});
	/** The check has run before. */
	const BEFORE = 'z listed 24 known';

	function run(listed: object[], rows: object[] = rowsFrom(BEFORE), more: Night = {}) {
		const { after = rows, settings, florida = { count: 9 }, failure } = more;
		const out: Record<string, object[]> = {
			Today: [{ today: TODAY, sendAtMost: 2, countAsKnown: false, ...settings }],
			...{ 'Rows Before': rows, 'Rows After': after },
			...{ Territory: listed, 'All of Florida': [florida] },
			...(failure && { 'Send Missing': [{ error: failure }] }),
		};
		const $ = (name: string) => ({
			...items(out[name] ?? []),
			first: () => items(out[name] ?? []).all()[0],
			...{ isExecuted: name in out, params: { workflowId: { value: 'w' } } },
		});
		const [{ json: compared } = expect.unreachable()] = codeOf('Compare', '$')($);
		out.Compare = [compared];
		const { noted = [], toSend = [] } = compared as Record<string, Array<Record<string, string>>>;
		const said = codeOf('Say', '$')($)[0]?.json as Record<'subject' | 'text', string>;
		return { ...said, noted, sent: toSend.map(({ eventId }) => eventId).join('') };
	}
	interface Night {
		/** The rows after what is missing was sent. */
		after?: object[];
		settings?: object;
		florida?: object;
		failure?: string;
	}

	const MISSED = 'the trigger did not bring one filing';
	const MANY = 'a listed 24, b listed 24, c listed 24';

	it.each([
		[
			'all is delivered',
			'a',
			'z listed 9, a received 30 delivered',
			'1 listed, 1 delivered, 0 missing',
			'',
		],
		['one is known', 'ab', 'a received 30 delivered, b listed 9 known', / 1 known, 0 missing$/, ''],
		['one is listed first', 'a', BEFORE, '1 listed, 0 delivered, 1 on the way, 0 missing', ''],
		['one was listed the day before', 'a', 'a listed 24', MISSED, 'a'],
		['one was refused', 'a', 'z listed 24, a received 2', 'one was refused', 'a'],
		['one came just now', 'a', 'z listed 24, a received 0.5', / 1 on the way, 0 missing$/, ''],
		['there are both', 'ab', 'a listed 24, b received 2', `${MISSED}, one was refused`, 'ab'],
		['there are too many', 'abc', MANY, '3 missing, none sent', ''],
		[
			...['one of two people did not get it', 'a'],
			...['z listed 9, a received 30 delivered ann, a received 30', 'one was refused', 'a'],
		],
		[
			...['it is no longer for the one who did not get it', 'a'],
			...['a received 40, a received 30 delivered ann, z listed 9', / 1 delivered, 0 missing$/, ''],
		],
		['its trigger finds it too old', 'o', BEFORE, '0 listed, 0 delivered, 0 missing', ''],
	])('says so if %s, and sends what is missing', (_, listed, rows, subject, sent) => {
		const said = run(leads(String(listed)), rowsFrom(String(rows)));
		if (subject instanceof RegExp) expect(said.subject).toMatch(subject);
		else expect(said.subject).toBe(`Nightly check: ${subject}`);
		expect(said.sent).toBe(sent);
	});

	it.each([
		['The API key was not accepted', 'Nightly check: the key was rejected'],
		['Service unavailable', 'Nightly check: the list cannot be read'],
	])('says that it cannot read the list: %s', (error, subject) => {
		expect(run([{ error }])).toMatchObject({ subject, text: expect.stringContaining(error) });
	});

	it('counts as known what the first run finds, and what its user wants to', () => {
		const first = run(leads('abc'), rowsFrom('a received 30 delivered'));
		expect(first.noted.map(({ eventId, outcome }) => `${eventId} ${outcome}`)).toEqual([
			...['b known', 'c known', 'the list known'],
		]);
		expect(first.subject).toMatch(/first run/);
		const known = run(leads('abc'), rowsFrom(MANY), { settings: { countAsKnown: true } });
		expect(known.sent).toBe('');
		const after = run(leads('abc'), [...rowsFrom(MANY), ...known.noted]);
		expect(after.subject).toMatch(/3 known, 0 missing$/);
	});

	it('names what is missing, and says whether it is sent now, or why not', () => {
		const after = rowsFrom('a received 0 delivered, b listed 24');
		const failure = 'Workflow is not active';
		const { text } = run(leads('ab'), rowsFrom('a listed 24, b listed 24'), { after, failure });
		expect(text).toContain('- Bar a, Tampa, filed 2026-11-26: sent now');
		expect(text).toContain('- Bar b, Tampa, filed 2026-11-26: not sent: Workflow is not active');
		expect(text).toMatch(/^2 listed, 1 delivered, 1 missing\. Newest filing: November 26\./);
	});

	it.each([
		[20, { count: 9 }, /November 26\.$/, /0 missing$/],
		[48, { count: 9 }, / The list has stood still for 2 days\.$/, /0 missing$/],
		[72, { count: 9 }, / still for 3 days\./, /the list has stood still for 3 days$/],
		[72, { count: 8 }, /November 26\.$/, /0 missing$/],
		[72, { error: 'Too slow' }, /November 26\.$/, /0 missing$/],
	])('tells %i hours after it counted 9, now %o, if the list stands still', (...night) => {
		const [hours, florida, text, subject] = night;
		const list = { company: '9 new filings in Florida', outcome: 'known', listedAt: ago(hours) };
		const rows = [...rowsFrom('a received 30 delivered'), { eventId: 'the list', ...list }];
		const said = run(leads('a'), rows, { florida });
		expect(said.text).toMatch(text);
		expect(said.subject).toMatch(subject);
	});
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
