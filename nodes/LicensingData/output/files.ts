import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Failure } from '../licenses/failure';
import type { License } from '../licenses/license';
import { pointOf } from '../places/address';
import { findZipCode } from '../places/zipCodes';
import { companyName, flatten } from './fields';
import type { OutputForm } from './outputForms';

/** What a file has before, between and after its records, and how it writes each of them. */
export interface Layout<Record> {
	start?: string;
	between?: string;
	end?: string;
	/** Undefined for a record that such a file cannot hold. */
	write(record: Record): string | undefined;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** A line that names the columns, then a line for each record. */
export const csv = (columns: string[]): Layout<IDataObject> => ({
	start: BYTE_ORDER_MARK + csvRow(columns),
	write: (record) => csvRow(columns.map((column) => record[column])),
});

/** One list of records. */
export const json: Layout<IDataObject> = {
	start: '[\n',
	between: ',\n',
	end: '\n]\n',
	write: (record) => JSON.stringify(record),
};

/** One record per line. */
export const jsonLines: Layout<IDataObject> = {
	write: (record) => `${JSON.stringify(record)}\n`,
};

/**
 * A map (RFC 7946): a point for each license, at least that of its ZIP code. Map programs write `name` beside it.
 */
export const geoJson = (toProperties: OutputForm): Layout<License> => ({
	start: '{"type":"FeatureCollection","features":[\n',
	between: ',\n',
	end: '\n]}\n',
	write(license) {
		const own = pointOf(license.address);
		const point = own ?? findZipCode(license.address?.zip)?.point;
		if (point === undefined) return undefined;
		const name = companyName(flatten(license));
		return JSON.stringify({
			type: 'Feature',
			geometry: { type: 'Point', coordinates: [point.lng, point.lat] },
			properties: { name, isApproximate: own === undefined, ...toProperties(license) },
		});
	},
});

/**
 * A spreadsheet takes such a text for a formula and runs it, even after spaces and invisible characters. The
 * wide forms are what a Japanese keyboard types; Excel runs them, too. In much of the world, it also splits a line
 * at semicolons.
 */
const FORMULA = /(^|;)(?=[\s\p{Cc}\p{Cf}]*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu;

/** Spaces at either end belong to the value, but many programs drop them unless it is quoted. */
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** One line of a CSV file, as RFC 4180 has it. */
const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;

function cell(value: unknown): string {
	if (value === null || value === undefined) return '';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	// An apostrophe is how people tell a spreadsheet that what follows is text.
	const harmless = text.replace(FORMULA, "$1'");
	return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * Bytes. If n8n does not keep a file on disk, it holds several copies while it saves the execution, and on a small
 * machine Node.js gives n8n only 512 MB.
 */
export const MAX_IN_MEMORY = 64_000_000;
/** All of Florida's licenses take 50 to 150 MB, and twice that for a moment. */
export const MAX_ON_DISK = 250_000_000;

const tooLarge = (max: number) =>
	new Failure(
		`The file grew larger than the ${max / 1e6} MB that n8n can safely hold in memory`,
		`Export less at a time with 'Filters', such as one county. If n8n keeps files on disk (N8N_DEFAULT_BINARY_DATA_MODE=filesystem), a file can have ${MAX_ON_DISK / 1e6} MB.`,
	);

export interface File {
	pages: AsyncIterable<License[]>;
	layout: Layout<License>;
	fileName: string;
	mimeType: string;
}

/** Hands a file to n8n once it is whole: n8n gives up on a stream that pauses, as it does for a rate limit. */
export async function writeFile(
	{ helpers }: { helpers: Pick<IExecuteFunctions['helpers'], 'prepareBinaryData'> },
	{ pages, layout, fileName, mimeType }: File,
): Promise<IBinaryData> {
	const chunks: Buffer[] = [];
	let size = 0;
	let max: number | undefined;
	for await (const chunk of toBytes(pages, layout)) {
		chunks.push(chunk);
		size += chunk.length;
		if (size <= MAX_IN_MEMORY) continue;
		// Only the ID of something that it keeps says where n8n keeps files.
		max ??= /^filesystem/.test(String((await helpers.prepareBinaryData(chunk)).id))
			? MAX_ON_DISK
			: MAX_IN_MEMORY;
		if (size > max) throw tooLarge(max);
	}
	return await helpers.prepareBinaryData(Buffer.concat(chunks), fileName, mimeType);
}

/** Writing each record by itself would take longer than reading it. */
const CHARACTERS_IN_A_CHUNK = 65_536;

/** Turns records into the bytes of a file as they come in, and keeps none of them. */
export async function* toBytes<Record>(
	pages: AsyncIterable<Record[]>,
	{ start = '', between = '', end = '', write }: Layout<Record>,
): AsyncGenerator<Buffer> {
	let text = start;
	let isFirst = true;
	for await (const page of pages) {
		for (const record of page) {
			const written = write(record);
			if (written === undefined) continue;
			text += isFirst ? written : between + written;
			isFirst = false;
		}
		if (text.length >= CHARACTERS_IN_A_CHUNK) {
			yield Buffer.from(text);
			text = '';
		}
	}
	yield Buffer.from(text + end);
}
