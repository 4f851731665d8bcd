import { expect, it } from 'vitest';

import { licenseFrom } from '../../florida/license.mts';
import {
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

/** Enough licenses that one more or less is no reason to doubt a file. */
const many = foods(60);
const bars = Array.from({ length: 60 }, (_, at) =>
	liquor(number('BEV58', 5000 + at), { 'Owner Name': holder(at) }),
);

const without = (rows: Fields[], gone: string): Fields[] =>
	rows.filter((row) => row['License Number'] !== gone);
const changed = (rows: Fields[], which: string, more: Fields): Fields[] =>
	rows.map((row) => (row['License Number'] === which ? { ...row, ...more } : row));

const one = number('SEA23', 1010);
const bar = number('BEV58', 5010);
const newNumber = number('SEA23', 1060);
const oldNumber = number('SEA23', 900);
const incoming = { 'Licensee Name': 'SOMEBODY ELSE INC' };
const noEvents = {
	...{ new_filing: 0, ownership_transfer: 0, renewal: 0, status_change: 0, cancellation: 0 },
};

type Row = [what: string, rows: Fields[], which: string, event: string | null, more?: object];

it('A first file is a baseline, in which nothing has happened', async () => {
	const days = new Days();
	const { events, licenses } = await days.refresh(FIRST, { hrfood1: many });
	expect([events, licenses]).toEqual([noEvents, 60]);
	expect(await days.known(one)).toMatchObject({ event: null, at: null, filed: null });
});

const inFood: Row[] = [
	[
		'a number above all others',
		[...many, food(newNumber)],
		newNumber,
		'new_filing',
		{ kind: 'newLicense' },
	],
	['one a little below', [...many, food(number('SEA23', 961))], number('SEA23', 961), 'new_filing'],
	['the first of a county', [...many, food(number('SEA24', 3))], number('SEA24', 3), 'new_filing'],
	['an old number', [...many, food(oldNumber)], oldNumber, 'status_change', { kind: null }],
	[
		'another holder',
		changed(many, one, incoming),
		one,
		'ownership_transfer',
		{ holder: 'SOMEBODY ELSE INC', kind: 'newHolder' },
	],
	[
		'another holder with a new term',
		changed(many, one, { ...incoming, 'License Expiry Date': '10/01/2026' }),
		one,
		'ownership_transfer',
	],
	[
		'an incoming holder beside the outgoing',
		[
			...changed(many, one, { 'Secondary Status Code': '45', 'Primary Status Code': '45' }),
			food(one, incoming),
		],
		one,
		'ownership_transfer',
	],
	[
		'a reworded holder',
		changed(many, one, { 'Licensee Name': holder(10).replace(' LLC', ', L.L.C.') }),
		one,
		null,
		{ holder: holder(10) },
	],
	[
		'a holder left empty',
		changed(many, one, { 'Licensee Name': '' }),
		one,
		null,
		{ holder: holder(10) },
	],
	[
		'a pending owner change',
		changed(many, one, { 'Secondary Status Code': '18' }),
		one,
		null,
		{ status: 'active' },
	],
	['a year more', changed(many, one, { 'License Expiry Date': '10/01/2026' }), one, 'renewal'],
	['an expiration left empty', changed(many, one, { 'License Expiry Date': '' }), one, null],
	[
		'another status',
		changed(many, one, { 'Primary Status Code': '45' }),
		one,
		'status_change',
		{ status: 'expired' },
	],
	[
		'an unknown code',
		changed(many, one, { 'Primary Status Code': '77' }),
		one,
		'status_change',
		{ status: 'unknown' },
	],
	[
		'another address and phone',
		changed(many, one, {
			'Location Street Address': '1 OTHER ST',
			'Primary Phone Number': '3055550199',
		}),
		one,
		null,
		{ street: '1 OTHER ST', phone: '(305) 555-0199' },
	],
	[
		'inspection, region, seats and risk',
		changed(many, one, {
			'Last Inspection Date': '07/01/2025',
			Region: '4',
			'Base Risk Level': 'Risk Level 3',
		}),
		one,
		null,
	],
	['a permit for a few days', [...many, food(newNumber, { 'Rank Code': 'TEMP' })], one, null],
];

const fresh = { 'Original Licensure Date': '07/05/2025', 'Effective Date': '07/05/2025' };
const temporary = { ...fresh, 'Primary Status': '21', 'Expiration Date': '' };
const temporaryTransfer = { ...temporary, 'Secondary Status': '34' };

const inLiquor: Row[] = [
	[
		'a temporary license',
		[...bars, liquor(number('BEV58', 5060), temporary)],
		number('BEV58', 5060),
		'new_filing',
		{ filed: '2025-07-05', status: 'approved', kind: 'newLicense' },
	],
	[
		'a temporary transfer',
		[...bars, liquor(number('BEV58', 77), temporaryTransfer)],
		number('BEV58', 77),
		'ownership_transfer',
		{ kind: 'newHolder' },
	],
	[
		'an old number with a fresh date',
		[...bars, liquor(number('BEV58', 77), fresh)],
		number('BEV58', 77),
		'ownership_transfer',
	],
	[
		'a transfer that begins',
		[
			liquor(bar, { ...temporaryTransfer, 'Owner Name': 'SOMEBODY ELSE INC' }),
			...changed(bars, bar, { 'Secondary Status': '35' }),
		],
		bar,
		'ownership_transfer',
		{ holder: 'SOMEBODY ELSE INC', filed: '2025-07-05' },
	],
	[
		'a transfer to a holder of nearly one name',
		changed(bars, bar, temporaryTransfer),
		bar,
		'ownership_transfer',
	],
	[
		'an outgoing holder alone',
		changed(bars, bar, { 'Secondary Status': '35' }),
		bar,
		null,
		{ status: 'active' },
	],
	['a year more', changed(bars, bar, { 'Expiration Date': '09/30/2027' }), bar, 'renewal'],
	[
		'a suspension',
		changed(bars, bar, { 'Primary Status': '42' }),
		bar,
		'status_change',
		{ status: 'suspended' },
	],
];

const overnight = [
	...inFood.map((row) => ({ source: 'hrfood1', before: many, row })),
	...inLiquor.map((row) => ({ source: 'bd4006lic', before: bars, row })),
].map(({ row, ...more }) => ({ ...more, what: row[0], row }));

it.each(overnight)('What happens overnight, $source: $what', async ({ source, before, row }) => {
	const [, rows, which, event, more] = row;
	const days = new Days();
	await days.refresh(FIRST, { [source]: before });
	const { events, held } = await days.refresh(SECOND, { [source]: rows });
	expect(held).toEqual([]);
	expect(events).toEqual({ ...noEvents, ...(event && { [event]: 1 }) });
	expect(await days.known(which)).toMatchObject({ event, at: event && SECOND, ...more });
});

it.each<[string, Fields]>([
	['permanent', {}],
	['a transfer approved', { 'Primary Status': '22' }],
	['payment pending', { 'Primary Status': '21', 'Secondary Status': '37' }],
])('A temporary certificate that becomes %s leaves the new filing', async (_, more) => {
	const days = new Days();
	const which = number('BEV58', 5060);
	await days.refresh(FIRST, { bd4006lic: bars });
	await days.refresh(SECOND, { bd4006lic: [...bars, liquor(which, temporary)] });
	const later = liquor(which, { ...fresh, 'Expiration Date': '09/30/2026', ...more });
	const { events } = await days.refresh(THIRD, { bd4006lic: [...bars, later] });
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
	const twice = await days.refresh('2025-07-16', { hrfood1: [...rows, food(newNumber)] });
	expect([twice.pending.gone, twice.events.cancellation]).toEqual([0, 1]);
	expect(await days.known(one)).toMatchObject({ status: 'cancelled', at: '2025-07-16' });
});

it('A license that comes back after one file has never been away', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many });
	await days.refresh(SECOND, { hrfood1: without(many, one) });
	const { events } = await days.refresh(THIRD, { hrfood1: reissued(many, '2') });
	expect(events).toEqual(noEvents);
	await days.refresh('2025-07-22', { hrfood1: reissued(without(many, one), '3') });
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
	const { events } = await days.refresh('2025-09-01', {
		hrfood1: reissued(changed(many, one, more), '4'),
	});
	expect(events).toEqual({ ...noEvents, [event]: 1 });
	expect(await days.known(one)).toMatchObject({ event, at: '2025-09-01', ended: null });
});

