import { matcherOf, readFilters } from '../../nodes/LicensingData/filters/filter.ts';
import { WEBHOOK_FILTERS } from '../../nodes/LicensingData/filters/licenseFilters.ts';
import { COUNTIES } from '../../nodes/LicensingData/licenses/counties.ts';
import { LOOKBACK_DAYS } from '../../nodes/LicensingData/trigger/lookback.ts';
import type { Workflow } from '../../playground/client.mts';
import { filesIn, readText } from '../support/manifest.mts';

const steps = filesIn('workflows', '.json').flatMap((file) => {
	const workflow = JSON.parse(readText(file)) as Workflow;
	return workflow.nodes.map((step) => ({ ...step, file }));
});
const stepsNamed = (name: string) => steps.filter((step) => step.name === name);
const parametersOf = (name: string) => stepsNamed(name)[0]?.parameters ?? {};

/** What n8n runs: from what its code is given to the rows that come out. */
function codeOf(name: string, ...names: string[]) {
	const run = new Function(...names, String(parametersOf(name).jsCode));
	return (...given: unknown[]): Array<Record<string, unknown>> =>
		(run(...given) as Array<{ json: Record<string, unknown> }>).map(({ json }) => json);
}

const items = (of: object[]) => ({
	all: () => of.map((json) => ({ json })),
	itemMatching: (at: number) => ({ json: of[at] }),
});

/** What the steps before a step brought. */
const before = (steps: Record<string, object[]>) => (name: string) => ({
	...items(steps[name] ?? []),
	first: () => ({ json: steps[name]?.[0] }),
	isExecuted: name in steps,
});

const MIDDLE = [
	...['Make Delivered', 'Make Leave Out', 'Leave Out', 'Sort Out', 'Note Received', 'To Send'],
	...['One by One', 'Note Outcome', 'All Sent?', 'Find Territory', 'Write Email'],
];
const OF_EMAILS = ['Latest', 'Unsent', 'Still to Send', 'Mark as Sent', 'Keep Lead', 'Note Kept'];

it.each([
	...MIDDLE.map((name) => [name, /./] as const),
	...OF_EMAILS.map((name) => [name, /-(?:email|direct-mail)\.json$/] as const),
])('The step %s is the same in every workflow', (name, files) => {
	const same = stepsNamed(name)
		.filter(({ file }) => files.test(file))
		.map(({ id: _, position: __, file: ___, ...step }) => step);
	expect(same.length).toBeGreaterThan(1);
	// Its first line says where the leads of a workflow come from.
	const texts = same.map((step) => JSON.stringify(step).replace(/const leads = .*?\\n/, ''));
	expect(new Set(texts).size).toBe(1);
});

it('The steps that escape a license do it in one way, and leave no markup', () => {
	const escaping = steps.filter(({ name }) => name.startsWith('Escape for '));
	const codes = escaping.map(({ parameters }) =>
		String(parameters.jsonOutput)
			.replace(/^[^]*?(?=\.replaceAll)/, '')
			.replace(' }}', ''),
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
	const find = (leads: object[], rows: object[]) => run(items(rows), () => items(leads));

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
				matcherOf(filters, read)({ address: { [field]: lead[inLead] } });
			const isFound = found.map(({ territory }) => territory !== null);
			expect(isFound, text).toEqual(leads.map(isKept));
			expect(isFound, text).toContain(true);
		}
	});
});

