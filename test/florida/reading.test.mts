import { NO_EVENTS } from '../../florida/licenseFromRow.mts';
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
} from './made-up-files.mts';

const many = foods(400);
const good = fileOf('hrfood1', many);
const [header = '', ...lines] = good.split(/(?<=\n)/);
const one = number('SEA23', 1010);
const own = lines[10]!;
const { columns } = sourceOf('hrfood1');
const rearranged = (names: readonly string[]): string => fileOf('hrfood1', many, names);
const without = (name: string): string => rearranged(columns.filter((one) => one !== name));
const withLine = (text: string): string =>
	[header, ...lines.slice(0, 10), text, ...lines.slice(11)].join('');
/** A file in which a business has this name, and what is read of it. */
const called = (business: string) =>
	[withLine(own.replace('EXAMPLE CAFE', business)), { business }] as const;
const [accents, accented] = called('EXAMPLE CAFÉ');
const phone = { phone: '(305) 555-0142' };

it.each<[string, Content, Fields]>([
	['a mark inside a field', ...called('THE "BOB" CAFE')],
	['a mark without its partner', ...called('12" CAFE')],
	['a comma inside a field', ...called('CAFE, BAR')],
	['blanks around the names of columns', rearranged(columns.map((name) => `${name}  `)), {}],
	['an added column', rearranged(['Board Code', 'New', ...columns.slice(1)]), {}],
	['columns in another order', rearranged([columns[0]!, ...columns.slice(1).reverse()]), {}],
	['no header', lines.join(''), {}],
	['line feeds alone', good.replaceAll('\r\n', '\n'), {}],
	['a byte order mark', `\ufeff${good}`, {}],
	['accents in UTF-8', accents, accented],
	['accents in windows-1252', Buffer.from(accents, 'latin1'), accented],
	['an empty line', withLine(`${own}\r\n`), {}],
	['an extension', withLine(own.replace('(305)555-0100', '1-305-555-0142 x3')), phone],
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

it.each<[string, Content, RegExp]>([
	['a web page', '<html>Checking your browser</html>', /web page/],
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
	expect(events).toEqual(NO_EVENTS);
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
});

it('A bad file in the first run is no baseline, and the others are', async () => {
	const days = new Days();
	await days.refresh('2025-07-01', {
		hrfood1: '<html>',
		newfood: [dated(one, '07/01/2025')],
		chgownr_food: [dated('SEA2301011', '07/01/2025', many[11])],
	});
	expect(isReady(await days.open())).toBe(false);
	const { events } = await days.refresh('2025-07-02', { hrfood1: many });
	expect(events).toMatchObject({ new_filing: 1, ownership_transfer: 1 });
	expect(await days.known(one)).toMatchObject({ at: '2025-07-01', filed: '2025-07-01' });
});

/** In the columns, with a slash between, what is written, and what it means. */
const MEANINGS: Array<
	[what: 'type' | 'status' | 'series', columns: string, means: Record<string, string>]
> = [
	[
		...(['type', 'Series/Modifier'] as const),
		{
			...{ '4COP/SFS': 'SRX', '4COP/NULL': 'COP', '2APS/': 'APS', '3PS/': 'APS', '11C/': 'BEV' },
			...{ '13CT/': 'BEV', '14BC/': 'BOTTLE_CLUB' },
		},
	],
	['series', 'Series/Modifier', { '4COP/SFS': '4COP-SFS', '4COP/NULL': '4COP', '2APS/': '2APS' }],
	['type', 'Profession', { 4002: 'TEMP_PERMIT', 4005: 'MANUFACTURER', 4014: 'BOTTLE_CLUB' }],
	[
		...(['type', 'Rank Code'] as const),
		{
			...{ SEAT: 'SEATING', MFDV: 'MOBILE_FOOD', HTDG: 'MOBILE_FOOD', NOST: 'FOOD_SERVICE' },
			...{ CATR: 'FOOD_SERVICE', TEMP: 'left out' },
		},
	],
	[
		...(['status', 'Primary Status/Secondary Status'] as const),
		{
			...{ '20/20': 'active', '20/35': 'active', '21/20': 'approved', '21/34': 'approved' },
			...{ '21/37': 'pending', '41/10': 'inactive', '42/20': 'suspended', '45/20': 'expired' },
			...{ '62/20': 'cancelled', '20/21': 'unknown', '/': 'unknown', '77/20': 'unknown' },
		},
	],
];

it.each(MEANINGS)(
	'The %s of a license is what the codes in %s say',
	async (what, columns, means) => {
		const [make, source] = columns === 'Rank Code' ? [food, 'hrfood1'] : [liquor, 'bd4006lic'];
		const rows = Object.keys(means).map((written, at) => {
			const codes = written.split('/');
			const own = columns.split('/').map((name, at) => [name, codes[at]!]);
			return make(number('BEV58', at), Object.fromEntries(own) as Fields);
		});
		const days = new Days();
		await days.refresh('2025-07-01', { [source]: rows });
		const { sources, licenses } = await days.open();
		const read = rows.map((row) => licenses.get(row['License Number']!)?.[what] ?? 'left out');
		expect(read).toEqual(Object.values(means));
		const unknown = Object.entries(means).filter(([, meaning]) => meaning === 'unknown');
		expect(Object.keys(sources[source]!.unknownCodes)).toEqual(unknown.map(([codes]) => codes));
	},
);
