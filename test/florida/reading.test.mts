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
const own = lines[10]!;
const { columns } = sourceOf('hrfood1');
const rearranged = (names: readonly string[]): string => fileOf('hrfood1', many, names);

const withLine = (text: string): string =>
	[header, ...lines.slice(0, 10), text, ...lines.slice(11)].join('');
const withWords = (words: string, more: string): string => withLine(own.replace(words, more));

const accents = withWords('CAFE', 'CAFÉ');
const accented = { business: 'EXAMPLE CAFÉ' };

it.each<[string, Content, Fields]>([
	[
		'a mark inside a field',
		withWords('EXAMPLE CAFE', 'THE "BOB" CAFE'),
		{ business: 'THE "BOB" CAFE' },
	],
	['a mark without its partner', withWords('EXAMPLE CAFE', '12" CAFE'), { business: '12" CAFE' }],
	['a comma inside a field', withWords('EXAMPLE CAFE', 'CAFE, BAR'), { business: 'CAFE, BAR' }],
	['blanks around the names of columns', rearranged(columns.map((name) => `${name}  `)), {}],
	['an added column', rearranged(['Board Code', 'New', ...columns.slice(1)]), {}],
	['columns in another order', rearranged([columns[0]!, ...columns.slice(1).reverse()]), {}],
	['no header', lines.join(''), {}],
	['line feeds alone', good.replaceAll('\r\n', '\n'), {}],
	['a byte order mark', `\ufeff${good}`, {}],
	['accents in UTF-8', accents, accented],
	['accents in windows-1252', Buffer.from(accents, 'latin1'), accented],
	['an empty line', withLine(`${own}\r\n`), {}],
	[
		'a phone with an extension',
		withWords('(305)555-0100', '1-305-555-0142 x3'),
		{ phone: '(305) 555-0142' },
	],
])('A file with %s is read', async (_, content, more) => {
	const days = new Days();
	const { licenses } = await days.refresh('2025-07-01', { hrfood1: content });
	expect(licenses).toBe(400);
	expect(await days.known(one)).toMatchObject({ county: 'Miami-Dade', zip: '33101', ...more });
});

it('Up to one misfit in two hundred lines is left out, and counted', async () => {
	const days = new Days();
	const hrfood1 = withLine('"200","SMITH\r\n');
	const { leftOut, licenses } = await days.refresh('2025-07-01', { hrfood1 });
	expect([leftOut, licenses]).toEqual([{ 'line does not fit': 1 }, 399]);
});

const without = (name: string): string => rearranged(columns.filter((one) => one !== name));

it.each<[string, Content, RegExp]>([
	['a web page', '<!DOCTYPE html>\n<html>Checking your browser</html>\n', /web page/],
	['a web page in one line', '<html>Checking your browser</html>', /web page/],
	['an answer in JSON', '{"error":"denied"}\n', /does not begin with "Board Code"/],
	['another file', fileOf('bd4006lic', [liquor('BEV5800077')]), /does not begin with "Board Code"/],
	['nothing', '', /empty/],
	['a cut end', good.slice(0, -20), /cut/],
	['fewer columns and no header', without('Region').replace(/^.*\r\n/, ''), /does not begin/],
	['a needed column missing', without('Licensee Name'), /no column "Licensee Name"/],
	['three lines that do not fit', withLine('"a"\r\n"b"\r\n"c"\r\n'), /3 lines that do not fit/],
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
	// In the state's file of owner changes, phone and mailing county stand in each other's place.
	const swapped = { 'Primary Phone Number': '23', 'Mailing County Code': '3055550100' };
	const owner = { 'Licensee Name': many[11]!['Licensee Name']!, ...swapped };
	const another = number('SEA23', 1011);
	await days.refresh('2025-07-01', {
		hrfood1: '<html>',
		newfood: [dated(one, '07/01/2025')],
		chgownr_food: [dated(another, '07/01/2025', owner)],
	});
	expect(isReady(await days.open())).toBe(false);
	const { events } = await days.refresh('2025-07-02', { hrfood1: many });
	expect(events).toMatchObject({ new_filing: 1, ownership_transfer: 1 });
	expect(await days.known(one)).toMatchObject({ at: '2025-07-01', filed: '2025-07-01' });
	expect(await days.known(another)).toMatchObject({ phone: '(305) 555-0100' });
});

/** What a file of these rows makes of each. */
async function readFrom(source: string, rows: Fields[]) {
	const days = new Days();
	const numbered = rows.map((row, at) => ({ ...row, 'License Number': number('BEV58', at) }));
	await days.refresh('2025-07-01', { [source]: numbered });
	const { sources, licenses } = await days.open();
	const read = numbered.map((row) => licenses.get(row['License Number']));
	return { read, unknownCodes: sources[source]!.unknownCodes };
}

it('The series, modifier and profession of a liquor license make its type', async () => {
	const types: Record<string, string> = {
		...{ '4COP-SFS': 'SRX', '4COP': 'COP', '2APS': 'APS', '3PS': 'APS', '11C': 'BEV' },
		...{ '13CT': 'BEV', '14BC': 'BOTTLE_CLUB' },
	};
	const rows = Object.keys(types).map((name) => {
		const [Series = '', Modifier = 'NULL'] = name.split('-');
		return liquor('', { Series, Modifier });
	});
	const { read } = await readFrom('bd4006lic', [
		...[...rows, liquor('', { Profession: '4002' }), liquor('', { Profession: '4005' })],
		liquor('', { Profession: '4014' }),
	]);
	expect(read.map((kept) => [kept?.series, kept?.type])).toEqual([
		...[...Object.entries(types), ['2COP', 'TEMP_PERMIT'], ['2COP', 'MANUFACTURER']],
		['2COP', 'BOTTLE_CLUB'],
	]);
});

it('The codes of a liquor license make its status, never active if unknown', async () => {
	const statuses = {
		...{ '20/20': 'active', '20/35': 'active', '21/20': 'approved', '21/34': 'approved' },
		...{ '21/37': 'pending', '41/10': 'inactive', '42/20': 'suspended', '45/20': 'expired' },
		...{ '62/20': 'cancelled', '20/21': 'unknown', '/': 'unknown', '77/20': 'unknown' },
	};
	const rows = Object.keys(statuses).map((codes) => {
		const [primary = '', secondary = ''] = codes.split('/');
		return liquor('', { 'Primary Status': primary, 'Secondary Status': secondary });
	});
	const { read, unknownCodes } = await readFrom('bd4006lic', rows);
	expect(read.map((kept) => kept?.status)).toEqual(Object.values(statuses));
	expect(unknownCodes).toEqual({ '20/21': 1, '/': 1, '77/20': 1 });
});

it('The rank of a food license makes its type; short permits are left out', async () => {
	const types = {
		...{ SEAT: 'SEATING', MFDV: 'MOBILE_FOOD', HTDG: 'MOBILE_FOOD', NOST: 'FOOD_SERVICE' },
		...{ CATR: 'FOOD_SERVICE', TEMP: undefined },
	};
	const rows = Object.keys(types).map((rank) => food('', { 'Rank Code': rank }));
	const { read } = await readFrom('hrfood1', rows);
	expect(read.map((kept) => kept?.type)).toEqual(Object.values(types));
});
