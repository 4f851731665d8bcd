import { parseArgs } from 'node:util';

import { type SandboxOptions, type StreamOptions, registerShapes } from './index.mts';
import { WHOLE } from './register/rates.mts';
import { choicesOf, questions, SHAPES, type ShapeOptions } from './shapes.mts';

/** `cursorLife` is `--cursor-life`. */
export const nameOf = (question: string): string =>
	question.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const isRegisters = (question: string): boolean =>
	(registerShapes as readonly string[]).includes(question);

const explained = (chosen: (question: string) => boolean): string =>
	questions
		.filter(chosen)
		.map((question) => {
			const choices = choicesOf(question).join(', ');
			return `  --${nameOf(question).padEnd(22)} ${SHAPES[question].about}:\n${' '.repeat(27)}${choices}`;
		})
		.join('\n');

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

What the service leaves open; the first choice unless asked, and for limits plan3000:

${explained(isRegisters)}

  --stream                 in place of the register, events that arrive by the minute, sorted by time
  --rate <number>          how many of them a minute (6; 0 keeps it still)

The stream answers in other shapes, too:

${explained((question) => !isRegisters(question))}
`;

/** Seeds have 32 bits, and no timer waits longer than 31. */
const highest = {
	port: 65_535,
	records: 10_000_000,
	seed: 2 ** 32 - 1,
	delay: 2 ** 31 - 1,
	servers: 100,
};

export type Asked = SandboxOptions | (StreamOptions & { kind: 'stream' });

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]): Asked | 'help' {
	const text = (value?: string) => ({ type: 'string' as const, ...(value && { default: value }) });
	const shapes = questions.map((question) => [nameOf(question), { type: 'string' as const }]);
	const { values } = parseArgs({
		args,
		options: {
			...(Object.fromEntries(shapes) as Record<string, { type: 'string' }>),
			port: text('4010'),
			records: text(),
			seed: text('1'),
			day: text(),
			start: text(),
			holes: { type: 'boolean' },
			servers: text('1'),
			delay: text('0'),
			rate: text(),
			stream: { type: 'boolean', default: false },
			webhooks: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return 'help';
	const given: Record<string, unknown> = values;
	const whole = (name: keyof typeof highest, value = String(values[name])): number => {
		const number = Number(value);
		if (/^\d+$/.test(value) && number <= highest[name]) return number;
		throw new Error(`--${name} takes a whole number from 0 to ${highest[name]}`);
	};
	const number = (name: 'rate' | 'day', value: string): number => {
		if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
		throw new Error(`--${name} takes a number from 0 up`);
	};
	const chosen = questions.flatMap((question) => {
		const name = nameOf(question);
		const value = given[name];
		if (value === undefined) return [];
		if (!values.stream && !isRegisters(question)) throw new Error(`--${name} needs --stream`);
		const choices = choicesOf(question);
		if (choices.includes(String(value))) return [[question, value]];
		throw new Error(`--${name} takes one of ${choices.join(', ')}`);
	});
	const both = {
		...(Object.fromEntries(chosen) as ShapeOptions),
		port: whole('port'),
		seed: whole('seed'),
		servers: whole('servers'),
		delay: whole('delay'),
		webhooks: values.webhooks,
	};
	const unfit = values.stream ? (['day', 'start', 'holes'] as const) : (['rate'] as const);
	for (const name of unfit)
		if (values[name] !== undefined)
			throw new Error(`--${name} ${values.stream ? 'does not go with' : 'needs'} --stream`);
	if (values.stream) {
		const rate = number('rate', values.rate ?? '6');
		return { kind: 'stream', ...both, records: whole('records', values.records ?? '5000'), rate };
	}
	const seconds = number('day', values.day ?? '60');
	const start = values.start === undefined ? Date.now() - YEAR : Date.parse(values.start);
	if (Number.isNaN(start)) throw new Error('--start takes a date, as 2026-01-31');
	return {
		...both,
		records: whole('records', values.records ?? String(WHOLE)),
		start,
		holes: values.holes ?? false,
		...(seconds > 0 && { dayTakes: seconds * 1000 }),
	};
}
