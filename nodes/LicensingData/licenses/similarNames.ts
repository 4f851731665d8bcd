import { similarity } from './similarity';

/** How alike a name and what was typed must be for the one to be suggested for the other. */
const ALIKE = 0.72;
/** What begins or ends like a city, such as "Lauderdale". Fewer letters say too little. */
const FEWEST_LETTERS = 5;
/** Of "Beach" alone, there are a hundred. */
const MOST_SUGGESTIONS = 4;

/** The names that somebody may have meant, the most alike first. They are compared by their keys. */
export function similarNames(
	wanted: string,
	names: Array<{ key: string; name: string }>,
): string[] {
	const alike = names
		.map(({ key, name }) => ({ name, score: likeness(wanted, key) }))
		.filter(({ score }) => score >= ALIKE)
		.sort((a, b) => b.score - a.score);
	// Next to a name that differs in one letter, one that differs in three only confuses.
	const enough = (alike[0]?.score ?? 1) - 0.1;
	const best = alike.filter(({ score }) => score >= enough).map(({ name }) => name);
	return best.length > MOST_SUGGESTIONS ? [] : best;
}

const likeness = (wanted: string, key: string): number =>
	wanted.length >= FEWEST_LETTERS && (key.startsWith(wanted) || key.endsWith(wanted))
		? Math.max(0.75, similarity(wanted, key, ALIKE))
		: similarity(wanted, key, ALIKE);

export const didYouMean = (names: string[]): string =>
	names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
