import type { License } from '../../nodes/LicensingData/licenses/license.ts';

/** A record as the interface shows it; `more` holds what a test is about. */
export function license(more: License = {}) {
	return {
		id: 'lic_8f3k2m',
		licenseNumber: 'COP-2026-001234',
		licenseType: 'COP',
		status: 'active',
		businessName: 'The Rusty Anchor',
		legalName: 'Rusty Anchor Holdings LLC',
		dbaName: 'Rusty Anchor',
		address: {
			street: '100 Bay Street',
			city: 'Tampa',
			county: 'Hillsborough',
			state: 'FL',
			zip: '33602',
			lat: 27.95,
			lng: -82.46,
		},
		filedDate: '2026-07-03',
		effectiveDate: '2026-07-10',
		eventType: 'new_filing',
		eventTimestamp: '2026-07-03T14:30:00Z',
		sourceUrl: 'https://records.example.com/COP-2026-001234',
		...more,
	};
}

/** This many records, told apart by their ids: lic_1, lic_2 and so on. */
export const licenses = (count: number, from = 1): License[] =>
	Array.from({ length: count }, (_, index) => license({ id: `lic_${from + index}` }));

/** The same records in another county. */
export const inCounty = (county: string, records: License[]): License[] =>
	records.map((record) => ({ ...record, address: { ...record.address, county } }));

export const page = (data: License[], cursor: string | null = null) => ({
	data,
	pagination: { cursor, hasMore: cursor !== null, total: data.length, limit: 50 },
});
