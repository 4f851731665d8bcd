type Texts<Field extends string> = Record<Field, string | null>;

export interface Address extends Texts<'street' | 'city' | 'county' | 'state' | 'zip'> {
	lat: number | null;
	lng: number | null;
}

/** Types and events are strings, since a register may have values that the interface does not name. */
export interface License
	extends Texts<'licenseType' | 'status' | 'eventType' | 'eventTimestamp'>,
		Texts<'businessName' | 'legalName' | 'filedDate' | 'effectiveDate'>,
		Partial<Texts<'dbaName' | 'issuedDate' | 'expirationDate'>> {
	id: string;
	licenseNumber: string;
	address: Address | null;
	sourceUrl?: string;
	/** Tells whether a new filing is a new license or a new holder's, where the register knows. */
	filingKind?: 'newLicense' | 'newHolder' | 'notKnown' | null;
	/** Of a liquor license, with its modifier: `4COP-SFS`. */
	licenseSeries?: string | null;
	enrichment?: Record<string, string | number | null>;
}

/** A page of a list as the interface describes it. */
export interface LicensePage {
	data: License[];
	pagination: { cursor: string | null; hasMore: boolean; total: number; limit: number };
}

/** A county as registrations write it: in lower case, with hyphens. */
export const slug = (county: string): string =>
	(county.toLowerCase().match(/[a-z]+/g) ?? []).join('-');
