import { parseArgs } from 'node:util';

import type { SandboxOptions } from './index.mts';
import { choicesOf, questions, SHAPES, type ShapeOptions } from './shapes.mts';

/** `cursorLife` is `--cursor-life`. */
export const nameOf = (question: string): string =>
	question.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const explained = questions.map((question) => {
	const [byDefault, ...others] = choicesOf(question);
	return `  --${nameOf(question).padEnd(22)} ${SHAPES[question].about}:\n${' '.repeat(27)}${byDefault} (unless asked), ${others.join(', ')}`;
});

export const usage = `npm run sandbox -- [options]

  --port <number>          where to listen on 127.0.0.1 (4010)
  --records <number>       size of the live dataset at the start (5000)
  --rate <number>          filings a minute in the live dataset (6; 0 keeps it still)
  --seed <number>          another seed, another live dataset (1)
  --webhooks               serve the planned webhooks (off)
  --delay <milliseconds>   how much longer every answer takes (0)
  --help                   this text

What the interface leaves open:

${explained.join('\n')}
`;

/** Seeds have 32 bits, and no timer waits longer than 31. */
const highest = { port: 65_535, records: 10_000_000, seed: 2 ** 32 - 1, delay: 2 ** 31 - 1 };

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]): SandboxOptions | 'help' {
	const text = (value: string) => ({ type: 'string' as const, default: value });
	const shapes = questions.map((question) => [nameOf(question), { type: 'string' as const }]);
	const { values } = parseArgs({
		args,
		options: {
			...(Object.fromEntries(shapes) as Record<string, { type: 'string' }>),
			port: text('4010'),
			records: text('5000'),
			rate: text('6'),
			seed: text('1'),
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
	const rate = (): number => {
		if (/^\d+(\.\d+)?$/.test(values.rate)) return Number(values.rate);
		throw new Error('--rate takes a number from 0 up');
	};
	const chosen = questions.flatMap((question) => {
		const name = nameOf(question);
		const value = given[name];
		if (value === undefined) return [];
		const choices = choicesOf(question);
		if (choices.includes(String(value))) return [[question, value]];
		throw new Error(`--${name} takes one of ${choices.join(', ')}`);
	});
	return {
		...(Object.fromEntries(chosen) as ShapeOptions),
		port: whole('port'),
		records: whole('records'),
		rate: rate(),
		seed: whole('seed'),
		delay: whole('delay'),
		webhooks: values.webhooks,
	};
}
