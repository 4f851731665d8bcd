import { expect, it } from 'vitest';

import { licenseFrom } from '../../florida/licenseFromRow.mts';
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
	type Fields,
} from './state-files.mts';

const FIRST = '2025-07-01';
const SECOND = '2025-07-08';
const THIRD = '2025-07-15';
const FOURTH = '2025-07-22';

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

const incoming = { 'Licensee Name': 'SOMEBODY ELSE INC' };
const theirs = { holder: 'SOMEBODY ELSE INC' };
const nextTerm = { 'License Expiry Date': '10/01/2026' };
const reworded = { 'Licensee Name': holder(10).replace(' LLC', ', L.L.C.') };
const leaving = { 'Primary Status Code': '45', 'Secondary Status Code': '45' };
const noise = { 'Last Inspection Date': '07/01/2025', Region: '4', 'Base Risk Level': 'Level 3' };
const moved = { 'Location Street Address': '1 OTHER ST', 'Primary Phone Number': '3055550199' };
const noEvents = {
	...{ new_filing: 0, ownership_transfer: 0, renewal: 0, status_change: 0, cancellation: 0 },
};

type Row = [what: string, own: Fields[], event: string | null, more?: object];

it('A first file is a baseline, in which nothing has happened', async () => {
	const days = new Days();
	const { events, licenses } = await days.refresh(FIRST, { hrfood1: many });
	expect([events, licenses]).toEqual([noEvents, 60]);
	expect(await days.known(one)).toMatchObject({ event: null, at: null, filed: null });
});

const inFood: Row[] = [
	['a number above all others', [food(newNumber)], 'new_filing', { kind: 'newLicense' }],
	['one a little below', [food(sea(961))], 'new_filing'],
	['the first of a county', [food(number('SEA24', 3))], 'new_filing'],
	['an old number', [food(oldNumber)], 'status_change', { kind: null }],
	['another holder', [kitchen(incoming)], 'ownership_transfer', { kind: 'newHolder' }],
	['another holder and term', [kitchen({ ...incoming, ...nextTerm })], 'ownership_transfer'],
	['both holders', [kitchen(leaving), food(one, incoming)], 'ownership_transfer', theirs],
	['a reworded holder', [kitchen(reworded)], null, { holder: holder(10) }],
	['a holder left empty', [kitchen({ 'Licensee Name': '' })], null, { holder: holder(10) }],
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
	const days = new Days();
	await days.refresh(FIRST, { [source]: before });
	const { events, held } = await days.refresh(SECOND, { [source]: withRows(before, ...own) });
	expect([events, held]).toEqual([{ ...noEvents, ...(event && { [event]: 1 }) }, []]);
	const known = { event, at: event && SECOND, ...more };
	expect(await days.known(own[0]!['License Number']!)).toMatchObject(known);
});

it.each<[string, Fields]>([
	['permanent', {}],
	['a transfer approved', { 'Primary Status': '22' }],
	['payment pending', { 'Primary Status': '21', 'Secondary Status': '37' }],
])('A temporary certificate that becomes %s leaves the new filing', async (_, more) => {
	const days = new Days();
	const which = bev(5060);
	await days.refresh(FIRST, { bd4006lic: pubs });
	await days.refresh(SECOND, { bd4006lic: [...pubs, liquor(which, temporary)] });
	const later = liquor(which, { ...fresh, 'Expiration Date': '09/30/2026', ...more });
	const { events } = await days.refresh(THIRD, { bd4006lic: [...pubs, later] });
	expect(events).toEqual(noEvents);
	expect(await days.known(which)).toMatchObject({ event: 'new_filing', at: SECOND });
});

