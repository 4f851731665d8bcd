import { LONGEST_COMPARED } from './bounds';

/** Some single characters stand for a whole phrase. Comparing takes time with the square of the length. */
const LONGEST_FOLDED = 200;

/** Lowercase ASCII words with single spaces. "Joe's" is one word, "Ft.Myers" are two. */
export const plain = (text: string): string =>
	text
		.slice(0, LONGEST_COMPARED)
		.normalize('NFKD')
		.toLowerCase()
		.replace(/\p{M}|['’`]/gu, '')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim()
		.slice(0, LONGEST_FOLDED);
