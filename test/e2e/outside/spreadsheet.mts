import type { Call } from './world.mts';

type Row = unknown[];

/** One sheet of a Google spreadsheet: empty at first, and written to through its API. */
export class Spreadsheet {
	readonly rows: Row[] = [];

	constructor(private readonly title: string) {}

	answer({ method, path, body }: Call): unknown {
		if (path.endsWith(':batchUpdate')) return { replies: [] };
		const [, range] = /\/values\/([^/:]+(?::[^/:]+)?)(:append)?$/.exec(path) ?? [];
		if (range === undefined) {
			return { sheets: [{ properties: { sheetId: 0, title: this.title } }] };
		}
		if (method === 'GET') return { range, values: this.rows };
		const { values } = body as { values: Row[] };
		const [, row] = /![A-Z]*(\d+)/.exec(range) ?? [];
		const first = path.endsWith(':append') ? this.rows.length : Number(row) - 1;
		values.forEach((value, offset) => (this.rows[first + offset] = value));
		return { updatedRange: range, updatedRows: values.length };
	}
}