describe('The middle of the workflows that send leads', () => {
	/** What the code of a step makes of its input and of what came out of others. */
	const run = (name: string, input: object[], leads: object[]) =>
		codeOf(name, '$input', '$', '$workflow')(items(input), () => items(leads), { id: 'w' });

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
		[true, { name: 'Old Salt' }],
		[true, { name: 'RUSTY ANCHOR, INC.', zip: 33602 }],
		[false, { name: 'Rusty Anchor', zip: '33603' }],
		[false, { name: 'Rusty' }],
		[false, { zip: '33602' }],
		[false, { name: '', venueKey: '', holderKey: null, licenseNumber: ' ' }],
		[false, {}],
	])('leaves a lead out (%j) that the table names as %j', (isLeftOut, row) => {
		const [noted] = run('Sort Out', [{ name: 'Other' }, { reason: 'customer', ...row }], [lead]);
		expect(noted).toEqual({
			...{ eventId: 'e', company: 'Rusty Anchor', workflow: 'w', sentTo: '' },
			receivedAt: expect.any(String),
			...(isLeftOut && { outcome: 'left out', reason: 'customer' }),
		});
	});

	it('sends a lead once to each person who neither has it nor is left out', () => {
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
	type Night = { after?: object[]; settings?: object; florida?: object; failure?: string };
	/** In `after` are the rows after what is missing was sent. */
	function run(listed: object[], rows: object[] = rowsFrom('z listed 24 known'), more: Night = {}) {
		const { after = rows, settings, florida = { count: 9 }, failure } = more;
		const out: Record<string, object[]> = {
			Today: [{ today: TODAY, sendAtMost: 2, countAsKnown: false, ...settings }],
			...{ 'Rows Before': rows, 'Rows After': after },
			...{ Territory: listed, 'All of Florida': [florida] },
			...(failure && { 'Send Missing': [{ error: failure }] }),
		};
		const $ = (name: string) => ({ ...before(out)(name), params: { workflowId: { value: 'w' } } });
		const [compared = expect.unreachable()] = codeOf('Compare', '$')($);
		out.Compare = [compared];
		const { noted = [], toSend = [] } = compared as Record<string, Array<Record<string, string>>>;
		const said = codeOf('Say', '$')($)[0] as Record<'subject' | 'text', string>;
		return { ...said, noted, sent: toSend.map(({ eventId }) => eventId).join('') };
	}
	const MANY = 'a listed 24, b listed 24, c listed 24';
	const NIGHTS = `
all is delivered; a; z listed 9, a received 30 delivered; : 1 listed, 1 delivered, 0 missing
one is known; ab; a received 30 delivered, b listed 9 known; , 1 known, 0 missing
one is listed first; a; z listed 24 known; : 1 listed, 0 delivered, 1 on the way, 0 missing
one was listed the day before; a; a listed 24; : the trigger did not bring one filing; a
one was refused; a; z listed 24, a received 2; : one was refused; a
one came just now; a; z listed 24, a received 0.5; , 1 on the way, 0 missing
there are both; ab; a listed 24, b received 2; : the trigger did not bring one filing, one was refused; ab
there are too many; abc; ${MANY}; : 3 missing, none sent
one of two people did not get it; a; z listed 9, a received 30 delivered ann, a received 30; : one was refused; a
it is no longer for one who did not get it; a; a received 40, a received 30 delivered ann, z listed 9; , 1 delivered, 0 missing
its trigger finds it too old; o; z listed 24 known; : 0 listed, 0 delivered, 0 missing`;

	it.each(
		NIGHTS.trim()
			.split('\n')
			.map((night) => night.split('; ')),
	)('says so if %s, and sends what is missing', (_, listed, rows = '', subject, sent = '') => {
		const said = run(leads(String(listed)), rowsFrom(rows));
		expect(said.subject.slice(-String(subject).length)).toBe(subject);
		expect(said.sent).toBe(sent);
	});

	it.each([
		['The API key was not accepted', 'Nightly check: the key was rejected'],
		['Service unavailable', 'Nightly check: the list cannot be read'],
	])('says that it cannot read the list: %s', (error, subject) => {
		expect(run([{ error }])).toMatchObject({ subject, text: expect.stringContaining(error) });
	});

	it('looks back as many days as the trigger does', () => {
		const { usual } = LOOKBACK_DAYS;
		expect(JSON.stringify(parametersOf('Territory'))).toContain(`minus({ days: ${usual} })`);
		expect(parametersOf('Compare').jsCode).toContain(`isBefore(filedDate, ${usual} * 24)`);
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

it('Letters go to holders of licenses that are new, or may be', () => {
	const { filters } = parametersOf('New License') as { filters?: object };
	expect(filters).toMatchObject({ filingKinds: ['newLicense', 'notKnown'] });
});

describe('The emails of leads', () => {
	const write = codeOf('Write Email', '$input', '$');
	const settings = {
		...{ Subject: 'Liquor licenses', 'Nothing New': 'No new license in your territory' },
		...{ 'Email If Nothing Is New': true, Since: 'since Friday' },
	};
	const mailOf = (leads: object[], more: object = {}) =>
		write(items(leads), before({ Settings: [{ ...settings, ...more }] }))[0] as
			| { subject: string; html: string }
			| undefined;
	const lead = (number: number, more: object = {}) => ({
		...{ eventId: `evt_${number}`, event: 'new_filing', filingKind: 'newLicense' },
		...{ company: `Bar ${number}`, street: `${number} Bay St`, city: 'Tampa', ...more },
	});

	it('have kind, name, place and phone first, and one line a fact', () => {
		const facts = {
			...{ county: 'HILLSBOROUGH COUNTY', state: 'FL', postalCode: '33602', phone: '813-555-0148' },
			...{ licenseTypeName: 'Special (SRX)', licenseNumber: 'BEV1', legalName: 'Salt LLC' },
			...{ filedDate: '2026-11-02', effectiveDate: 'soon', website: 'https://bar.example' },
			sourceUrl: 'https://records.example',
		};
		const { html } = mailOf([lead(1, facts)]) ?? expect.unreachable();
		const text = html.replace(/<br>|<p style/g, '\n$&').replace(/<[^>]*>/g, '');
		expect(text.split('\n')).toEqual([
			...['Map of all', 'New license', 'Bar 1', 'Tampa, HILLSBOROUGH County', '813-555-0148'],
			...['1 Bay St, Tampa, FL 33602', 'Special (SRX)', 'Holder: Salt LLC', 'Filed Nov 2, 2026'],
			...['In effect soon', 'License BEV1', 'https://bar.example', 'Official record'],
		]);
	});

	it.each([
		[1, ['Map of all'], [1]],
		[10, ['Map of all'], [10]],
		[12, ['Map of 1 to 10', 'Map of 11 to 12'], [10, 2]],
	])('link to a map of all %s of them', (count, labels, stops) => {
		const leads = Array.from({ length: count }, (_, number) =>
			lead(number, { city: 'A &amp; B', filingKind: null }),
		);
		const links = [...(mailOf(leads)?.html ?? '').matchAll(/<a href="(.+?)">(.+?)</g)];
		expect(links.map(([, , label]) => label)).toEqual(labels);
		const placesIn = (link = '') => {
			const { searchParams } = new URL(link.replaceAll('&amp;', '&'));
			const asked = ['query', 'origin', 'waypoints', 'destination'];
			return asked.flatMap((name) => searchParams.get(name)?.split('|') ?? []);
		};
		expect(links.map(([, link]) => placesIn(link).length)).toEqual(stops);
		expect(placesIn(links[0]?.[1])[0]).toBe('0 Bay St, A   B');
		expect(mailOf([lead(1, { street: null })])?.html).not.toContain('Map');
	});

	it('say that nothing is new, unless that is turned off', () => {
		expect(mailOf([{}])).toEqual({
			subject: 'Liquor licenses: nothing new since Friday',
			html: '<p>No new license in your territory since Friday.</p>',
		});
		expect(mailOf([{}], { 'Email If Nothing Is New': false })).toBeUndefined();
	});

	it.each([
		[undefined, 'yet'],
		['2026-11-28T04:30:00.000Z', 'since Friday'],
		['2026-11-22T13:00:00.000Z', 'since Sunday'],
		['2026-11-21T13:00:00.000Z', 'since November 21'],
	])("say since when, by the latest lead, in the workflow's time zone: %s is %s", (at, since) => {
		const settings = JSON.stringify(stepsNamed('Settings'));
		const all = settings.matchAll(/"name":"Since","value":("(?:[^"\\]|\\.)+")/g);
		const [value = expect.unreachable(), ...others] = new Set([...all].map(([, one]) => one));
		expect(others).toEqual([]);
		const now = Object.assign(new Date('2026-11-28T12:00:00Z'), { zoneName: 'America/New_York' });
		const code = (JSON.parse(value) as string).slice(3, -2);
		const run = new Function('$json', '$now', `return ${code}`);
		expect(run({ createdAt: at }, now)).toBe(since);
	});

	it('have letters of whole addresses beside them, or one row that says there are none', () => {
		const choose = codeOf('Letters', '$input', '$');
		const whole = { company: 'Bar', street: '1 Bay St', city: 'Tampa', postalCode: '33602' };
		const rows = [whole, { ...whole, postalCode: null }].map((one, id) => ({
			...{ id, lead: JSON.stringify(one) },
		}));
		const letters = (given: object[], more: object = {}) =>
			choose(items(given), before({ Settings: [{ ...settings, ...more }] }));
		expect(letters(rows)).toEqual([{ ...whole, row: 0 }]);
		expect(letters(rows.slice(1))).toEqual([{ row: null }]);
		expect(letters([{}], { 'Email If Nothing Is New': false })).toEqual([]);
	});
});

describe('The phone look-ups', () => {
	const choose = codeOf('Who Is Due', '$');
	const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
	const row = (id: number, days?: number) => ({
		...{ id, lead: JSON.stringify({ company: `Bar ${id}` }) },
		askedAt: days === undefined ? null : ago(days),
	});
	const due = (without: object[], asked: object[] = [{}], most = 300) => {
		const steps = { 'Asked This Month': asked, 'Without Any': without };
		const chosen = choose(before({ ...steps, Settings: [{ 'Look-Ups a Month': most }] }));
		return chosen.map(({ row }) => row);
	};

	it('take new leads first, then those of thirty days ago, at most fifty at once', () => {
		expect(due([row(1, 30), row(2, 29), row(3), {}])).toEqual([3, 1]);
		const many = Array.from({ length: 60 }, (_, id) => row(id + 1));
		expect(due(many)).toHaveLength(50);
	});

	it('stop at the number of the month, without those of the month before', () => {
		const asked = [
			{ id: 7, askedAt: ago(0) },
			{ id: 8, askedAt: ago(40), askedAgainAt: ago(0) },
		];
		const three = [row(1), row(2), row(3)];
		expect(due(three, asked, 4)).toEqual([1, 2]);
		expect(due(three, asked, 2)).toEqual([]);
	});

	it.each(['Find Place', 'Update Lead in CRM'])('fail with the reason that %s gives', (name) => {
		const run = () => codeOf('All Well?', '$')(before({ [name]: [{ error: 'Gone' }, {}] }));
		expect(run).toThrow(`${name} failed for 1 of 2 leads. Gone`);
	});
});

describe('The date at which a license of a customer expires', () => {
	const say = codeOf('What to Say', '$input', '$', '$today');
	const today = { toISODate: () => '2026-11-28' };
	const row = { id: 1, business: 'Rusty Anchor', rep_email: 'dana@example.com', told: null };
	const saidOf = (licenses: object[], rows: object[] = licenses.map(() => row)) =>
		say(items(licenses), before({ 'Is a Look Due?': rows }), today);

	it.each<[expires: string | null, look: string, subject?: string]>([
		['2027-01-28', '2026-11-29'],
		['2027-01-27', '2026-12-28', 'in 60 days'],
		['2026-12-29', '2026-11-29', 'in 31 days'],
		['2026-12-28', '2026-12-21', 'in 30 days'],
		['2026-12-05', '2026-12-06', 'in 7 days'],
		['2026-11-28', '2026-11-29', 'today'],
		['2026-11-27', '2026-12-05', 'expired on 2026-11-27'],
		[null, '2026-12-05'],
	])('%s is told once, and the next look is on %s', (expirationDate, look, subject = '') => {
		const [said] = saidOf([{ expirationDate, licenseNumber: 'BEV1' }]);
		expect(said).toMatchObject({ look_again: look });
		expect(String(said?.subject)).toContain(subject);
		expect(said?.isNews ?? false).toBe(subject !== '');
		const [again] = saidOf([{ expirationDate }], [{ ...row, ...said }]);
		expect(again?.isNews ?? false).toBe(false);
		const [renewed] = saidOf([{ expirationDate: '2030-01-01' }], [{ ...row, ...said }]);
		expect(renewed).toMatchObject({ expires: '2030-01-01', told: '', isNews: false });
	});

	it('waits for the next morning where one look fails, and fails where all do', () => {
		const [failed, gone] = [{ error: 'Too many' }, { error: "No license matches 'BEV1'" }];
		expect(saidOf([failed, gone], [row, { ...row, id: 2 }])).toMatchObject([
			{ id: 2, look_again: '2026-12-05' },
		]);
		expect(() => saidOf([failed, failed])).toThrow('Too many');
	});
});
