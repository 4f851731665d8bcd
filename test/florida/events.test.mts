import { NO_EVENTS } from '../../florida/licenseFromRow.mts';
import {
	bars,
	dated,
	Days,
	food,
	foods,
	holder,
	liquor,
	number,
	reissued,
	type Content,
	type Fields,
} from './made-up-files.mts';

const sea = (at: number): string => number('SEA23', at);
const bev = (at: number): string => number('BEV58', at);

/** Enough licenses that one more or less is no reason to doubt a file. */
const many = foods(60);
const pubs = bars(60);
const one = sea(1010);
const kitchen = (more: Fields): Fields => ({ ...many[10]!, ...more });
const pub = (more: Fields): Fields => ({ ...pubs[10]!, ...more });
const newNumber = sea(1060);
const oldNumber = sea(900);

const without = (rows: Fields[], gone: string): Fields[] =>
	rows.filter((row) => row['License Number'] !== gone);
/** Another file, in which a number has these rows. */
const withRows = (rows: Fields[], ...own: Fields[]): Fields[] => [
	...without(rows, own[0]!['License Number']!),
	...own,
];

/** The day of a week's files. */
const weekly = (week: number): string =>
	new Date(Date.UTC(2025, 6, 1 + 7 * week)).toISOString().slice(0, 10);

type Event = keyof typeof NO_EVENTS;
type Story = [
	/** By week, all files or the food file alone. */
	weeks: Record<number, Fields[] | Record<string, Content>>,
	/** By week, what has happened. In all others, nothing has. */
	events: Record<number, Partial<typeof NO_EVENTS>>,
	known?: Record<string, object | undefined>,
];

async function follow(...[weeks, brings, known = {}]: Story) {
	const days = new Days();
	for (const [week, files] of Object.entries(weeks)) {
		const all = Array.isArray(files) ? { hrfood1: files } : files;
		const { events, held } = await days.refresh(weekly(Number(week)), all);
		const expected = { ...NO_EVENTS, ...brings[Number(week)] };
		expect([week, events, held]).toEqual([week, expected, []]);
	}
	for (const [one, facts] of Object.entries(known))
		expect(await days.known(one)).toEqual(facts && expect.objectContaining(facts));
}

const incoming = { 'Licensee Name': 'SOMEBODY ELSE INC' };
const theirs = { holder: 'SOMEBODY ELSE INC' };
const nextTerm = { 'License Expiry Date': '10/01/2026' };
const reworded = { 'Licensee Name': holder(1010).replace(' LLC', ', L.L.C.') };
const leaving = { 'Primary Status Code': '45', 'Secondary Status Code': '45' };
const noise = { 'Last Inspection Date': '07/01/2025', Region: '4', 'Base Risk Level': 'Level 3' };
const moved = { 'Location Street Address': '1 OTHER ST', 'Primary Phone Number': '3055550199' };

type Row = [what: string, own: Fields[], event: Event | null, more?: object];

const inFood: Row[] = [
	['a number above all others', [food(newNumber)], 'new_filing', { kind: 'newLicense' }],
	['one a little below', [food(sea(961))], 'new_filing'],
	['the first of a county', [food(number('SEA24', 3))], 'new_filing'],
	['an old number', [food(oldNumber)], 'status_change', { kind: null }],
	['another holder', [kitchen(incoming)], 'ownership_transfer', { kind: 'newHolder' }],
	['another holder and term', [kitchen({ ...incoming, ...nextTerm })], 'ownership_transfer'],
	['both holders', [kitchen(leaving), food(one, incoming)], 'ownership_transfer', theirs],
	['a reworded holder', [kitchen(reworded)], null, { holder: holder(1010) }],
	['a holder left empty', [kitchen({ 'Licensee Name': '' })], null, { holder: holder(1010) }],
	['a pending owner change', [kitchen({ 'Secondary Status Code': '18' })], null],
	['a year more', [kitchen(nextTerm)], 'renewal'],
	['an expiration left empty', [kitchen({ 'License Expiry Date': '' })], null],
	['a term that is over', [kitchen({ 'Primary Status Code': '45' })], 'status_change'],
	['an unknown code', [kitchen({ 'Primary Status Code': '77' })], 'status_change'],
	['another address', [kitchen(moved)], null, { street: '1 OTHER ST', phone: '(305) 555-0199' }],
	['inspection, region and risk', [kitchen(noise)], null],
];

