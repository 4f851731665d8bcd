import { expect, it } from 'vitest';

import { isReady } from '../../florida/memory.mts';
import { sourceOf } from '../../florida/sources.mts';
import {
	dated,
	Days,
	fileOf,
	food,
	foods,
	liquor,
	number,
	reissued,
	type Content,
	type Fields,
} from './state-files.mts';

const many = foods(400);
const good = fileOf('hrfood1', many);
const [header = '', ...lines] = good.split(/(?<=\n)/);
const one = number('SEA23', 1010);
const bar = number('BEV58', 77);
const columns = sourceOf('hrfood1').columns;

const withLine = (at: number, text: string): string =>
	[header, ...lines.slice(0, at), text, ...lines.slice(at + 1)].join('');
const own = lines[10]!;

it.each<[string, Content, Fields]>([
	[
		'a mark inside a field',
		withLine(10, own.replace('HOLDINGS', '"BOB" JONES')),
		{ holder: expect.stringContaining('"BOB" JONES') as string },
	],
	[
		'a mark without its partner',
		withLine(10, own.replace('EXAMPLE CAFE', 'EXAMPLE 12" CAFE')),
		{ business: 'EXAMPLE 12" CAFE' },
	],
	[
		'a comma inside a field',
		withLine(10, own.replace('EXAMPLE CAFE', 'CAFE, BAR')),
		{ business: 'CAFE, BAR' },
	],
	[
		'blanks around the names of columns',
		fileOf(
			'hrfood1',
			many,
			columns.map((name) => `${name}  `),
		),
		{},
	],
	['an added column', fileOf('hrfood1', many, ['Board Code', 'New', ...columns.slice(1)]), {}],
	[
		'columns in another order',
		fileOf('hrfood1', many, [columns[0]!, ...columns.slice(1).reverse()]),
		{},
	],
	['no header', lines.join(''), {}],
	['line feeds alone', good.replaceAll('\r\n', '\n'), {}],
	['a byte order mark', `\ufeff${good}`, {}],
	['accents in UTF-8', withLine(10, own.replace('CAFE', 'CAFÉ')), { business: 'EXAMPLE CAFÉ' }],
	[
		'accents in windows-1252',
		Buffer.from(withLine(10, own.replace('CAFE', 'CAFÉ')), 'latin1'),
		{ business: 'EXAMPLE CAFÉ' },
	],
	['an empty line', withLine(11, '\r\n'), {}],
	[
		'a phone with an extension',
		withLine(10, own.replace('(305)555-0100', '1-305-555-0142 x3')),
		{ phone: '(305) 555-0142' },
	],
])('A file with %s is read', async (_, content, more) => {
	const days = new Days();
	const { sources } = await days.refresh('2025-07-01', { hrfood1: content });
	expect(sources).toHaveLength(1);
	expect(await days.known(one)).toMatchObject({ county: 'Miami-Dade', zip: '33101', ...more });
	expect((await days.open()).licenses.size).toBeGreaterThanOrEqual(399);
});

it('Lines that do not fit are counted, and up to one in two hundred left out', async () => {
	const days = new Days();
	const { leftOut, licenses } = await days.refresh('2025-07-01', {
		hrfood1: withLine(10, '"200","SMITH\r\n'),
	});
	expect([leftOut, licenses]).toEqual([{ 'line does not fit': 1 }, 399]);
});

it.each<[string, Content, RegExp]>([
	['a web page', '<!DOCTYPE html>\n<html>Checking your browser</html>\n', /web page/],
	['a web page in one line', '<html>Checking your browser</html>', /web page/],
	['an answer in JSON', '{"error":"denied"}\n', /does not begin with "Board Code"/],
	[
		'another file of the state',
		fileOf('bd4006lic', [liquor(bar)]),
		/does not begin with "Board Code"/,
	],
	['nothing', '', /empty/],
	['a cut end', good.slice(0, -20), /cut/],
	[
		'no header and another count of columns',
		fileOf('hrfood1', many, columns.slice(0, -1)).slice(
			columns.slice(0, -1).join('","').length + 4,
		),
		/does not begin/,
	],
	[
		'a needed column missing',
		fileOf(
			'hrfood1',
			many,
			columns.filter((name) => name !== 'Licensee Name'),
		),
		/no column "Licensee Name"/,
	],
	['three lines that do not fit', withLine(10, '"a"\r\n"b"\r\n"c"\r\n'), /3 lines that do not fit/],
	['no line end at all', `"Board Code${'x'.repeat(2_000_000)}`, /cut/],
])('%s is refused, and the last good file stays', async (_, content, why) => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: many });
	const before = (await days.open()).sources;
	const { events } = await days.refresh('2025-07-08', { hrfood1: content });
	expect(Object.values(events).every((count) => count === 0)).toBe(true);
	const { refused, sources, licenses } = await days.open();
	expect(refused.hrfood1).toMatch(why);
	expect([sources, licenses.size]).toEqual([before, 400]);
	await days.refresh('2025-07-09', { hrfood1: reissued(many, '2') });
	expect((await days.open()).refused).toEqual({});
});

