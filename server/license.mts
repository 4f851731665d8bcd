export interface Address {
	street: string | null;
	city: string | null;
	county: string | null;
	state: string | null;
	zip: string | null;
	lat: number | null;
	lng: number | null;
}

/** Types and events are strings, since a register may have values that the interface does not name. */
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
	/** Whether a new filing is a new license or a new holder's, where the register knows. */
	filingKind?: 'newLicense' | 'newHolder' | null;
	/** Of a liquor license, with its modifier: `4COP-SFS`. */
	licenseSeries?: string | null;
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

/** A county as registrations write it: in lower case, with hyphens. */
export const slug = (county: string): string =>
	county
		.toLowerCase()
		.replace(/[^a-z]+/g, '-')
		.replace(/^-|-$/g, '');
