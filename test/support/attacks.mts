import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

/** A text that makes a search long, if any does: what may stand before a repetition, what it repeats, and an end. */
export interface Attack {
	before: string;
	repeated: string;
	after: string;
}

const some = (texts: string[], most: number): string[] => [...new Set(texts)].slice(0, most);

/** The first of each, then the second: none is left out where there are too many. */
const inTurn = (lists: string[][]): string[] =>
	[...Array(Math.max(0, ...lists.map(({ length }) => length))).keys()].flatMap((at) =>
		lists.flatMap((list) => list.slice(at, at + 1)),
	);

const pairs = (starts: string[], ends: string[]): string[] =>
	inTurn(starts.map((start) => ends.map((end) => start + end)));

/** Of the expression's own letters, words and classes. */
export function attacksOn(expression: RegExp): Attack[] {
	const flags = expression.flags.replace(/[gy]/g, '');
	const letters = [...new Set(`${expression.source}a0 !\n\u00e9-_`)];
	const attacks: Attack[] = [];

	function samplesOf(node: AST.Element): string[] {
		if (node.type === 'Group' || node.type === 'CapturingGroup')
			return inTurn(node.alternatives.map(({ elements }) => samplesOfAll(elements)));
		if (node.type === 'Assertion' || node.type === 'Backreference') return [''];
		if (node.type !== 'Quantifier') {
			const fits = new RegExp(`^${node.raw}$`, flags);
			return letters.filter((letter) => fits.test(letter));
		}
		const once = samplesOf(node.element).map((one) => one.repeat(Math.max(1, node.min)));
		return node.min === 0 ? ['', ...once] : once;
	}

	const samplesOfAll = (elements: AST.Element[]): string[] =>
		elements.reduce((starts, element) => some(pairs(starts, samplesOf(element)), 12), ['']);

	function attackAll(alternatives: AST.Alternative[], starts: string[]): void {
		for (const { elements } of alternatives) {
			elements.reduce((reached, element) => {
				attack(element, reached);
				return some(pairs(reached, samplesOf(element)), 3);
			}, starts);
		}
	}

	function attack(node: AST.Element, starts: string[]): void {
		if ('alternatives' in node) attackAll(node.alternatives, starts);
		if (node.type !== 'Quantifier') return;
		attack(node.element, starts);
		if (node.max < 10) return;
		const once = some(samplesOf(node.element), 12);
		const repeated = [...once, ...pairs(once.slice(0, 4), once.slice(0, 4))];
		for (const one of some(repeated.filter(Boolean), 24))
			for (const before of starts)
				for (const after of ['', '!', '\n'])
					attacks.push(
						{ before, repeated: one, after },
						{ before: '', repeated: before + one, after },
					);
	}

	attackAll(parseRegExpLiteral(expression).pattern.alternatives, ['']);
	return attacks;
}
