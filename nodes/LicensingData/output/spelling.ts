import { withLegalForm } from '../licenses/legalForms';
import { beginning, repaired } from '../licenses/text';
import { findPlace } from '../places/cities';

type Written = string | number | null;

/** What Salesforce and Pipedrive take for a name. No true name, street or city comes near it. */
const MAX_FIELD = 255;

/** And half an emoji, of which no address can be built. */
const UNUSABLE = /[\p{Cc}\p{Cs}\u2028\u2029]+/gu;

/** What turns or hides the text that follows. */
const INVISIBLE = /\p{Cf}+/gu;

/** Without what a mail server, a spreadsheet or a database takes for the end of a line or of a text. */
export function singleLine(value: unknown): Written {
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return null;
	const text = repaired(value);
	const replaced = text.replace(UNUSABLE, ' ').replace(INVISIBLE, '');
	const line = replaced === text ? text : replaced.trim();
	if (line.length > MAX_FIELD) return `${beginning(line, MAX_FIELD - 1)}…`;
	return line === text ? text : beginning(line, MAX_FIELD);
}

/*
 * Registers write in capitals, and title case makes "Llc" of it. These write as people do, from closed lists
 * alone: what is in none stays as it came, as many a chain writes its own name in capitals.
 */

// cspell:ignore viii
/** "Vi" and "Xi" are names. */
const NUMERAL = /\b(?:Ii|Iii|Iv|Vii|Viii|Ix)\b(?!['’])/g;

export function nameAsWritten(name: unknown): Written {
	const line = singleLine(name);
	if (typeof line !== 'string') return line;
	return withLegalForm(line).replace(NUMERAL, (numeral) => numeral.toUpperCase());
}

/** A place of Florida by its usual name, however the register shortens it. */
export const cityAsWritten = (city: unknown): Written => findPlace(city)?.name ?? singleLine(city);

/** ZIP+4, which registers write without the hyphen. */
export function zipAsWritten(zip: unknown): Written {
	const line = singleLine(zip);
	const [, five, four] = /^\s*(\d{5})(\d{4})\s*$/.exec(String(line)) ?? [];
	return five === undefined ? line : `${five}-${four}`;
}
