import { repaired } from '../licenses/readableText';

/** What Salesforce and Pipedrive take for a name. No true name, street or city comes near it. */
const MOST_CHARACTERS = 255;

const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const ALL_CONTROLS = new RegExp(`${CONTROLS.source}+`, 'gu');

/** Without what a mail server, a spreadsheet or a database takes for the end of a line or of a text. */
export function singleLine(value: unknown): string | number | null {
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return null;
	const text = repaired(value);
	const line = CONTROLS.test(text) ? text.replace(ALL_CONTROLS, ' ').trim() : text;
	return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}
