import fc from 'fast-check';

import { license, licenses, page } from '../support/records.mts';

const json = (value: unknown): string => JSON.stringify(value);
const pagination = { cursor: null, hasMore: false, total: 1, limit: 50 };
const deep = (open: string, close: string, levels: number, inner = '1') =>
	open.repeat(levels) + inner + close.repeat(levels);

/** Bodies that must lead to nothing but an error that says so, whatever was asked. */
export const NO_ANSWERS: Array<[name: string, body: string | Buffer]> = [
	['nothing', ''],
	['an Error body beside data that is null', json({ data: null, error: { message: 'Oh.' } })],
	['data in a prototype', '{"__proto__":{"data":[],"pagination":{}}}'],
	['two documents', `${json(page([]))}${json(page([]))}`],
	['UTF-16', Buffer.from(json(page(licenses(1))), 'utf16le')],
	['a page that breaks off', json(page(licenses(3))).slice(0, -1)],
	['a hundred thousand lists in each other', deep('[', ']', 100_000)],
	['a hundred thousand lists that are not closed', '['.repeat(100_000)],
	[
		'a license that is deep',
		`{"data":[{"id":"lic_1","x":${deep('[', ']', 100_000)}}],"pagination":${json(pagination)}}`,
	],
	[
		'a license that is too deep to be stored',
		`{"data":[{"id":"lic_1","x":${deep('{"a":', '}', 2_000)}}],"pagination":${json(pagination)}}`,
	],
	['a page that is deep beside its list', `{"data":[],"pagination":${deep('{"a":', '}', 20_000)}}`],
	['a million records', `{"data":[${'{},'.repeat(999_999)}{}],"pagination":${json(pagination)}}`],
];

/** Pages whose list, or whose way to the next page, makes no sense. */
export const NO_PAGES: Array<[name: string, body: string]> = [
	['pagination as a text', json({ data: licenses(1), pagination: 'next' })],
	...[0, 7, true, {}, [], ['x'], { toString: 'x' }].map((cursor): [string, string] => [
		`the cursor ${json(cursor)}`,
		json({ data: licenses(1), pagination: { hasMore: true, cursor } }),
	]),
	['a cursor of a megabyte', json({ data: [], pagination: { cursor: 'x'.repeat(1_000_000) } })],
];

const TOTALS = [-1, 0, 1e9, 1e308, 1.5, null, '7', true, {}, [], undefined];

/** Pages that are odd but whole: their three licenses must come, each once. */
export const WHOLE_PAGES: Array<[name: string, body: string | Buffer]> = [
	['with a byte order mark', `\ufeff${json(page(licenses(3)))}`],
	['with space around it', `\r\n\t ${json(page(licenses(3)))} \n`],
	['with unknown fields', json({ ...page(licenses(3)), meta: {}, error: null })],
	['with a prototype to set', `{"__proto__":{"polluted":1},${json(page(licenses(3))).slice(1)}`],
	['with every record twice', json(page([...licenses(3), ...licenses(3)]))],
	[
		'with a license of 90,000 letters',
		json(page(licenses(3).map((one) => ({ ...one, legalName: 'x'.repeat(90_000) })))),
	],
	...TOTALS.map((total): [string, string] => [
		`with the total ${json(total)}`,
		json({ data: licenses(3), pagination: { ...pagination, total, limit: total } }),
	]),
	...([null, 'yes', 0, [], undefined] as unknown[]).map((hasMore): [string, string] => [
		`with hasMore ${json(hasMore)}`,
		json({ data: licenses(3), pagination: { ...pagination, hasMore } }),
	]),
];

const NAMES =
	'__proto__ constructor prototype toString valueOf toJSON then length hasOwnProperty'.split(' ');

export const anyJson = fc.oneof(
	{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) },
	fc.object({ key: fc.oneof(fc.constantFrom(...NAMES), fc.string()), maxDepth: 3 }),
	fc.constantFrom<unknown>(
		'\ud800',
		'\0',
		{ toString: 1, valueOf: 1 },
		[[[[]]]],
		1e300,
		-0,
		'9999-99-99',
	),
);

const FIELDS = Object.keys(license());

/** A license in which any field may be of any kind, along with fields that nobody knows. */
export const anyLicense: fc.Arbitrary<Record<string, unknown>> = fc
	.tuple(
		fc.dictionary(
			fc.oneof(fc.constantFrom(...FIELDS), fc.constantFrom(...NAMES), fc.string()),
			anyJson,
			{
				maxKeys: 12,
			},
		),
		fc.option(
			fc.dictionary(fc.constantFrom('street', 'city', 'county', 'state', 'zip', 'lat'), anyJson),
		),
	)
	// As JSON.parse returns it, where `__proto__` is a key like any other.
	.map(([fields, address]) =>
		JSON.parse(
			json({
				...fields,
				...(address && { address }),
				licenseNumber: 'COP-2026-000001',
				status: 'active',
			}),
		),
	);