it('What the first files date by themselves happened on those dates', async () => {
	const days = new Days();
	const [third, fourth] = [number('SEA23', 1011), number('SEA23', 1012)];
	const bar = (at: number, date: string, more: Fields = {}): Fields =>
		liquor(number('BEV58', at), { ...more, 'Original Licensure Date': date });
	const { events } = await days.refresh('2025-09-01', {
		hrfood1: [...many, food(oldNumber, incoming), food(number('SEA23', 850))],
		newfood: [
			...[dated(one, '08/20/2025'), dated(third, '06/30/2025')],
			dated(number('SEA23', 850), '08/20/2025'),
		],
		chgownr_food: [dated(oldNumber, '07/20/2025', incoming), dated(fourth, '07/20/2025', incoming)],
		bd4006lic: [
			...[...bars, bar(5060, '08/30/2025', temporary), bar(5061, '08/30/2025')],
			...[bar(100, '08/29/2025'), bar(4990, '06/01/2025')],
		].map((row) =>
			row['Primary Status'] === '21' ? { ...row, 'Original Licensure Date': '08/30/2025' } : row,
		),
	});
	expect(events).toEqual({ ...noEvents, new_filing: 4, ownership_transfer: 2 });
	const known = await days.open();
	expect(known.licenses.get(one)).toMatchObject({
		event: 'new_filing',
		at: '2025-08-20',
		filed: '2025-08-20',
		kind: 'newLicense',
	});
	expect(known.licenses.get(number('SEA23', 850))).toMatchObject({
		event: 'new_filing',
		kind: null,
	});
	expect(known.licenses.get(oldNumber)).toMatchObject({
		event: 'ownership_transfer',
		at: '2025-07-20',
	});
	expect(known.licenses.get(number('BEV58', 5061))).toMatchObject({
		kind: 'newLicense',
		at: '2025-08-30',
	});
	expect(known.licenses.get(number('BEV58', 100))).toMatchObject({
		kind: 'newHolder',
		at: '2025-08-29',
	});
});

