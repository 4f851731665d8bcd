import { parseArgs } from 'node:util';

import type { SandboxOptions } from './index.mts';
import { WHOLE } from './register/behavior.mts';
import { choicesOf, questions, type ShapeOptions } from './shapes.mts';

/** `rateLimits` is `--rate-limits`. */
export const nameOf = (question: string): string =>
	question.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const shapeOptions = questions.map((question) => {
	const choices = choicesOf(question).join(', ');
	return `  --${nameOf(question).padEnd(22)} ${choices}`;
});

export const usage = `npm run sandbox -- [options]

  --port <number>          where to listen on 127.0.0.1 (4010)
  --records <number>       how many licenses the live key sees at the start (${WHOLE}: all of Florida)
  --seed <number>          a different seed makes different licenses (1)
  --today <date>           the sandbox's date when it starts (today)
  --list-every <seconds>   how long until it lists another day's licenses (60; 0: never)
  --webhooks               serve the planned webhooks (off)
  --help                   this text

What the API's documentation leaves open (see shapes.mts). The first choice is the default:

${shapeOptions.join('\n')}
`;

/** Seeds have 32 bits, and no timer waits longer than 31. */
const highest = { port: 65_535, records: 10_000_000, seed: 2 ** 32 - 1, 'list-every': 1_000_000 };

/** What a command line asks for; throws with a sentence that says what is wrong with it. */
export function optionsFrom(args: string[]): SandboxOptions | 'help' {
	const text = (value: string) => ({ type: 'string' as const, default: value });
	const flag = { type: 'boolean', default: false } as const;
	const shapes = questions.map((question) => [nameOf(question), { type: 'string' as const }]);
	const { values } = parseArgs({
		args,
		options: {
			...(Object.fromEntries(shapes) as Record<string, { type: 'string' }>),
			...{ port: text('4010'), records: text(String(WHOLE)), seed: text('1') },
			...{ today: text(new Date().toISOString().slice(0, 10)), 'list-every': text('60') },
			...{ webhooks: flag, help: flag },
		},
	});
	if (values.help) return 'help';
	const whole = (name: keyof typeof highest): number => {
		const value = Number(values[name]);
		if (/^\d+$/.test(values[name]) && value <= highest[name]) return value;
		throw new Error(`--${name} takes a whole number from 0 to ${highest[name]}`);
	};
	const { today, webhooks } = values;
	if (Number.isNaN(Date.parse(today))) throw new Error('--today takes a date, such as 2026-01-31');
	const given: Record<string, unknown> = values;
	const asked = questions.filter((question) => given[nameOf(question)] !== undefined);
	const chosen = asked.map((question) => {
		const value = given[nameOf(question)];
		const choices = choicesOf(question);
		if (choices.includes(String(value))) return [question, value];
		throw new Error(`--${nameOf(question)} takes one of ${choices.join(', ')}`);
	});
	const seconds = whole('list-every');
	return {
		...(Object.fromEntries(chosen) as ShapeOptions),
		...{ port: whole('port'), records: whole('records'), seed: whole('seed'), today, webhooks },
		...(seconds > 0 && { listEvery: seconds * 1000 }),
	};
}
