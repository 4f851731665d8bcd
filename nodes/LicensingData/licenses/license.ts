import { textOf } from './text';

type Texts<Name extends string> = { [field in Name]?: string | null };

/**
 * The service's records. Nothing says which fields are required, so every one may be null or missing, and
 * fields or values that are not named here pass through.
 */
export interface Address extends Texts<'street' | 'city' | 'county' | 'state' | 'zip'> {
	lat?: number | null;
	lng?: number | null;
	[field: string]: unknown;
}

export interface License
	extends Texts<'id' | 'licenseNumber' | 'licenseType' | 'status' | 'eventType' | 'sourceUrl'>,
		Texts<'businessName' | 'legalName' | 'dbaName' | 'filingKind' | 'licenseSeries'>,
		Texts<'filedDate' | 'effectiveDate' | 'eventTimestamp' | 'issuedDate' | 'expirationDate'> {
	address?: Address | null;
	/** What is known of some businesses beside their license. */
	enrichment?: { phone?: string | null; website?: string | null; [field: string]: unknown } | null;
	[field: string]: unknown;
}

/** What a node finds out about a license. Every form of output adds it to the service's fields. */
export const FINDINGS = ['distanceMiles', 'matchScore', 'matchReason'];

/** One page of a list, as everything from the wire to the trigger knows it. */
export interface ListPage<Entry> {
	records: Entry[];
	/** Leads to the next page; null on the last. */
	cursor: string | null;
	/** How many the whole list holds. It is for information; only the cursor decides whether to read on. */
	total?: number;
	/** What is wrong with each record that is no license, and was left out. */
	unreadable?: string[];
}

export type LicensePage = ListPage<License>;

/** What GET /licenses accepts: a page of a list, filtered as `filters/licenseFilters.ts` declares. */
export interface ListQuery {
	[filter: string]: string | number | undefined;
	county?: string;
	limit?: number;
	cursor?: string;
}

/** A filter of the service, and the values of it that are asked for. */
export interface FilterChoice {
	filter: string;
	values: readonly string[];
}

/** The service takes one value of a filter at a time, so there is a query for every combination of values. */
export const combinations = (query: ListQuery, choices: FilterChoice[]): ListQuery[] =>
	choices.reduce<ListQuery[]>(
		(queries, { filter, values }) =>
			queries.flatMap((one) => values.map((value) => ({ ...one, [filter]: value }))),
		[query],
	);

/** What tells licenses apart. */
export type Named = Partial<Record<'id' | 'licenseNumber' | 'legalName', unknown>>;

/** What a record is called: its ID or, without one, its number. */
export const licenseKey = (record: Named): string | undefined =>
	textOf(record.id) || licenseNumberOf(record) || undefined;

/** The number as it is written; empty if there is none. "N/A", "PENDING" or "0000" is none: many licenses may share it. */
export function licenseNumberOf({ licenseNumber }: Named): string {
	const number = textOf(licenseNumber).trim();
	return /[1-9]/.test(number) ? number : '';
}