it('A file of a day before the last one is refused', async () => {
	const days = new Days();
	await days.refresh('2025-07-08', { hrfood1: many });
	await days.refresh('2025-07-07', { hrfood1: reissued(many, '2') });
	expect((await days.open()).refused.hrfood1).toContain('2025-07-08 has been read');
	await days.refresh('2025-07-08', { hrfood1: reissued(many, '2') });
	expect((await days.open()).refused).toEqual({});
});

it('A bad file in the first run is no baseline, and the others are', async () => {
	const days = new Days();
	const owner = { 'Licensee Name': many[11]!['Licensee Name']! };
	await days.refresh('2025-07-01', {
		hrfood1: '<html>',
		newfood: [dated(one, '07/01/2025')],
		chgownr_food: [dated(number('SEA23', 1011), '07/01/2025', owner)],
	});
	expect(isReady(await days.open())).toBe(false);
	const { events } = await days.refresh('2025-07-02', { hrfood1: many });
	expect(events).toMatchObject({ new_filing: 1, ownership_transfer: 1 });
	expect(await days.known(one)).toMatchObject({ at: '2025-07-01', filed: '2025-07-01' });
});

it.each<[string, Fields, string]>([
	['SFS', { Series: '4COP', Modifier: 'SFS' }, 'SRX 4COP-SFS'],
	['a quota bar', { Series: '4COP' }, 'COP 4COP'],
	['NULL', { Series: '2COP', Modifier: 'NULL' }, 'COP 2COP'],
	['a store', { Series: '2APS' }, 'APS 2APS'],
	['a package store', { Series: '3PS' }, 'APS 3PS'],
	['a club', { Series: '11C' }, 'BEV 11C'],
	['a caterer', { Series: '13CT' }, 'BEV 13CT'],
	['a bottle club', { Series: '14BC', Profession: '4014' }, 'BOTTLE_CLUB 14BC'],
	['a temporary permit', { Series: '1COP', Profession: '4002' }, 'TEMP_PERMIT 1COP'],
	['a manufacturer', { Series: 'BMWC', Profession: '4005' }, 'MANUFACTURER BMWC'],
])('The series and modifier of %s make its type', async (_, more, expected) => {
	const days = new Days();
	await days.refresh('2025-07-01', { bd4006lic: [liquor(bar, more)] });
	const { type, series } = (await days.known(bar))!;
	expect(`${type} ${series}`).toBe(expected);
});

it.each([
	['20/20', 'active'],
	['20/35', 'active'],
	['21/20', 'approved'],
	['21/34', 'approved'],
	['21/37', 'pending'],
	['41/10', 'inactive'],
	['42/20', 'suspended'],
	['45/20', 'expired'],
	['62/20', 'cancelled'],
	['20/21', 'unknown'],
	['/', 'unknown'],
	['77/20', 'unknown'],
])('The codes %s of a liquor license mean %s', async (codes, status) => {
	const days = new Days();
	const [primary = '', secondary = ''] = codes.split('/');
	const row = liquor(bar, { 'Primary Status': primary, 'Secondary Status': secondary });
	await days.refresh('2025-07-01', { bd4006lic: [row] });
	expect(await days.known(bar)).toMatchObject({ status });
	const { unknownCodes } = (await days.open()).sources.bd4006lic!;
	expect(unknownCodes).toEqual(status === 'unknown' ? { [codes]: 1 } : {});
});

it.each([
	['SEAT', 'SEATING'],
	['MFDV', 'MOBILE_FOOD'],
	['HTDG', 'MOBILE_FOOD'],
	['NOST', 'FOOD_SERVICE'],
	['CATR', 'FOOD_SERVICE'],
])('The rank %s of a food license is %s', async (rank, type) => {
	const days = new Days();
	await days.refresh('2025-07-01', { hrfood1: [food(one, { 'Rank Code': rank })] });
	expect(await days.known(one)).toMatchObject({ type });
});

it('Phone and mailing county that stand in each other’s place do not matter', async () => {
	const days = new Days();
	const swapped = { 'Primary Phone Number': '23', 'Mailing County Code': '3055550100' };
	const { events } = await days.refresh('2025-07-01', {
		hrfood1: many,
		chgownr_food: [
			dated(one, '07/01/2025', { ...swapped, 'Licensee Name': many[10]!['Licensee Name']! }),
		],
	});
	expect(events.ownership_transfer).toBe(1);
	expect(await days.known(one)).toMatchObject({ phone: '(305) 555-0100' });
});
