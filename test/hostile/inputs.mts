import fc from 'fast-check';

import { license } from '../support/records.mts';

/** How many times a property is tried; the long run asks for many times more. */
export const RUNS = Number(process.env.HOSTILE_RUNS ?? 5);

/** The same inputs in every test run; the long run draws others, and says its seed if one gets through. */
const seed = RUNS > 100 ? Date.now() % 2 ** 31 : 20_260_701;

/** The examples come first, and are all tried. */
export const made = <Inputs,>(numRuns = RUNS, examples: Inputs[] = []) => ({
	...{ seed, examples, numRuns: examples.length + numRuns },
});

/** Examples of a property that takes one input. */
export const each = <Input,>(inputs: Input[]): Array<[Input]> => inputs.map((input) => [input]);

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
		return JSON.parse(JSON.stringify({ ...fields, ...(address && { address }), ...known }));
	});
