import type { IDataObject } from 'n8n-workflow';

import type { License } from '../licenses/license';
import { pointOf } from '../places/places';
import { companyName } from './crmLead';
import { flatten } from './flat';
import type { OutputForm } from './outputForm';

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

/** A map (RFC 7946): a point for each license that has coordinates. Map programs write `name` beside it. */
export const geoJson = (toProperties: OutputForm): Layout<License> => ({
	start: '{"type":"FeatureCollection","features":[\n',
	between: ',\n',
	end: '\n]}\n',
	write(license) {
		const point = pointOf(license.address);
		if (point === undefined) return undefined;
		return JSON.stringify({
			type: 'Feature',
			geometry: { type: 'Point', coordinates: [point.lng, point.lat] },
			properties: { name: companyName(flatten(license)), ...toProperties(license) },
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
