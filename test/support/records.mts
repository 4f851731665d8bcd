import { ALL_EVENT_TYPES } from '../../nodes/LicensingData/licenses/eventTypes.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { LICENSE_TYPES } from '../../nodes/LicensingData/licenses/licenseTypes.ts';
import { hash } from '../../sandbox/register/random.mts';

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

const CITIES = 'Tampa,TAMPA,St. Petersburg,Saint Petersburg,Nowhere Key,NOWHERE KEY'.split(',');

/**
 * So many licenses, an hour apart, the newest first. Each field takes all of its values, the first ones most often,
 * and independently of the others.
 */
export const register = (size: number, more: (rank: number) => License = () => ({})): License[] =>
	Array.from({ length: size }, (_, rank) => {
		const skewed = <T,>(values: readonly T[], field: number): T =>
			values[Math.floor(((hash(1, rank, field) % 1000) / 1000) ** 2 * values.length)]!;
		const eventTimestamp = new Date(Date.UTC(2026, 0, 1) - rank * 3_600_000).toISOString();
		return {
			id: `lic_${rank}`,
			licenseType: skewed(LICENSE_TYPES, 1).value,
			eventType: skewed(ALL_EVENT_TYPES, 2).value,
			status: skewed(['active', 'Pending', ' expired'], 3),
			address: { county: skewed(['Orange', 'Lee', 'Clay', 'Bay'], 4), city: skewed(CITIES, 5) },
			filedDate: eventTimestamp.slice(0, 10),
			eventTimestamp,
			...more(rank),
		};
	});
