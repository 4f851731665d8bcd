/** A value that the service knows, with the words that a person knows it by. */
export interface Choice {
	name: string;
	value: string;
	description?: string;
}

const letters = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

/** Finds the documented value behind whatever an expression gives: another case, spaces, hyphens, or the label. */
export function findChoice(choices: readonly Choice[], given: unknown): string | undefined {
	if (typeof given !== 'string') return undefined;
	const wanted = letters(given);
	return choices.find(({ name, value }) => letters(value) === wanted || letters(name) === wanted)
		?.value;
}
