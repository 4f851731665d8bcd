/**
 * A spreadsheet takes such a text for a formula and runs it, even after spaces and invisible characters. The
 * wide forms are what a Japanese keyboard types; Excel runs them, too. In much of the world, it also splits a line
 * at semicolons.
 */
const FORMULA = /(^|;)(?=[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu;

/** Spaces at either end belong to the value, but many programs drop them unless it is quoted. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** One line of a CSV file, as RFC 4180 has it. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;

function cell(value: unknown): string {
	if (value === null || value === undefined) return '';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	// An apostrophe is how people tell a spreadsheet that what follows is text.
	const harmless = text.replace(FORMULA, "$1'");
	return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