it('A source that joins later brings no event', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many });
	const [third, fourth] = [number('SEA60', 3), number('SEA60', 4)];
	const { events } = await days.refresh(SECOND, {
		hrfood1: reissued(many, '2'),
		hrfood4: foods(40, 1, 'SEA60'),
		newfood: [dated(third, '07/02/2025')],
		chgownr_food: [dated(fourth, '07/02/2025', { 'Licensee Name': holder(3) })],
		bd4006lic: [liquor(bar, temporary)],
	});
	expect(events).toEqual(noEvents);
	expect(await days.known(third)).toMatchObject({ event: null, filed: '2025-07-02' });
});

it('A source that joins brings none of the owner changes that were named before', async () => {
	const days = new Days();
	const joining = foods(40, 1, 'SEA60');
	const named = dated(number('SEA60', 4), '07/02/2025', { 'Licensee Name': holder(3) });
	await days.refresh(FIRST, { hrfood1: many, chgownr_food: [] });
	await days.refresh(SECOND, { chgownr_food: [named] });
	await days.refresh(THIRD, { hrfood4: joining });
	const { events } = await days.refresh('2025-07-22', { hrfood4: reissued(joining, '2') });
	expect(events).toEqual(noEvents);
	expect(await days.known(number('SEA60', 4))).toMatchObject({ event: null });
});

it('What newfood says later fills the filed date, and makes no second event', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many, newfood: [dated(one, '07/01/2025')] });
	await days.refresh(SECOND, { hrfood1: [...many, food(newNumber)] });
	expect(await days.known(newNumber)).toMatchObject({ filed: null, at: SECOND });
	const { events } = await days.refresh(THIRD, { newfood: [dated(newNumber, '07/03/2025')] });
	expect(events).toEqual(noEvents);
	expect(await days.known(newNumber)).toMatchObject({ filed: '2025-07-03', at: SECOND });
});

it('An old number is what the dated files call it', async () => {
	const days = new Days();
	await days.refresh(FIRST, { hrfood1: many, newfood: [], chgownr_food: [] });
	const another = number('SEA23', 899);
	const { events } = await days.refresh(SECOND, {
		hrfood1: [...many, food(oldNumber), food(another)],
		newfood: [dated(oldNumber, '07/03/2025')],
		chgownr_food: [dated(another, '07/04/2025')],
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
		hrfood1: changed(many, one, incoming),
		chgownr_food: [dated(one, '07/04/2025', incoming)],
	};
	let transfers = 0;
	for (const [at, names] of order.entries()) {
		const now = Object.fromEntries(names.map((name) => [name, files[name]!]));
		transfers += (await days.refresh(at === 0 ? SECOND : THIRD, now)).events.ownership_transfer;
	}
	const last = await days.refresh('2025-07-22', { hrfood1: reissued(files.hrfood1!, '2') });
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

it('On 1 July the dated files start over, and nothing is lost', async () => {
	const days = new Days();
	const approvals = many.map((row) => dated(row['License Number']!, '05/02/2025'));
	await days.refresh('2025-06-28', { hrfood1: many, newfood: approvals });
	const { events, held } = await days.refresh('2025-07-02', {
		hrfood1: [...many, food(newNumber)],
		newfood: [dated(newNumber, '07/01/2025')],
	});
	expect([events, held]).toEqual([{ ...noEvents, new_filing: 1 }, []]);
	expect(await days.known(newNumber)).toMatchObject({ filed: '2025-07-01' });
});

it('A license that moves to the file of another district keeps what has happened', async () => {
	const days = new Days();
	const [moving, ...rest] = foods(60, 1, 'SEA60');
	await days.refresh(FIRST, { hrfood1: many, hrfood2: [moving!, ...rest] });
	const files = { hrfood1: [...many, moving!], hrfood2: rest };
	const { events, pending } = await days.refresh(SECOND, files);
	expect([events, pending.gone]).toEqual([noEvents, 0]);
	expect(await days.known(number('SEA60', 1))).toMatchObject({ source: 'hrfood1' });
});

it('A number typed far too high does not make all later ones look old', async () => {
	const days = new Days();
	const wild = food(number('SEA23', 99_999));
	await days.refresh(FIRST, { hrfood1: [...many, wild] });
	const { events } = await days.refresh(SECOND, { hrfood1: [...many, wild, food(newNumber)] });
	expect(events).toEqual({ ...noEvents, new_filing: 1 });
});
