import { createHash } from 'node:crypto';

const LEGAL_FORMS =
	/\b(L ?L ?C|INC|INCORPORATED|CORP|CORPORATION|CO|COMPANY|LTD|LIMITED|L ?P|L ?L ?P|LLLP|P ?A|PLLC|PL|THE)\b/g;

/** A name without punctuation and legal form. */
const plainName = (name: string): string =>
	name
		.normalize('NFD')
		.replace(/[\p{M}.'’]/gu, '')
		.toUpperCase()
		.replace(/&/g, ' AND ')
		.replace(/[^A-Z0-9]+/g, ' ')
		.replace(LEGAL_FORMS, '')
		.replace(/ /g, '');

/** How alike two spellings of one holder are. */
const ALIKE = 0.9;

/** A rewording is no other holder. */
export function isSameHolder(one: string, other: string): boolean {
	if (one === other) return true;
	const [short, long] = [plainName(one), plainName(other)];
	const longest = Math.max(short.length, long.length);
	const allowed = Math.floor(longest * (1 - ALIKE) + 1e-9);
	return Math.abs(short.length - long.length) <= allowed && distance(short, long) <= allowed;
}

/** How many letters must be changed to make one text the other (Levenshtein). */
function distance(one: string, other: string): number {
	let before = Array.from({ length: other.length + 1 }, (_, at) => at);
	for (let row = 1; row <= one.length; row++) {
		const now = [row];
		for (let at = 1; at <= other.length; at++) {
			const change = before[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1);
			now.push(Math.min(before[at]! + 1, now[at - 1]! + 1, change));
		}
		before = now;
	}
	return before.at(-1)!;
}

/** What stays of a holder whose license has ended: enough to see that another one has it now. */
export const holderHash = (name: string): string =>
	createHash('sha256').update(plainName(name)).digest('hex').slice(0, 16);
