import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

type Next = (at: number) => boolean;
/** Whether a part of the expression matches from a place on, and the rest from where the part ends. */
type Matcher = (at: number, rest: Next) => boolean;

const MOST_STEPS = 200_000;

export class TooManySteps extends Error {}

/**
 * For all matches in a text, as V8's backtracking finds them: how many there are, and how many steps they take.
 * Unlike a time, the steps are the same on every machine.
 */
export function stepCounter(expression: RegExp) {
	const flags = expression.flags.replace(/[gy]/g, '');
	const captured = new Map<AST.CapturingGroup, string>();
	let [text, steps] = ['', 0];

	function step(goesOn: boolean): boolean {
		if (++steps > MOST_STEPS) throw new TooManySteps();
		return goesOn;
	}

	const anyOf = (alternatives: AST.Alternative[], isBackward: boolean): Matcher => {
		const matchers = alternatives.map(({ elements }) =>
			(isBackward ? elements : elements.toReversed())
				.map((element) => matcherOf(element, isBackward))
				.reduce<Matcher>(
					(later, first) => (at, rest) => first(at, (end) => later(end, rest)),
					(at, rest) => rest(at),
				),
		);
		return (at, rest) => matchers.some((matches) => matches(at, rest));
	};

	function assertion(node: AST.Assertion): Matcher {
		if (node.kind === 'lookahead' || node.kind === 'lookbehind') {
			const looks = anyOf(node.alternatives, node.kind === 'lookbehind');
			return (at, rest) => looks(at, () => true) !== node.negate && rest(at);
		}
		const edge = new RegExp(node.raw, `${flags}y`);
		return (at, rest) => {
			edge.lastIndex = at;
			return step(edge.test(text)) && rest(at);
		};
	}

	function quantifier({ min, max, greedy, element }: AST.Quantifier, isBackward: boolean): Matcher {
		const once = matcherOf(element, isBackward);
		const from = (count: number, at: number, rest: Next): boolean => {
			const again: Next = (end) => (end !== at || count < min) && from(count + 1, end, rest);
			const more = () => step(count < max) && once(at, again);
			const enough = () => count >= min && rest(at);
			return greedy ? more() || enough() : enough() || more();
		};
		return (at, rest) => from(0, at, rest);
	}

	function group(node: AST.CapturingGroup, isBackward: boolean): Matcher {
		const inner = anyOf(node.alternatives, isBackward);
		return (at, rest) =>
			inner(at, (end) => {
				const before = captured.get(node) ?? '';
				captured.set(node, text.slice(...[at, end].sort((a, b) => a - b)));
				return rest(end) || !captured.set(node, before);
			});
	}

	function matcherOf(node: AST.Element, isBackward: boolean): Matcher {
		if (node.type === 'Assertion') return assertion(node);
		if (node.type === 'Quantifier') return quantifier(node, isBackward);
		if (node.type === 'Group') return anyOf(node.alternatives, isBackward);
		if (node.type === 'CapturingGroup') return group(node, isBackward);
		if (node.type === 'Backreference')
			return (at, rest) => {
				const same = captured.get([node.resolved].flat()[0]!) ?? '';
				return step(text.startsWith(same, at)) && rest(at + same.length);
			};
		const fits = new RegExp(`^${node.raw}$`, flags);
		const [behind, move] = isBackward ? [1, -1] : [0, 1];
		return (at, rest) => step(fits.test(text[at - behind] ?? '')) && rest(at + move);
	}

	const matches = anyOf(parseRegExpLiteral(expression).pattern.alternatives, false);
	return (searched: string) => {
		[text, steps] = [searched, 0];
		let [found, at, end] = [0, 0, 0];
		for (; at <= text.length; at = Math.max(at + 1, end))
			if (step(matches(at, (last) => (end = last) >= 0))) found++;
		return { found, steps };
	};
}