it('A license has ended when a second, different file lacks it', async () => {
	const days = new Days();
	const rows = without(many, one);
	await days.refresh(FIRST, { hrfood1: many });
	const once = await days.refresh(SECOND, { hrfood1: rows });
	expect([once.pending.gone, once.events.cancellation]).toEqual([1, 0]);
	const same = await days.refresh(THIRD, { hrfood1: rows });
	expect(same.events.cancellation).toBe(0);
	const twice = await days.refresh(FOURTH, { hrfood1: reissued(rows, '2') });
	expect([twice.pending.gone, twice.events.cancellation]).toEqual([0, 1]);
	expect(await days.known(one)).toMatchObject({ status: 'cancelled', at: FOURTH });
});

it('A license that comes back after one file has never been away', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many });
	await days.refresh(SECOND, { hrfood1: without(many, one) });
	const { events } = await days.refresh(THIRD, { hrfood1: reissued(many, '2') });
	expect(events).toEqual(noEvents);
	await days.refresh(FOURTH, { hrfood1: reissued(without(many, one), '3') });
	expect((await days.known(one))?.ended).toBeNull();
});

it.each([
	['its holder', {}, 'status_change', '2025-08-14'],
	['its holder after months', {}, 'status_change', '2025-08-20'],
	['another', incoming, 'ownership_transfer', '2025-08-14'],
	['another after months', incoming, 'ownership_transfer', '2025-08-20'],
])('An ended license that returns with %s is known', async (_, more, event, last) => {
	const days = new Days();
	const rows = without(many, one);
	await days.refresh(FIRST, { hrfood1: many });
	await days.refresh(SECOND, { hrfood1: rows });
	await days.refresh(THIRD, { hrfood1: reissued(rows, '2') });
	await days.refresh(last, { hrfood1: reissued(rows, '3') });
	// Thirty days after its end, a number and a hash of its holder are all that stays.
	expect((await days.known(one)) === undefined).toBe(last === '2025-08-20');
	const again = reissued(withRows(many, kitchen(more)), '4');
	const { events } = await days.refresh('2025-09-01', { hrfood1: again });
	expect(events).toEqual({ ...noEvents, [event]: 1 });
	expect(await days.known(one)).toMatchObject({ event, at: '2025-09-01', ended: null });
});

it('What the first files date by themselves happened on those dates', async () => {
	const days = new Days();
	const since = (at: number, date: string, more: Fields = {}): Fields =>
		liquor(bev(at), { ...more, 'Original Licensure Date': date });
	const { events } = await days.refresh('2025-09-01', {
		hrfood1: [...many, food(oldNumber, incoming), food(sea(850))],
		newfood: [
			...[dated(one, '08/20/2025'), dated(sea(1011), '06/30/2025')],
			dated(sea(850), '08/20/2025'),
		],
		chgownr_food: [oldNumber, sea(1012)].map((at) => dated(at, '07/20/2025', incoming)),
		bd4006lic: [
			...[...pubs, since(5060, '08/30/2025', temporary), since(5061, '08/30/2025')],
			...[since(100, '08/29/2025'), since(4990, '06/01/2025')],
		],
	});
	expect(events).toEqual({ ...noEvents, new_filing: 4, ownership_transfer: 2 });
	const happened = [...(await days.open()).licenses.values()].filter(({ event }) => event);
	expect(happened.map((its) => `${its.number} ${its.event} ${its.at} ${its.kind}`).sort()).toEqual([
		'BEV5800100 ownership_transfer 2025-08-29 newHolder',
		'BEV5805060 new_filing 2025-08-30 newLicense',
		'BEV5805061 new_filing 2025-08-30 newLicense',
		'SEA2300850 new_filing 2025-08-20 null',
		'SEA2300900 ownership_transfer 2025-07-20 newHolder',
		'SEA2301010 new_filing 2025-08-20 newLicense',
	]);
});

