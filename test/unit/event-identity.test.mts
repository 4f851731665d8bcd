import {
	eventHash,
	eventId,
	identityOf,
} from '../../nodes/LicensingData/licenses/eventIdentity.ts';
import type { License } from '../../nodes/LicensingData/licenses/license.ts';
import { momentOf } from '../../nodes/LicensingData/licenses/time.ts';
import { license } from '../support/records.mts';

describe('The ID of an event', () => {
	it('stays what it is from version to version', () => {
		// CRMs store these. A change here would make every lead come twice.
		expect(eventId(license())).toBe('evt_8de7a73b52755ed7f281');
		expect(eventId(license({ licenseNumber: null }))).toBe('evt_90e938f3022195fe3e86');
		expect(eventId(license({ eventType: 'renewal' }))).toBe('evt_1793c0061dc9db904bf0');
		expect(eventHash(license())).toBe('ZviPi9bH');
		const dated = { expirationDate: '2026-10-01', legalName: null };
		const events = ['renewal', 'ownership_transfer', 'status_change', 'odd'];
		expect(events.map((eventType) => eventId(license({ eventType, ...dated })))).toEqual([
			'evt_1791c1e95a2e7ce1139b',
			'evt_3a5c71e0a43e20d56b84',
			'evt_42d5847085d3a9ec6ec4',
			'evt_83f074e19d2ad1ee693c',
		]);
	});

	it.each<License>([
		{ eventType: 'renewal' },
		{ licenseNumber: 'COP-2026-001235' },
		{ legalName: 'Other Inc' },
		{ legalName: ' ' },
	])('is another one with %j', (more) => {
		expect(eventId(license(more))).not.toBe(eventId(license()));
	});

	it.each<License>([
		{ id: 'lic_other', filedDate: '2026-01-01', eventTimestamp: null },
		{ licenseType: 'SRX', status: 'expired', legalName: 'THE RUSTY ANCHOR HOLDINGS, L.L.C.' },
		{ licenseNumber: 'cop 2026001234', eventType: 'New Filing' },
	])('of a new filing is the same with %j', (more) => {
		expect(eventId(license(more))).toBe(eventId(license()));
	});

	it.each([null, '', 'N/A', '000-000', 'Pending'])(
		'takes the ID of the license where the number is %j',
		(licenseNumber) => {
			const numberless = license({ licenseNumber });
			expect(eventId(license({ licenseNumber, status: 'closed' }))).toBe(eventId(numberless));
			expect(eventId({ ...numberless, id: 'lic_other' })).not.toBe(eventId(numberless));
		},
	);
});

describe('An event is', () => {
	/** Whether it is known, once another was seen. */
	const isKnown = (eventType: string, seen: License, shown: License) => {
		const { keys } = identityOf(license({ eventType, ...seen }));
		return identityOf(license({ eventType, ...shown })).knownBy.some((key) => keys.includes(key));
	};
	const other = { legalName: 'Other Inc' };
	const nobody = { legalName: '-' };
	const later = { eventTimestamp: '2026-09-01' };
	const anew = { filedDate: '2026-07-04' };
	const dated = { expirationDate: '2026-10-01' };
	const next = { expirationDate: '2027-10-01' };
	const aYearLater = { eventTimestamp: '2027-07-03' };
	const midnight = { eventTimestamp: '2026-07-03' };
	const earlier = { eventTimestamp: '2026-07-02T23:00:00Z' };
	const undated = { eventTimestamp: null };
	const unfiled = { filedDate: null };

	it.each<[event: string, what: string, seen: License, shown: License]>([
		['new_filing', 'its holder is corrected', {}, other],
		['new_filing', 'it is dated anew', {}, anew],
		['new_filing', 'its holder was missing', { legalName: null }, {}],
		['new_filing', 'it is dated anew without a holder', nobody, { ...nobody, ...anew }],
		['renewal', 'it is dated anew', dated, { ...dated, ...later }],
		['renewal', 'its expiration date goes', dated, { eventTimestamp: '2026-09-01' }],
		['renewal', 'its expiration date comes back', {}, dated],
		['cancellation', 'it is dated anew', {}, later],
		['renewal', 'it has none, months later', {}, { eventTimestamp: '2026-10-01' }],
		['renewal', 'it has none, months before', { eventTimestamp: '2026-10-01' }, {}],
		['renewal', 'it has no date at all', undated, undated],
		['ownership_transfer', 'its holder is corrected', {}, other],
		['ownership_transfer', 'it is dated anew', {}, later],
		['status_change', 'it is of the same day', {}, { eventTimestamp: '2026-07-03T23:00:00Z' }],
		['status_change', 'its day begins an hour earlier', midnight, earlier],
		['status_change', 'its status is in capitals', {}, { status: ' ACTIVE ' }],
		['odd', 'it is of the same day', {}, other],
		['odd', 'it has no day', undated, undated],
	])('known, as a %s, where %s', (event, _, seen, shown) => {
		expect(isKnown(event, seen, shown)).toBe(true);
	});

	it.each<[event: string, what: string, seen: License, shown: License]>([
		['new_filing', 'another holder has another day', {}, { ...other, ...anew }],
		['new_filing', 'another holder comes without a day', unfiled, { ...other, ...unfiled }],
		['new_filing', 'the ID is used again', {}, { licenseNumber: 'COP-2026-7' }],
		['new_filing', 'another event of the license comes', {}, { eventType: 'renewal' }],
		['renewal', 'it expires on another day', dated, next],
		['renewal', 'it has no such day, seven months later', {}, { eventTimestamp: '2027-02-10' }],
		['renewal', 'it has no such day, a year later', {}, aYearLater],
		['renewal', 'it is a late one, and then the regular one', dated, { ...next, ...later }],
		['renewal', 'its expiration date is missing a year later', dated, aYearLater],
		['renewal', 'its effective date does not move', dated, next],
		['cancellation', 'it is a year later', {}, aYearLater],
		['ownership_transfer', 'another holder has another day', {}, { ...other, ...later }],
		['status_change', 'the status is another', {}, { status: 'expired' }],
		['odd', 'it is of another day', {}, later],
		['odd', 'another license has no day', undated, { ...undated, licenseNumber: 'COP-2026-7' }],
		['status_change', 'the status returns on another day', {}, { eventTimestamp: '2026-07-09' }],
	])('news, as a %s, where %s', (event, _, seen, shown) => {
		expect(isKnown(event, seen, shown)).toBe(false);
	});
});

describe('The moment of an event', () => {
	it.each([
		['2026-07-03T14:30:00Z', '2026-07-03T14:30:00.000Z'],
		['2026-07-03', '2026-07-03T00:00:00.000Z'],
		// Without a zone it is UTC, or two machines would see two different events.
		['2026-07-03 14:30', '2026-07-03T14:30:00.000Z'],
		['2026-07-03T14:30:00.123456+0200', '2026-07-03T12:30:00.123Z'],
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
