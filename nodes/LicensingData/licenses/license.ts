/**
 * The service's records. Nothing says which fields are required, so every one may be null or missing, and
 * fields or values that are not named here pass through.
 */
export interface Address {
	street?: string | null;
	city?: string | null;
	county?: string | null;
	state?: string | null;
	zip?: string | null;
	lat?: number | null;
	lng?: number | null;
	[field: string]: unknown;
}

export interface License {
	id?: string | null;
	licenseNumber?: string | null;
	licenseType?: string | null;
	status?: string | null;
	businessName?: string | null;
	legalName?: string | null;
	dbaName?: string | null;
	address?: Address | null;
	filedDate?: string | null;
	effectiveDate?: string | null;
	eventType?: string | null;
	eventTimestamp?: string | null;
	issuedDate?: string | null;
	expirationDate?: string | null;
	sourceUrl?: string | null;
	/** What is known of some businesses beside their license. */
	enrichment?: { phone?: string | null; website?: string | null; [field: string]: unknown } | null;
	[field: string]: unknown;
}

/** What a node finds out about a license. Every form of output adds it to the service's fields. */
export const FINDINGS = ['distanceMiles', 'matchScore', 'matchReason'];
