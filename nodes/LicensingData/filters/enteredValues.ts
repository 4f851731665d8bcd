import { type INodeProperties, jsonParse } from 'n8n-workflow';

import { invalidInput } from '../licenses/failure';
import { type Choice, findChoice } from '../licenses/findChoice';
import { didYouMean, similarNames } from '../licenses/similarity';
import { beginning, formatCount, numberOf, plain } from '../licenses/text';

/**
 * Expressions can put anything into a parameter. Each function here returns a value that the service
 * documents, or undefined if nothing was asked for, or refuses the value and names the parameter.
 */

const MAX_TEXT = 200;
/** Longer lists than this are not repeated in a message. */
const MAX_NAMED = 20;
/** Each entry of a list is looked up for every item, and some are compared with every license. */
const MAX_ENTRIES = 1000;
/** All entries of a list together: a column of a long table has many that are repeated. */
const MAX_LIST = 1_000_000;
/** A message that names more is not read. */
const MAX_SHOWN = 5;

/** Without line breaks, invisible characters and half an emoji, which lists that were copied hold, and no license. */
const cleaned = (value: string): string =>
	value
		.replace(/[\p{Cf}\p{Cs}]/gu, '')
		.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
		.trim();

export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && cleaned(value) === '');

export function text(label: string, value: unknown): string | undefined {
	if (isEmpty(value)) return undefined;
	if (typeof value !== 'string' && !Number.isFinite(value))
		throw invalidInput(
			`'${label}' is not text`,
			'Check the expression: it must return one piece of text.',
		);
	const words = cleaned(String(value));
	if (words.length > MAX_TEXT)
		throw invalidInput(
			`'${label}' is longer than ${MAX_TEXT} characters`,
			'Shorten it, or check what the expression returns.',
		);
	return words;
}

export function numberWithin(
	label: string,
	value: unknown,
	{ min = 1, max = Number.MAX_SAFE_INTEGER, isWhole = true },
): number {
	const number = numberOf(value);
	const isRight = isWhole ? Number.isSafeInteger(number) : Number.isFinite(number);
	if (isRight && number >= min && number <= max) return number;
	throw invalidInput(
		`'${label}' is not a ${isWhole ? 'whole ' : ''}number ${max === Number.MAX_SAFE_INTEGER ? 'above zero' : `from ${min} to ${max}`}`,
		'Correct the number, or the expression that gives it.',
	);
}

/** The number in a field, within the bounds that the field declares. */
export const numberIn = (
	{ displayName, name, default: usual, typeOptions = {} }: INodeProperties,
	read: (name: string, fallback: unknown) => unknown,
): number => {
	const { minValue: min, maxValue: max, numberPrecision = 0 } = typeOptions;
	return numberWithin(displayName, read(name, usual), {
		min,
		max,
		isWhole: numberPrecision === 0,
	});
};

/** A choice that an expression or an older workflow may have got wrong. */
export function oneOf<Choice extends string>(
	label: string,
	value: unknown,
	choices: readonly Choice[],
): Choice {
	const known = choices.find((choice) => choice === value);
	if (known !== undefined) return known;
	throw invalidInput(
		`'${label}' has a value that this node does not know`,
		`Choose one of: ${choices.join(', ')}.`,
	);
}

export function yesOrNo(label: string, value: unknown): boolean {
	if (isEmpty(value)) return false;
	if (typeof value === 'boolean') return value;
	if (value === 'true' || value === 'false') return value === 'true';
	throw invalidInput(`'${label}' is neither true nor false`, 'Check what the expression returns.');
}

/** "oyster, miami" means two words; the service would look for a comma. */
export const withoutCommas = (words: string): string => words.replace(/[\s,;]+/g, ' ').trim();

/** What separates the entries of a list that came as one text, as it does from agents and expressions. */
const SEPARATOR = /[,;\n]|\sand\s/i;

