import { plain } from '../domain/plainText';

/** Abbreviations in city names, spelled out as the Postal Service does. */
const ABBREVIATIONS: Record<string, string> = {
	ft: 'fort',
	mt: 'mount',
	pt: 'port',
	st: 'saint',
	no: 'north',
	n: 'north',
	so: 'south',
	s: 'south',
	e: 'east',
	w: 'west',
};

/** The same text for "St Petersburg", "Saint Petersburg" and "ST. PETERSBURG". Empty if it is not a city. */
export function cityKey(city: unknown): string {
	if (typeof city !== 'string') return '';
	return plain(city)
		.replace(/ (?:fl|florida)$/, '')
		.split(' ')
		.map((word) => (Object.hasOwn(ABBREVIATIONS, word) ? ABBREVIATIONS[word] : word))
		.join('');
}