it('A source that joins later brings no event', async () => {
	const days = new Days();
	const joining = foods(40, 1, 'SEA60');
	const [third, fourth] = [number('SEA60', 3), number('SEA60', 4)];
	await days.refresh(FIRST, { hrfood1: many, chgownr_food: [] });
	await days.refresh(SECOND, { chgownr_food: [dated(fourth, '07/02/2025', joining[3])] });
	const joined = { hrfood4: joining, newfood: [dated(third, '07/02/2025')], bd4006lic: pubs };
	expect((await days.refresh(THIRD, joined)).events).toEqual(noEvents);
	const next = await days.refresh(FOURTH, { hrfood4: reissued(joining, '2') });
	expect(next.events).toEqual(noEvents);
	expect(await days.known(third)).toMatchObject({ event: null, filed: '2025-07-02' });
});

it('What newfood says, also before 1 July, fills the filed date alone', async () => {
	const days = new Days();
	const early = sea(1061);
	await days.refresh(FIRST, { hrfood1: many, newfood: [dated(early, '06/29/2025')] });
	// The file has started over.
	await days.refresh(SECOND, { hrfood1: [...many, food(newNumber), food(early)], newfood: [] });
	expect(await days.known(newNumber)).toMatchObject({ filed: null, at: SECOND });
	expect(await days.known(early)).toMatchObject({ filed: '2025-06-29', at: SECOND });
	const { events } = await days.refresh(THIRD, { newfood: [dated(newNumber, '07/03/2025')] });
	expect(events).toEqual(noEvents);
	expect(await days.known(newNumber)).toMatchObject({ filed: '2025-07-03', at: SECOND });
});

it('An old number is what the dated files call it', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many, newfood: [], chgownr_food: [] });
	const { events } = await days.refresh(SECOND, {
		hrfood1: [...many, food(oldNumber), food(sea(899))],
		newfood: [dated(oldNumber, '07/03/2025')],
		chgownr_food: [dated(sea(899), '07/04/2025')],
	});
	expect(events).toEqual({ ...noEvents, new_filing: 1, ownership_transfer: 1 });
	const named = (await days.known(oldNumber))!;
	expect(named).toMatchObject({ event: 'new_filing', filed: '2025-07-03' });
	expect(licenseFrom(named).filingKind).toBe('notKnown');
});

it.each([
	['the register first', ['hrfood1'], ['chgownr_food']],
	['chgownr_food first', ['chgownr_food'], ['hrfood1']],
	['both at once', ['hrfood1', 'chgownr_food'], []],
])('An owner change that two files show, %s, is one transfer', async (_, ...order) => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many, chgownr_food: [] });
	const files: Record<string, Fields[]> = {
		hrfood1: withRows(many, kitchen(incoming)),
		chgownr_food: [dated(one, '07/04/2025', incoming)],
	};
	let transfers = 0;
	for (const [at, names] of order.entries()) {
		const now = Object.fromEntries(names.map((name) => [name, files[name]!]));
		transfers += (await days.refresh(at === 0 ? SECOND : THIRD, now)).events.ownership_transfer;
	}
	const last = await days.refresh(FOURTH, { hrfood1: reissued(files.hrfood1!, '2') });
	expect([transfers, last.events]).toEqual([1, noEvents]);
});

it('An owner change between holders of nearly one name is known from chgownr_food', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many, chgownr_food: [] });
	const named = [dated(one, '07/04/2025', { 'Licensee Name': holder(10) })];
	const { events } = await days.refresh(SECOND, { chgownr_food: named });
	expect(events).toEqual({ ...noEvents, ownership_transfer: 1 });
	const again = [...named, dated(newNumber, '07/05/2025')];
	expect((await days.refresh(THIRD, { chgownr_food: again })).events).toEqual(noEvents);
});

it('A number typed far too high does not make all later ones look old', async () => {
	const days = new Days();
	const wild = [...many, food(sea(99_999))];
	await days.refresh(FIRST, { hrfood1: wild });
	const { events } = await days.refresh(SECOND, { hrfood1: [...wild, food(newNumber)] });
	expect(events).toEqual({ ...noEvents, new_filing: 1 });
});