/** Each entry once. A list that would keep n8n busy for seconds is refused. */
export function distinct(label: string, entries: unknown[]): unknown[] {
	const each = [...new Set(entries)];
	const length = each.reduce<number>(
		(sum, one) => sum + (typeof one === 'string' ? one.length : 0),
		0,
	);
	if (each.length <= MAX_ENTRIES && length <= MAX_LIST) return each;
	throw invalidInput(
		length > MAX_LIST
			? `'${label}' is longer than ${formatCount(MAX_LIST)} characters`
			: `'${label}' has more than ${formatCount(MAX_ENTRIES)} entries`,
		'Check what the expression returns. Counties, and ranges (33101-33199) or prefixes (331*) of ZIP codes, make a list of places short.',
	);
}

/** The entries of a list, each once, however it was given: a list, a list written as JSON, or a text with commas. */
export function entriesOf(label: string, value: unknown): unknown[] {
	const [first, ...others] = distinct(label, [value].flat());
	const isJson = others.length === 0 && typeof first === 'string' && /^\s*\[/.test(first);
	const list = isJson ? jsonParse<unknown>(first, { fallbackValue: first }) : [first, ...others];
	const entries = [list]
		.flat()
		.flatMap((entry) =>
			typeof entry === 'string' ? [...new Set(entry.split(SEPARATOR))].map(cleaned) : [entry],
		)
		.filter((entry) => !isEmpty(entry));
	return distinct(label, entries);
}

/** The known values behind what was chosen or entered, each once. */
export function choices(
	label: string,
	value: unknown,
	known: readonly Choice[],
	find = (entry: unknown) => findChoice(known, entry),
	adviceOn: (unknown: unknown) => string | undefined = () => undefined,
): string[] {
	const entries = distinct(label, [value].flat()).flatMap((entry) => {
		if (Array.isArray(entry)) return [entry];
		const parts = entriesOf(label, entry);
		// A name may have a comma, or an "and", of its own.
		const isOne = find(entry) !== undefined && parts.some((part) => find(part) === undefined);
		return isOne ? [entry] : parts;
	});
	const unknown = distinct(label, entries).filter((entry) => find(entry) === undefined);
	if (unknown.length === 0) return [...new Set(entries.flatMap((entry) => find(entry) ?? []))];
	const some = unknown.slice(0, MAX_SHOWN);
	const meant = didYouMean([...new Set(some.flatMap((entry) => choicesLike(known, entry)))]);
	const usual =
		known.length > MAX_NAMED
			? 'Choose from the list, or check what the expression returns.'
			: `Choose from: ${known.map(({ name }) => name).join(', ')}.`;
	throw invalidInput(
		`'${label}' has a value that is not in its list: ${previews(unknown).join(', ')}${meant && `.${meant}`}`,
		some.map(adviceOn).find(Boolean) ?? usual,
	);
}

/** Those with a similar name or, if there are none, with such examples, which follow a name after a colon. */
export function choicesLike(known: readonly Choice[], entry: unknown): string[] {
	const shortName = (name: string) => name.replace(/:.*/, '');
	const like = (part: (name: string) => string) =>
		similarNames(
			plain(preview(entry)),
			known.map(({ name }) => ({ key: plain(part(name)), name: shortName(name) })),
		);
	return [shortName, String].map(like).find(({ length }) => length > 0) ?? [];
}

/** The first of them, and how many others there are. */
export const previews = (values: unknown[], quote = ''): string[] => [
	...values.slice(0, MAX_SHOWN).map((value) => quote + preview(value, 30) + quote),
	...(values.length > MAX_SHOWN ? [`${values.length - MAX_SHOWN} more`] : []),
];

/** Enough of a value to recognize it in a message. */
export function preview(value: unknown, max = 60): string {
	const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : 'an object';
	const words = typeof value === 'object' ? kind : String(value);
	return beginning(words, max).replace(/\p{Cc}/gu, ' ');
}
