/**
 * The service's records as the interface describes them. It does not say which fields are required,
 * so every one may be null or missing, and fields or enum values it does not name pass through.
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
	sourceUrl?: string | null;
	[field: string]: unknown;
}
