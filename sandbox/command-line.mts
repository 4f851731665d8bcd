import { parseArgs } from 'node:util';

import type { SandboxOptions } from './index.mts';
import { planTiers } from './server/rate-limit.mts';

export const usage = `npm run sandbox -- [options]

  --port <number>          where to listen on 127.0.0.1 (4010)
  --records <number>       size of the live dataset at the start (5000)
  --rate <number>          filings a minute in the live dataset (6; 0 keeps it still)
  --seed <number>          another seed, another live dataset (1)
  --cursors <kind>         key or position (key)
  --search-shape <shape>   page, data or array (page)
  --plan <tier>            rate limits of a plan tier: ${Object.keys(planTiers).join(', ')} (off)
  --webhooks               serve the planned webhooks (off)
  --delay <milliseconds>   how much longer every answer takes (0)
  --help                   this text
`;

const choices = {
	cursors: ['key', 'position'],
	'search-shape': ['page', 'data', 'array'],
	plan: ['off', ...Object.keys(planTiers)],
};

/** Seeds have 32 bits, and no timer waits longer than 31. */
const highest = { port: 65_535, records: 10_000_000, seed: 2 ** 32 - 1, delay: 2 ** 31 - 1 };

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]): SandboxOptions | 'help' {
	const text = (value: string) => ({ type: 'string' as const, default: value });
	const { values } = parseArgs({
		args,
		options: {
			port: text('4010'),
			records: text('5000'),
			rate: text('6'),
			seed: text('1'),
			cursors: text('key'),
			'search-shape': text('page'),
			plan: text('off'),
			delay: text('0'),
			webhooks: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return 'help';
	const whole = (name: keyof typeof highest): number => {
		const value = Number(values[name]);
		if (/^\d+$/.test(values[name]) && value <= highest[name]) return value;
		throw new Error(`--${name} takes a whole number from 0 to ${highest[name]}`);
	};
	const rate = (): number => {
		if (/^\d+(\.\d+)?$/.test(values.rate)) return Number(values.rate);
		throw new Error('--rate takes a number from 0 up');
	};
	const choice = (name: keyof typeof choices): string => {
		if (choices[name].includes(values[name])) return values[name];
		throw new Error(`--${name} takes one of ${choices[name].join(', ')}`);
	};
	return {
		port: whole('port'),
		records: whole('records'),
		rate: rate(),
		seed: whole('seed'),
		delay: whole('delay'),
		webhooks: values.webhooks,
		cursors: choice('cursors') as SandboxOptions['cursors'],
		searchShape: choice('search-shape') as SandboxOptions['searchShape'],
		rateLimits: choice('plan') as SandboxOptions['rateLimits'],
	};
}
