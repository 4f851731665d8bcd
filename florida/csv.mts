import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

import { Refusal } from './refusal.mts';
import { listsLicenses, type Source } from './sources.mts';

export const LARGEST_FILE = 64 * 2 ** 20;
/** A web page in one line is longer than this at the most; the state's lines have 600 characters. */
const LONGEST_LINE = 2 ** 20;

/** A row by the names of its columns; a column that the file lacks is empty. */
export type Row = (column: string) => string;

export interface FileRead {
	/** SHA-256 of the whole file. */
	hash: string;
	rows: number;
	/** Lines whose count of columns does not fit. */
	misfits: number;
}

/**
 * Reads one of the state's files, line by line. A line is a quotation mark, the fields joined by `","`, and a
 * quotation mark: the state does not double a mark inside a field, so that other readers lose their way.
 */
export async function readFile(
	path: string,
	source: Source,
	take: (row: Row) => void,
): Promise<FileRead> {
	const hash = createHash('sha256');
	const read = { rows: 0, misfits: 0 };
	let columns: Columns | undefined;
	let isComplete = false;
	const takeLine = (bytes: Buffer): void => {
		const fields = fieldsOf(textOf(bytes));
		if (!columns) {
			columns = columnsFrom(fields, source, bytes);
			if (columns.isHeader) return;
		}
		if (fields.length === 1 && fields[0] === '') return;
		if (!columns.counts.includes(fields.length)) {
			read.misfits++;
			return;
		}
		read.rows++;
		const { places } = columns;
		take((column) => (fields[places.get(column) ?? -1] ?? '').trim());
	};
	for await (const { line, ended } of linesOf(path, hash)) {
		isComplete = ended;
		if (ended || line.length > 0) takeLine(line);
	}
	if (!columns) throw new Refusal('is empty');
	if (!isComplete) throw new Refusal('ends in the middle of a line: it was cut on its way');
	if (read.misfits * 200 > read.rows + read.misfits)
		throw new Refusal(`has ${read.misfits} lines that do not fit, of ${read.rows + read.misfits}`);
	return { hash: hash.digest('hex'), ...read };
}

interface Columns {
	places: ReadonlyMap<string, number>;
	/** How many fields a row may have. */
	counts: number[];
	isHeader: boolean;
}

function columnsFrom(fields: string[], source: Source, line: Buffer): Columns {
	const names = fields.map((name) => name.trim());
	const isHeader = names[0]?.toLowerCase() === source.begins.toLowerCase();
	// The last two columns of the dated files stand in the header alone.
	const countsFor = (count: number) => (listsLicenses(source) ? [count] : [count, count - 2]);
	const fits = countsFor(source.columns.length).includes(fields.length);
	if (!isHeader && !(fits && /^\d+$/.test(names[0] ?? '')))
		throw new Refusal(
			/^\s*</.test(line.toString('latin1'))
				? 'is a web page, and not the file'
				: `does not begin with "${source.begins}": it is not the file, or its columns have changed`,
		);
	const known = new Map(source.columns.map((name) => [name.toLowerCase(), name]));
	const given = isHeader ? names : source.columns;
	const places = new Map(given.map((name, at) => [known.get(name.toLowerCase()) ?? name, at]));
	const missing = source.needed.filter((name) => !places.has(name));
	if (missing.length > 0) throw new Refusal(`has no column "${missing.join('", "')}"`);
	return { places, counts: countsFor(given.length), isHeader };
}

/** One field, which is the line, where the line has no marks at its ends. */
function fieldsOf(line: string): string[] {
	if (line.length < 2 || !line.startsWith('"') || !line.endsWith('"')) return [line];
	return line.slice(1, -1).split('","');
}

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

async function* linesOf(path: string, hash: { update: (bytes: Buffer) => unknown }) {
	let rest: Buffer = Buffer.alloc(0);
	let size = 0;
	const file = createReadStream(path);
	const content = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
	file.once('error', (error) => content.destroy(error));
	for await (const chunk of content as AsyncIterable<Buffer>) {
		hash.update(chunk);
		size += chunk.length;
		if (size > LARGEST_FILE) throw new Refusal('is larger than 64 MB');
		const bytes: Buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
		let from = 0;
		for (let to = bytes.indexOf(10); to >= 0; to = bytes.indexOf(10, from)) {
			yield { line: bytes.subarray(from, to), ended: true };
			from = to + 1;
		}
		rest = bytes.subarray(from);
		if (rest.length > LONGEST_LINE) throw new Refusal('is not the file: it has no lines');
	}
	if (rest.length > 0) yield { line: rest, ended: false };
}