const fresh = { 'Original Licensure Date': '07/05/2025', 'Effective Date': '07/05/2025' };
const temporary = { ...fresh, 'Primary Status': '21', 'Expiration Date': '' };
const taking = { ...temporary, 'Secondary Status': '34' };
const outgoing = { 'Secondary Status': '35' };
const coming = { ...taking, 'Owner Name': 'SOMEBODY ELSE INC' };

const inLiquor: Row[] = [
	['a temporary license', [liquor(bev(5060), temporary)], 'new_filing', { filed: '2025-07-05' }],
	['a temporary transfer', [liquor(bev(77), taking)], 'ownership_transfer', { kind: 'newHolder' }],
	['an old number with a fresh date', [liquor(bev(77), fresh)], 'ownership_transfer'],
	['a transfer that begins', [pub(coming), pub(outgoing)], 'ownership_transfer', theirs],
	['a transfer to nearly the same name', [pub(taking)], 'ownership_transfer'],
	['an outgoing holder alone', [pub(outgoing)], null, { status: 'active' }],
	['a year more', [pub({ 'Expiration Date': '09/30/2027' })], 'renewal'],
	['a suspension', [pub({ 'Primary Status': '42' })], 'status_change', { status: 'suspended' }],
];

const overnight = [
	...inFood.map((row) => ({ source: 'hrfood1', before: many, what: row[0], row })),
	...inLiquor.map((row) => ({ source: 'bd4006lic', before: pubs, what: row[0], row })),
];

it.each(overnight)('What happens overnight, $source: $what', async ({ source, before, row }) => {
	const [, own, event, more] = row;
	const known = { event, at: event && weekly(1), ...more };
	await follow(
		[{ [source]: before }, { [source]: withRows(before, ...own) }],
		{ 1: event ? { [event]: 1 } : {} },
		{ [own[0]!['License Number']!]: known },
	);
});

const gone = without(many, one);
/** It has ended in the third week. */
const ended = { 0: many, 1: gone, 2: reissued(gone, '2') };
const returns = (event: Event, more: Fields): Story => [
	{ ...ended, 7: reissued(gone, '3'), 9: reissued(withRows(many, kitchen(more)), '4') },
	{ 2: { cancellation: 1 }, 9: { [event]: 1 } },
	{ [one]: { event, at: weekly(9), ended: null } },
];
const undated = { hrfood1: many, chgownr_food: [] };
const named = (more: Fields): Fields[] => [dated(one, '07/04/2025', more)];
const changed = withRows(many, kitchen(incoming));
const joining = foods(40, 1, 'SEA60');
const [third, fourth] = [number('SEA60', 3), number('SEA60', 4)];
const wild = [...many, food(sea(99_999))];
const early = sea(1061);
const lastYear = dated(sea(1011), '06/30/2025');
const since = (at: number, date: string, more: Fields = {}): Fields =>
	liquor(bev(at), { ...more, 'Original Licensure Date': date });
const payment = { ...temporary, 'Secondary Status': '37' };

