export interface Address {
	street: string | null;
	city: string | null;
	county: string | null;
	state: string | null;
	zip: string | null;
	lat: number | null;
	lng: number | null;
}

/** Types and events are strings, because a test may plant values that the interface does not name. */
export interface License {
	id: string;
	licenseNumber: string;
	licenseType: string | null;
	status: string | null;
	businessName: string | null;
	legalName: string | null;
	dbaName?: string | null;
	address: Address | null;
	filedDate: string | null;
	effectiveDate: string | null;
	eventType: string | null;
	eventTimestamp: string | null;
	sourceUrl?: string;
	issuedDate?: string | null;
	expirationDate?: string | null;
	enrichment?: Record<string, string | number | null>;
}

/** As the interface describes it. */
export interface LicensePage {
	data: License[];
	pagination: { cursor: string | null; hasMore: boolean; total: number; limit: number };
}

/**
 * What a caller may plant: any JSON value in any field, even in those that the interface does not name.
 * Undefined leaves a field out.
 */
export type LicensePatch = { [Field in keyof License]?: unknown } & {
	[unknownField: string]: unknown;
};

/** Whether something planted as an address has parts, as an address should. */
export const isAddress = (value: unknown): value is { [Part in keyof Address]?: unknown } =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
