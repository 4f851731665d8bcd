import { beginning, repaired } from '../licenses/text';

/** What Salesforce and Pipedrive take for a name. No true name, street or city comes near it. */
const MOST_CHARACTERS = 255;

/** And half an emoji, of which no address can be built. */
const UNUSABLE = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;

/** What turns or hides the text that follows. */
const INVISIBLE = /\p{Cf}+/gu;

/** Without what a mail server, a spreadsheet or a database takes for the end of a line or of a text. */
export function singleLine(value: unknown): string | number | null {
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return null;
	const text = repaired(value);
	const replaced = text.replace(UNUSABLE, ' ').replace(INVISIBLE, '');
	const line = replaced === text ? text : replaced.trim();
	if (line.length > MOST_CHARACTERS) return `${beginning(line, MOST_CHARACTERS - 1)}…`;
	return line === text ? text : beginning(line, MOST_CHARACTERS);
}
