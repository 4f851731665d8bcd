import type { Source } from './sources.mts';

/** Why a file is not used: the end of a sentence that begins with its name. */
export class Refusal extends Error {}

/** A row by the names of its columns. */
export type Row = (column: string) => string;

export const isWebPage = (bytes: Uint8Array): boolean =>
	/^\s*</.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'));

/**
 * The rows of one of the state's files; undefined for a line whose count of columns does not fit. A line is a
 * quotation mark, the fields joined by `","`, and a quotation mark: the state does not double a mark inside a field,
 * so that other readers lose their way.
 */
export function* rowsOf(bytes: Buffer, source: Source): Generator<Row | undefined> {
	if (isWebPage(bytes)) throw new Refusal('is a web page, and not the file');
	let places: ReadonlyMap<string, number> | undefined;
	// The last two columns of the dated files stand in the header alone.
	const fits = ({ length }: string[], columns: number): boolean =>
		length === columns || (source.kind === 'dated' && length === columns - 2);
	for (const line of linesOf(bytes)) {
		const fields = fieldsOf(textOf(line));
		if (!places) {
			const { columns } = source;
			const isHeader = fields[0]!.trim().toLowerCase() === columns[0]!.toLowerCase();
			if (!isHeader && !(fits(fields, columns.length) && /^\d+$/.test(fields[0]!)))
				throw new Refusal(
					`does not begin with "${columns[0]}": it is not the file, or its columns have changed`,
				);
			const names = isHeader ? fields : columns;
			places = new Map(names.map((name, at) => [name.trim().toLowerCase(), at]));
			if (isHeader) continue;
		}
		if (fields.length === 1 && fields[0] === '') continue;
		const known = places;
		const row = (column: string): string => {
			const at = known.get(column.toLowerCase());
			if (at === undefined) throw new Refusal(`has no column "${column}"`);
			return (fields[at] ?? '').trim();
		};
		yield fits(fields, known.size) ? row : undefined;
	}
	if (!places) throw new Refusal('is empty');
}

export function* linesOf(bytes: Buffer): Generator<Buffer> {
	let from = 0;
	for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
		yield bytes.subarray(from, to);
		from = to + 1;
	}
	if (from < bytes.length) throw new Refusal('ends in the middle of a line: it was cut on its way');
}

/** One field, which is the line, where the line has no marks at its ends. */
const fieldsOf = (line: string): string[] =>
	line.length > 1 && line.startsWith('"') && line.endsWith('"')
		? line.slice(1, -1).split('","')
		: [line];

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');

/** Food is UTF-8; of liquor it is disputed, so each line is read as what it can be. */
function textOf(bytes: Buffer): string {
	try {
		return utf8.decode(bytes).trim();
	} catch {
		return windows1252.decode(bytes).trim();
	}
}
