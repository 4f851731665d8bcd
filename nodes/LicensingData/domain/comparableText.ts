/** Lowercase ASCII words with single spaces. "Joe's" is one word, "Ft.Myers" are two. */
export const plain = (text: string): string =>
	text
		.normalize('NFKD')
		.toLowerCase()
		.replace(/\p{M}|['’`]/gu, '')
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
