import { type Attack, attacksOn } from '../support/attacks.mts';
import { stepCounter, TooManySteps } from '../support/expression-steps.mts';
import { expressionsOf } from '../support/expressions.mts';

/** Longer than anything that an expression counts, such as the 64 digits of a signature. */
const TIMES = 32;

/** The first text for which the steps grow faster than its length. */
function slowTextFor(expression: RegExp): Attack | undefined {
	const count = stepCounter(expression);
	const everywhere = new RegExp(expression, `${expression.flags.replace('g', '')}g`);
	const stepsOf = (text: string): number => {
		const { found, steps } = count(text);
		// Whoever counts the steps must find the same.
		expect([...text.matchAll(everywhere)]).toHaveLength(found);
		return steps;
	};
	return attacksOn(expression).find(({ before, repeated, after }) => {
		const texts = [1, 2, 3].map((size) => before + repeated.repeat(size * TIMES) + after);
		try {
			const [one = 0, two = 0, three = 0] = texts.map(stepsOf);
			// It is zero, or nearly, for a straight line, and at least twice that for a parabola.
			return three - 2 * two + one > TIMES ** 2 / 2;
		} catch (error) {
			if (error instanceof TooManySteps) return true;
			throw error;
		}
	});
}

describe('The steps of a regular expression grow only as a text does', () => {
	it.each(expressionsOf('nodes', 'credentials'))('in %s: %s', (_, expression) => {
		expect(slowTextFor(expression)).toBeUndefined();
	});

	it.each([
		// Froze n8n: "ne" may be one direction or two.
		/^\d+ ((?:(?:north|south|east|west|[ns]?[ew]|[ns])+ )*)([a-z]{3,}|\d+)/,
		...[/(a+)+$/, /^(?:a|ab|b)*c/, /^(?:a?b?)*c/, /^(\w+\s?)*$/, /^(?:one|two|onetwo)*x/],
		...[/\s+$/, /^a*b?a*c$/, /x(?=.*y)/g, /(?<=\s+)x/, /<!--.*?-->/, /(\w*)\1x/, /^.*?,.*?,x/],
	])('which is not so for %s', (expression) => {
		expect(slowTextFor(expression)).toBeDefined();
	});
});
