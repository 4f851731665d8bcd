import type { Call } from './world.mts';

type Fields = Record<string, unknown>;

/** One table, which is written to as Airtable does when it is asked to merge. */
export class Airtable {
	readonly records: Array<{ id: string; fields: Fields }> = [];

	answer({ method, path, body }: Call): unknown {
		if (method !== 'PATCH' || path !== '/v0/appYourBase/Leads') return undefined;
		const { records, performUpsert } = body as {
			records: Array<{ fields: Fields }>;
			performUpsert: { fieldsToMergeOn: string[] };
		};
		const isSame = (one: Fields, other: Fields) =>
			performUpsert.fieldsToMergeOn.every((field) => one[field] === other[field]);
		return {
			records: records.map(({ fields }) => {
				const known = this.records.find((record) => isSame(record.fields, fields));
				if (known) Object.assign(known.fields, fields);
				else this.records.push({ id: `rec${this.records.length}`, fields });
				return known ?? this.records.at(-1);
			}),
		};
	}
}

/** Leads by their external ID. */
export class Salesforce {
	readonly leads = new Map<string, Fields>();

	answer({ method, path, body }: Call): unknown {
		const [, id] = /\/sobjects\/lead\/License_ID__c\/(.{1,64})$/.exec(path) ?? [];
		if (method !== 'PATCH' || !id) return undefined;
		const created = !this.leads.has(id);
		this.leads.set(id, { ...this.leads.get(id), ...(body as Fields) });
		return { id, success: true, errors: [], created };
	}
}

/** One sheet of a Google spreadsheet: empty at first, and written to through its API. */
export class Spreadsheet {
	private readonly rows: unknown[][] = [];

	/** Its rows, by the names in the first one. */
	get records(): Fields[] {
		const [header = [], ...rows] = this.rows;
		return rows.map((row) => Object.fromEntries(header.map((name, at) => [name, row[at]])));
	}

	answer({ method, path, body }: Call): unknown {
		if (path.endsWith(':batchUpdate')) return { replies: [] };
		const [, range] = /\/values\/([^/:]+(?::[^/:]+)?)(:append)?$/.exec(path) ?? [];
		if (range === undefined) return { sheets: [{ properties: { sheetId: 0, title: 'Leads' } }] };
		if (method === 'GET') return { range, values: this.rows };
		const { values } = body as { values: unknown[][] };
		const [, row] = /![A-Z]*(\d+)/.exec(range) ?? [];
		const first = path.endsWith(':append') ? this.rows.length : Number(row) - 1;
		values.forEach((value, offset) => (this.rows[first + offset] = value));
		return { updatedRange: range, updatedRows: values.length };
	}
}

type Corner = Record<'latitude' | 'longitude', number>;

/** Knows one place, and finds it where it is asked to look. */
export class Places {
	readonly at: Corner = { latitude: 27.9506, longitude: -82.4572 };

	answer({ path, body, headers }: Call): unknown {
		if (path !== '/v1/places:searchText' || !headers['x-goog-api-key']) return undefined;
		const { locationRestriction } = body as {
			locationRestriction?: { rectangle: { low: Corner; high: Corner } };
		};
		const { low, high } = locationRestriction?.rectangle ?? {};
		const isInside = (['latitude', 'longitude'] as const).every(
			(axis) => low && high && low[axis] < this.at[axis] && this.at[axis] < high[axis],
		);
		const displayName = { text: 'Blue Door', languageCode: 'en' };
		const place = { displayName, nationalPhoneNumber: '813-555-0100' };
		// Google leaves out what is empty.
		return isInside ? { places: [place] } : {};
	}
}
