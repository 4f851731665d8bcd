import type { Source } from './sources.mts';

/** Why a file is not used: the end of a sentence that begins with its name. */
export class Refusal extends Error {}

/** What stands in a row, by the names that the state's files have for a column. */
export type Row = (...names: string[]) => string;

export const isWebPage = (bytes: Uint8Array): boolean =>
	/^\s*</.test(Buffer.from(bytes.subarray(0, 100)).toString('latin1'));

/**
 * The rows of one of the state's files; undefined for a line whose count of columns does not fit. A line is a
 * quotation mark, the fields joined by `","`, and a quotation mark: the state does not double a mark inside a field,
 * so that other readers lose their way.
 */
export function* rowsOf(bytes: Buffer, source: Source): Generator<Row | undefined> {
	if (isWebPage(bytes)) throw new Refusal('is a web page, and not the file');
	const { columns } = source;
	const places = new Map<string, number>();
	// The last two columns of the dated files stand in the header alone.
	const fits = ({ length }: string[], columns: number): boolean =>
		length === columns || (source.kind === 'dated' && length === columns - 2);
	for (const line of linesOf(bytes)) {
		const fields = fieldsOf(textOf(line));
		if (places.size === 0) {
			const isHeader = fields[0]!.trim().toLowerCase() === columns[0]!.toLowerCase();
			if (!isHeader && !(fits(fields, columns.length) && /^\d+$/.test(fields[0]!)))
				throw new Refusal(
					`does not begin with "${columns[0]}": it is not the file, or its columns have changed`,
				);
			for (const [at, name] of (isHeader ? fields : columns).entries())
				places.set(name.trim().toLowerCase(), at);
			if (isHeader) continue;
		}
		if (fields.length === 1 && fields[0] === '') continue;
		const row: Row = (...names) => {
			const name = names.find((one) => columns.includes(one)) ?? '';
			const at = places.get(name.toLowerCase());
			if (at === undefined) throw new Refusal(`has no column "${name}"`);
			return (fields[at] ?? '').trim();
		};
		yield fits(fields, places.size) ? row : undefined;
	}
	if (places.size === 0) throw new Refusal('is empty');
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
	let from = 0;
	for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
		yield bytes.subarray(from, to);
		from = to + 1;
	}
	if (from < bytes.length) throw new Refusal('ends in the middle of a line: it was cut on its way');
}

/** One field, which is the line, where the line has no marks at its ends. */
const fieldsOf = (line: string): string[] => /^"(.*)"$/s.exec(line)?.[1]!.split('","') ?? [line];

const windows1252 = new TextDecoder('windows-1252');

/** Food is UTF-8; of liquor it is disputed, so each line is read as what it can be. */
function textOf(bytes: Buffer): string {
	const text = bytes.toString('utf8');
	return (text.includes('\ufffd') ? windows1252.decode(bytes) : text).trim();
}
