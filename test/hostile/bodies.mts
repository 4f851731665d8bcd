import fc from 'fast-check';

import { license, page } from '../support/records.mts';

const json = (value: unknown): string => JSON.stringify(value);
const deep = (open: string, close: string, levels: number) =>
	open.repeat(levels) + 1 + close.repeat(levels);
const pageOf = (field: string) =>
	json(page([{ id: 'lic_1', x: 0 }])).replace('"x":0', `"x":${field}`);

/** Bodies that must lead to nothing but an error that says so, whatever was asked. */
export const NO_ANSWERS: Array<[name: string, body: string]> = [
	['an Error body beside data that is null', json({ data: null, error: { message: 'Oh.' } })],
	['data in a prototype', '{"__proto__":{"data":[],"pagination":{}}}'],
	['two documents', `${json(page([]))}${json(page([]))}`],
	['a hundred thousand lists in each other', deep('[', ']', 100_000)],
	['a license that is deep', pageOf(deep('[', ']', 100_000))],
	['a license that is too deep to be stored', pageOf(deep('{"a":', '}', 2_000))],
	['a page that is deep beside its list', `{"data":[],"pagination":${deep('{"a":', '}', 20_000)}}`],
];

const NAMES =
	'__proto__ constructor prototype toString valueOf toJSON then length hasOwnProperty'.split(' ');

export const anyJson = fc.oneof(
	{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }) },
	fc.object({ key: fc.oneof(fc.constantFrom(...NAMES), fc.string()), maxDepth: 3 }),
	fc.constantFrom<unknown>(
		...['\ud800', '\0', { toString: 1, valueOf: 1 }, [[[[]]]], 1e300, -0, '9999-99-99'],
	),
);

const someOf = (names: string[], ...more: Array<fc.Arbitrary<string>>) =>
	fc.dictionary(fc.oneof(fc.constantFrom(...names), ...more), anyJson, { maxKeys: 12 });

/** A license in which any field may be of any kind, along with fields that nobody knows. */
export const anyLicense: fc.Arbitrary<Record<string, unknown>> = fc
	.tuple(
		someOf(Object.keys(license()), fc.constantFrom(...NAMES), fc.string()),
		fc.option(someOf(['street', 'city', 'county', 'state', 'zip', 'lat'])),
	)
	.map(([fields, address]) => {
		const known = { licenseNumber: 'COP-2026-000001', status: 'active' };
		// As JSON.parse returns it, where `__proto__` is a key like any other.
		return JSON.parse(json({ ...fields, ...(address && { address }), ...known }));
	});
