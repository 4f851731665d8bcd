import type { Call } from './world.mts';

type Fields = Record<string, unknown>;

/** One table, which is written to as Airtable does when it is asked to merge. */
export class Airtable {
	readonly records: Array<{ id: string; fields: Fields }> = [];

	answer({ method, path, body }: Call): unknown {
		if (path !== '/v0/appYourBase/Leads') return undefined;
		if (method !== 'PATCH') return undefined;
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
