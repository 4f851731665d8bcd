import { describe, expect, it } from 'vitest';

import { eventHash, eventId } from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { momentOf } from '../../nodes/LicensingData/licenses/moment.ts';
import { license } from '../support/records.mts';

describe('The identity of an event', () => {
	it('stays what it is from version to version', () => {
		// CRMs store these. A change here would make every lead come twice.
		expect(eventId(license())).toBe('evt_837d90a654e548b3279d');
		expect(eventId(license({ id: null }))).toBe('evt_e3e3925ff31f0d13b21d');
		expect(eventId(license({ eventType: 'renewal' }))).toBe('evt_f461241bcb52a8b5562b');
		expect(eventHash(license())).toBe('g32QplTl');
	});

	it.each([
		['another event', { eventType: 'renewal' }],
		['another license', { id: 'lic_other' }],
		['another holder', { legalName: 'Other Inc' }],
		['no holder', { legalName: ' ' }],
	])('differs for %s', (_, more) => {
		expect(eventId(license(more))).not.toBe(eventId(license()));
	});

	it('of a new filing is the license and its holder, whatever its date, type and status', () => {
		const more = { eventTimestamp: null, licenseType: 'SRX', status: 'expired' };
		const legalName = 'THE RUSTY ANCHOR HOLDINGS, L.L.C.';
		expect(eventId(license({ ...more, legalName }))).toBe(eventId(license()));
	});

	it.each([
		['a changed name', { businessName: 'Other' }],
		['the same moment written in another zone', { eventTimestamp: '2026-07-03T10:30:00-04:00' }],
	])('is the same for %s', (_, more) => {
		const renewal = license({ eventType: 'renewal' });
		expect(eventId({ ...renewal, ...more } as License)).toBe(eventId(renewal));
	});

	it.each([null, '', ' '])('takes the license number where the ID is %j', (id) => {
		const nameless = license({ id });
		expect(eventId(license({ id, status: 'closed' }))).toBe(eventId(nameless));
		expect(eventId({ ...nameless, licenseNumber: 'COP-1' })).not.toBe(eventId(nameless));
	});

	it('of any other event is its time or, without one, its status', () => {
		const event = (more: License) => eventId(license({ eventType: 'renewal', ...more }));
		const later = '2026-07-03T14:30:01Z';
		expect(event({ eventTimestamp: later })).not.toBe(event({}));
		expect(event({ status: 'expired' })).toBe(event({}));
		const undated = { eventTimestamp: 'soon' };
		expect(event({ ...undated, status: 'expired' })).not.toBe(event(undated));
		expect(event({ ...undated, effectiveDate: '2027-01-01' })).toBe(event(undated));
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
