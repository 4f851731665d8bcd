import type { IDataObject } from 'n8n-workflow';

import { csvRow } from './csv';

/** What a file has before, between and after its records, and how it writes each of them. */
export interface Layout<Record> {
	start: string;
	between: string;
	end: string;
	write(record: Record): string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** A line that names the columns, then a line for each record. */
export const csv = (columns: string[], hasByteOrderMark = false): Layout<IDataObject> => ({
	start: (hasByteOrderMark ? BYTE_ORDER_MARK : '') + csvRow(columns),
	between: '',
	end: '',
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
	start: '',
	between: '',
	end: '',
	write: (record) => `${JSON.stringify(record)}\n`,
};
