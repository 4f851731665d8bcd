import { parseArgs } from 'node:util';

import { registerShapes, type SandboxOptions } from './index.mts';
import { WHOLE } from './register/rates.mts';
import { choicesOf, SHAPES, type ShapeOptions } from './shapes.mts';

/** `rateLimits` is `--rate-limits`. */
export const nameOf = (question: string): string =>
	question.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const explained = registerShapes.map((question) => {
	const choices = choicesOf(question).join(', ');
	return `  --${nameOf(question).padEnd(22)} ${SHAPES[question].about}:\n${' '.repeat(27)}${choices}`;
});

const YEAR = 365 * 86_400_000;

export const usage = `npm run sandbox -- [options]

  --port <number>          where to listen on 127.0.0.1 (4010)
  --records <number>       how many licenses the live key sees at the start (${WHOLE}: all of Florida)
  --seed <number>          another seed, other licenses (1)
  --day <seconds>          how long a day of the register takes (60; 0 stands still)
  --start <date>           where the register's clock begins (a year ago); it never passes today
  --holes                  sources vanish for a day, licenses leave and return (off)
  --servers <number>       how many servers count the rate limit, each for itself (1)
  --webhooks               serve the planned webhooks (off)
  --delay <milliseconds>   how much longer every answer takes (0)
  --help                   this text

What the service leaves open; plan3000 and epoch unless asked, elsewhere the first:

${explained.join('\n')}
`;

/** Seeds have 32 bits, and no timer waits longer than 31. */
const highest = {
	port: 65_535,
	records: 10_000_000,
	seed: 2 ** 32 - 1,
	servers: 100,
	delay: 2 ** 31 - 1,
};

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]): SandboxOptions | 'help' {
	const text = (value: string) => ({ type: 'string' as const, default: value });
	const shapes = registerShapes.map((question) => [nameOf(question), { type: 'string' as const }]);
	const { values } = parseArgs({
		args,
		options: {
			...(Object.fromEntries(shapes) as Record<string, { type: 'string' }>),
			port: text('4010'),
			records: text(String(WHOLE)),
			seed: text('1'),
			day: text('60'),
			start: text(new Date(Date.now() - YEAR).toISOString()),
			holes: { type: 'boolean', default: false },
			servers: text('1'),
			delay: text('0'),
			webhooks: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return 'help';
	const given: Record<string, unknown> = values;
	const whole = (name: keyof typeof highest): number => {
		const value = Number(values[name]);
		if (/^\d+$/.test(values[name]) && value <= highest[name]) return value;
		throw new Error(`--${name} takes a whole number from 0 to ${highest[name]}`);
	};
	if (!/^\d+(\.\d+)?$/.test(values.day)) throw new Error('--day takes a number from 0 up');
	const seconds = Number(values.day);
	const start = Date.parse(values.start);
	if (Number.isNaN(start)) throw new Error('--start takes a date, such as 2026-01-31');
	const chosen = registerShapes.flatMap((question) => {
		const value = given[nameOf(question)];
		if (value === undefined) return [];
		const choices = choicesOf(question);
		if (choices.includes(String(value))) return [[question, value]];
		throw new Error(`--${nameOf(question)} takes one of ${choices.join(', ')}`);
	});
	return {
		...(Object.fromEntries(chosen) as ShapeOptions),
		port: whole('port'),
		records: whole('records'),
		seed: whole('seed'),
		start,
		...(seconds > 0 && { dayTakes: seconds * 1000 }),
		holes: values.holes,
		servers: Math.max(1, whole('servers')),
		delay: whole('delay'),
		webhooks: values.webhooks,
	};
}
