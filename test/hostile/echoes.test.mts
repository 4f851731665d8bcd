import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runLicense } from '../support/license-node.mts';
import { listen, type Loopback } from '../support/loopback.mts';
import { made, RUNS, tried } from './runs.mts';

let service: Loopback;
let said = '';
beforeAll(async () => {
	service = await listen((_, response) => {
		response.statusCode = 401;
		response.end(JSON.stringify({ error: { message: said } }));
	});
});
afterAll(async () => await service.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** How a text may be told without writing it out; a few bits at either end belong to what stands beside it. */
function forms(text: string): string[] {
	const shifted = [0, 1, 2].map((shift) =>
		base64(' '.repeat(shift) + text)
			.slice(shift === 0 ? 0 : shift + 1)
			.replace(/.?=*$/, ''),
	);
	return [text, encodeURIComponent(text), ...shifted];
}

const ECHOES: Array<(key: string) => string> = [
	(key) => key,
	(key) => `Bearer ${key}`,
	(key) => `key=${encodeURIComponent(key)}&x=1`,
	(key) => base64(key),
	(key) => base64(`Bearer ${key}`),
	(key) => base64(`:${key}`),
	(key) => base64(`user:${key}@host`),
	(key) => `${'x'.repeat(280)} ${key}`,
	(key) => `${'x'.repeat(280)} ${base64(key)}`,
	(key) => `${key}${key}`,
	(key) => `<${key}>"${key}"`,
];

describe('A key that the service repeats', () => {
	const character = fc.constantFrom(...'abcXYZ019-_+/=%$&.~!*'.split(''));
	const anyKey = fc
		.tuple(
			fc.constantFrom('ls_live_', 'ls_test_', 'sk-', ''),
			fc.array(character, { minLength: 12, maxLength: 40 }),
		)
		.map(([prefix, letters]) => prefix + letters.join(''));

	it('reaches no error and no execution, in no form', async (test) => {
		let count = 0;
		await fc.assert(
			fc.asyncProperty(anyKey, fc.constantFrom(...ECHOES), async (apiKey, echo) => {
				said = echo(apiKey);
				const { error, stored } = await runLicense(
					{ operation: 'getAll' },
					{ credentials: { baseUrl: service.baseUrl, apiKey } },
				);
				expect(error?.message).toBe('The API key was not accepted');
				for (const form of forms(apiKey)) expect(stored).not.toContain(form);
				count++;
			}),
			made(RUNS * 3),
		);
		tried(test, count);
	});
});
