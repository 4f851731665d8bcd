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
	const number = (name: 'port' | 'records' | 'rate' | 'seed' | 'delay'): number => {
		const value = Number(values[name]);
		if (values[name] === '' || !(value >= 0)) throw new Error(`--${name} takes a number from 0 up`);
		return value;
	};
	const choice = (name: keyof typeof choices): string => {
		if (choices[name].includes(values[name])) return values[name];
		throw new Error(`--${name} takes one of ${choices[name].join(', ')}`);
	};
	return {
		port: number('port'),
		records: number('records'),
		rate: number('rate'),
		seed: number('seed'),
		delay: number('delay'),
		webhooks: values.webhooks,
		cursors: choice('cursors') as SandboxOptions['cursors'],
		searchShape: choice('search-shape') as SandboxOptions['searchShape'],
		rateLimits: choice('plan') as SandboxOptions['rateLimits'],
	};
}
