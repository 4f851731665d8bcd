import { describe, expect, it } from 'vitest';

import { eventHash, eventId } from '../../nodes/LicensingData/domain/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/domain/license.ts';
import { momentOf } from '../../nodes/LicensingData/domain/moment.ts';
import { license } from '../support/records.mts';

describe('The identity of an event', () => {
	it('stays what it is from version to version', () => {
		// CRMs store these. A change here would make every lead come twice.
		expect(eventId(license())).toBe('evt_432255cd1274d411c908');
		expect(eventId(license({ id: null }))).toBe('evt_7a20592e07665fb237b4');
		expect(eventId(license({ eventTimestamp: null }))).toBe('evt_d5a612bd40315c6d4412');
		expect(eventHash(license())).toBe('QyJVzRJ0');
	});

	it.each([
		['another event', { eventType: 'renewal' }],
		['another moment', { eventTimestamp: '2026-07-03T14:30:01Z' }],
		['another license', { id: 'lic_other' }],
	])('differs for %s', (_, more) => {
		expect(eventId(license(more))).not.toBe(eventId(license()));
	});

	it.each([
		['a changed name', { businessName: 'Other' }],
		['the same moment written in another zone', { eventTimestamp: '2026-07-03T10:30:00-04:00' }],
	])('is the same for %s', (_, more) => {
		expect(eventId(license(more as License))).toBe(eventId(license()));
	});

	it.each([null, '', ' '])('takes the license number where the ID is %j', (id) => {
		const nameless = license({ id });
		expect(eventId(license({ id, status: 'closed' }))).toBe(eventId(nameless));
		expect(eventId({ ...nameless, licenseNumber: 'COP-1' })).not.toBe(eventId(nameless));
	});

	it('tells two renewals without dates apart by the rest of the record', () => {
		const undated = license({ eventTimestamp: null });
		expect(eventId(license({ eventTimestamp: null, effectiveDate: '2027-01-01' }))).not.toBe(
			eventId(undated),
		);
		expect(eventId(Object.fromEntries(Object.entries(undated).reverse()))).toBe(eventId(undated));
	});
});

describe('The moment of an event', () => {
	it.each([
		['2026-07-03T14:30:00Z', '2026-07-03T14:30:00.000Z'],
		['2026-07-03', '2026-07-03T00:00:00.000Z'],
		// Without a zone it is UTC, or two machines would see two different events.
		['2026-07-03T14:30:00', '2026-07-03T14:30:00.000Z'],
		['2026-07-03 14:30', '2026-07-03T14:30:00.000Z'],
		['2026-07-03T14:30:00.123456+0200', '2026-07-03T12:30:00.123Z'],
		// As PostgreSQL writes it.
		['2026-07-03 14:30:00.5+00', '2026-07-03T14:30:00.500Z'],
		['2026-07-03T10:30:00-04', '2026-07-03T14:30:00.000Z'],
	])('is read from %s', (value, moment) => {
		expect(new Date(momentOf(value) as number).toISOString()).toBe(moment);
	});

	it.each([null, undefined, '', 'soon', 'Suite 5', '2026-13-45', true, {}, -5, Number.NaN])(
		'is not read from %s',
		(value) => {
			expect(momentOf(value)).toBeUndefined();
		},
	);
});