const STORIES: Record<string, Story> = {
	'A temporary certificate that becomes permanent stays a new filing': [
		[[], [temporary], [payment], [{ ...fresh, 'Primary Status': '22' }], [fresh]].map((more) => ({
			bd4006lic: [...pubs, ...more.map((one) => liquor(bev(5060), one))],
		})),
		{ 1: { new_filing: 1 } },
		{ [bev(5060)]: { event: 'new_filing', at: weekly(1) } },
	],
	'A license has ended when a second, different file lacks it': [
		[many, gone, gone, reissued(gone, '2')],
		{ 3: { cancellation: 1 } },
		{ [one]: { status: 'cancelled', at: weekly(3) } },
	],
	'A license that comes back after one file has never been away': [
		[many, gone, reissued(many, '2'), reissued(gone, '3')],
		{},
		{ [one]: { ended: null } },
	],
	'Of a license that ended over thirty days ago, no row is remembered': [
		{ ...ended, 7: reissued(gone, '3') },
		{ 2: { cancellation: 1 } },
		{ [one]: undefined },
	],
	'An ended license that returns with its holder has another status': returns('status_change', {}),
	'An ended license that returns with another one has changed hands': returns(
		'ownership_transfer',
		incoming,
	),
	'A source that joins later brings no event': [
		[
			{ hrfood1: many, chgownr_food: [] },
			{ chgownr_food: [dated(fourth, '07/02/2025', joining[3])] },
			{ hrfood4: joining, newfood: [dated(third, '07/02/2025')], bd4006lic: pubs },
			{ hrfood4: reissued(joining, '2') },
		],
		{},
		{ [third]: { event: null, filed: '2025-07-02' } },
	],
	'Owner changes in the first chgownr_food that joins later are no events': [
		[many, { chgownr_food: named(many[10]!) }],
		{},
	],
	'What newfood says, also before 1 July, fills the filed date alone': [
		[
			{ hrfood1: many, newfood: [dated(early, '06/29/2025')] },
			// The file has started over.
			{ hrfood1: [...many, food(newNumber), food(early)], newfood: [] },
			{ newfood: [dated(newNumber, '07/03/2025')] },
		],
		{ 1: { new_filing: 2 } },
		{
			[newNumber]: { filed: '2025-07-03', at: weekly(1) },
			[early]: { filed: '2025-06-29', at: weekly(1) },
		},
	],
	'An old number is what the dated files call it': [
		{
			0: { hrfood1: many, newfood: [], chgownr_food: [] },
			1: {
				hrfood1: [...many, food(oldNumber), food(sea(899))],
				newfood: [dated(oldNumber, '07/03/2025')],
				chgownr_food: [dated(sea(899), '07/04/2025')],
			},
		},
		{ 1: { new_filing: 1, ownership_transfer: 1 } },
		{ [oldNumber]: { event: 'new_filing', filed: '2025-07-03', kind: null } },
	],
	'An owner change that two files show, the register first, is one transfer': [
		[undated, changed, { chgownr_food: named(incoming) }, reissued(changed, '2')],
		{ 1: { ownership_transfer: 1 } },
	],
	'An owner change that two files show, chgownr_food first, is one transfer': [
		[undated, { chgownr_food: named(incoming) }, changed, reissued(changed, '2')],
		{ 2: { ownership_transfer: 1 } },
	],
	'An owner change that two files show at once is one transfer': [
		[undated, { hrfood1: changed, chgownr_food: named(incoming) }, reissued(changed, '2')],
		{ 1: { ownership_transfer: 1 } },
	],
	'An owner change between holders of nearly one name is known from chgownr_food': [
		[
			undated,
			{ chgownr_food: named(many[10]!) },
			{ chgownr_food: [...named(many[10]!), dated(newNumber, '07/05/2025')] },
		],
		{ 1: { ownership_transfer: 1 } },
	],
	'A number typed far too high does not make all later ones look old': [
		[wild, [...wild, food(newNumber)]],
		{ 1: { new_filing: 1 } },
	],
	'What the first files date by themselves happened on those dates': [
		{
			9: {
				hrfood1: [...many, food(oldNumber, incoming), food(sea(850))],
				newfood: [one, sea(850)].map((at) => dated(at, '08/20/2025')).concat(lastYear),
				chgownr_food: [oldNumber, sea(1012)].map((at) => dated(at, '07/20/2025', incoming)),
				bd4006lic: [
					...[...pubs, since(5060, '08/30/2025', temporary), since(5061, '08/30/2025')],
					...[since(100, '08/29/2025'), since(4990, '06/01/2025')],
				],
			},
		},
		{ 9: { new_filing: 4, ownership_transfer: 2 } },
		{
			[one]: { event: 'new_filing', at: '2025-08-20', kind: 'newLicense' },
			[sea(850)]: { event: 'new_filing', at: '2025-08-20', kind: null },
			[oldNumber]: { event: 'ownership_transfer', at: '2025-07-20', kind: 'newHolder' },
			[bev(100)]: { event: 'ownership_transfer', at: '2025-08-29', kind: 'newHolder' },
			[bev(5060)]: { event: 'new_filing', at: '2025-08-30', kind: 'newLicense' },
			[bev(5061)]: { event: 'new_filing', at: '2025-08-30', kind: 'newLicense' },
		},
	],
};

it.each(Object.entries(STORIES))('%s', async (_, story) => await follow(...story));
