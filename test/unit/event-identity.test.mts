import { describe, expect, it } from 'vitest';

import { eventHash, eventId, identityOf } from '../../nodes/LicensingData/licenses/identity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { momentOf } from '../../nodes/LicensingData/licenses/text.ts';
import { license } from '../support/records.mts';

describe('The identity of an event', () => {
	it('stays what it is from version to version', () => {
		// CRMs store these. A change here would make every lead come twice.
		expect(eventId(license())).toBe('evt_8de7a73b52755ed7f281');
		expect(eventId(license({ licenseNumber: null }))).toBe('evt_90e938f3022195fe3e86');
		expect(eventId(license({ eventType: 'renewal' }))).toBe('evt_1793c0061dc9db904bf0');
		expect(eventHash(license())).toBe('ZviPi9bH');
	});

	it.each([
		['another event', { eventType: 'renewal' }],
		['another license number', { licenseNumber: 'COP-2026-001235' }],
		['another holder', { legalName: 'Other Inc' }],
		['no holder', { legalName: ' ' }],
	])('differs for %s', (_, more) => {
		expect(eventId(license(more))).not.toBe(eventId(license()));
	});

	it('of a new filing is the license number and its holder, whatever its ID, dates, type and status', () => {
		const more = { id: 'lic_other', eventTimestamp: null, licenseType: 'SRX', status: 'expired' };
		const legalName = 'THE RUSTY ANCHOR HOLDINGS, L.L.C.';
		const filedDate = '2026-01-01';
		expect(eventId(license({ ...more, legalName, filedDate }))).toBe(eventId(license()));
	});

	it.each([
		['a number written in another way', { licenseNumber: 'cop 2026001234' }],
		['an event written in another way', { eventType: 'New Filing' }],
	])('is the same for %s', (_, more) => {
		expect(eventId(license(more))).toBe(eventId(license()));
	});

	it.each([null, '', 'N/A', 'pending', '000-000'])(
		'takes the ID where the number is %j',
		(licenseNumber) => {
			const numberless = license({ licenseNumber });
			expect(eventId(license({ licenseNumber, status: 'closed' }))).toBe(eventId(numberless));
			expect(eventId({ ...numberless, id: 'lic_other' })).not.toBe(eventId(numberless));
		},
	);
});

describe('An event is known', () => {
	/** Whether it is, once another was seen. */
	const isKnown = (seen: License, shown: License) => {
		const { keys } = identityOf(seen);
		return identityOf(shown).knownBy.some((key) => keys.includes(key));
	};
	const renewal = (more: License) => license({ eventType: 'renewal', ...more });
	const dated = { expirationDate: '2026-10-01' };
	const transfer = (more: License) => license({ eventType: 'ownership_transfer', ...more });
	const status = (more: License) => license({ eventType: 'status_change', ...more });
	const other = { legalName: 'Other Inc' };

	it.each<[string, License, License]>([
		['a filing whose holder is corrected', license(), license(other)],
		['a filing that is dated anew', license(), license({ filedDate: '2026-07-04' })],
		['a filing whose holder was missing', license({ legalName: null }), license()],
		[
			'a filing without a holder that is dated anew',
			license({ legalName: '-' }),
			license({ legalName: '-', filedDate: '2026-07-04' }),
		],
		[
			'a renewal that is dated anew',
			renewal(dated),
			renewal({ ...dated, eventTimestamp: '2026-09-01' }),
		],
		[
			'a renewal whose expiration date goes',
			renewal(dated),
			renewal({ eventTimestamp: '2027-09-01' }),
		],
		['a renewal without one, months later', renewal({}), renewal({ eventTimestamp: '2026-10-01' })],
		[
			'a renewal without any date',
			renewal({ eventTimestamp: null }),
			renewal({ eventTimestamp: null }),
		],
		['a transfer whose holder is corrected', transfer({}), transfer(other)],
		['a transfer that is dated anew', transfer({}), transfer({ eventTimestamp: '2026-09-01' })],
		['a status of the same day', status({}), status({ eventTimestamp: '2026-07-03T23:00:00Z' })],
		[
			'a day that begins an hour earlier',
			status({ eventTimestamp: '2026-07-03' }),
			status({ eventTimestamp: '2026-07-02T23:00:00Z' }),
		],
		[
			'an event that nobody knows, of the same day',
			license({ eventType: 'odd' }),
			license({ eventType: 'odd', ...other }),
		],
	])('as %s', (_, seen, shown) => {
		expect(isKnown(seen, shown)).toBe(true);
	});

	it.each<[string, License, License]>([
		[
			'a filing of another holder on another day',
			license(),
			license({ ...other, filedDate: '2026-07-04' }),
		],
		['a renewal until another day', renewal(dated), renewal({ expirationDate: '2027-10-01' })],
		['a renewal without one, a year later', renewal({}), renewal({ eventTimestamp: '2027-07-03' })],
		[
			'a transfer to another holder on another day',
			transfer({}),
			transfer({ ...other, eventTimestamp: '2026-09-01' }),
		],
		['another status', status({}), status({ status: 'expired' })],
		['a status that returns on another day', status({}), status({ eventTimestamp: '2026-07-09' })],
		['another event', license(), renewal({})],
		['another license under the same ID', license(), license({ licenseNumber: 'COP-2026-7' })],
	])('not as %s', (_, seen, shown) => {
		expect(isKnown(seen, shown)).toBe(false);
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
