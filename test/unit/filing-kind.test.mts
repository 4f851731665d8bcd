import { filingKind, readNumberings } from '../../nodes/LicensingData/licenses/filingKind.ts';
import { LICENSE_NUMBERS } from '../../nodes/LicensingData/licenses/licenseNumbers.ts';
import { licenseNumbersSource } from '../../scripts/license-numbers.mts';
import { license } from '../support/records.mts';

const { day, highest } = readNumberings(LICENSE_NUMBERS).get('BEV')!;
const HIGHEST = highest.get('23')!;
const LATER = `${Number(day.slice(0, 4)) + 1}-01-15`;
const numbered = (number: number, county = '23') =>
	`BEV${county}${String(number).padStart(5, '0')}`;
const kindOf = (licenseNumber: string | null, filedDate: string | null = LATER, more = {}) =>
	filingKind(license({ licenseNumber, filedDate, ...more }));

it.each([
	['above the highest', HIGHEST + 1, 'newLicense'],
	['the highest', HIGHEST, null],
	['a little below it', HIGHEST - 49, null],
	['well below it', HIGHEST - 50, 'newHolder'],
])('What a new filing is for is told by a number of a county: %s', (_, number, kind) => {
	expect(kindOf(numbered(number))).toBe(kind);
	expect(kindOf(numbered(number), day)).toBeNull();
});

it.each([
	['cop-2026-00123 ', '2026-11-02', 'newLicense'],
	['COP-2025-00123', '2026-01-02', null],
	['COP-2024-00123', '2026-11-02', 'newHolder'],
	['MOBILE_FOOD-2019-7', '2026-11-02', 'newHolder'],
	['COP-2027-00123', '2026-11-02', null],
])('It is told by a number with a year: %s, filed on %s', (number, filed, kind) => {
	expect(kindOf(number, filed)).toBe(kind);
});

it.each([
	['a county that is not in the table', numbered(1, '99'), LATER, {}],
	['a series that is not in it', 'XYZ2300001', LATER, {}],
	['another shape', '10001', LATER, {}],
	['too few digits', 'BEV230001', LATER, {}],
	['too many digits', 'BEV23000001', LATER, {}],
	['no number', null, LATER, {}],
	['no date', numbered(1), null, {}],
	['another event', numbered(1), LATER, { eventType: 'renewal' }],
	['a kind that no service has', numbered(1), null, { filingKind: 'newest' }],
	['what the service does not know', numbered(1), LATER, { filingKind: 'notKnown' }],
	['another event', null, null, { filingKind: 'newLicense', eventType: 'renewal' }],
])('It is not known of %s', (_, number, filed, more) => {
	expect(kindOf(number, filed, more)).toBeNull();
});

it('What a service says of a filing is believed before the number', () => {
	expect(kindOf(numbered(1), LATER, { filingKind: 'newLicense' })).toBe('newLicense');
	expect(kindOf(numbered(HIGHEST + 1), null, { filingKind: 'newHolder' })).toBe('newHolder');
	expect(kindOf(numbered(1), LATER, { filingKind: null })).toBe('newHolder');
});

it('The table of license numbers has the highest of each county that means something', () => {
	const earlier = 'BEV 2026-06-18:11 7\nCAT 2025-08-19:23 9';
	const seated = 'SEA1100001 SEA1100005 SEA1100002 SEA2300001 SEA2300002 SEA2300003 SEA2300004';
	const unseated = 'NOS1100003 NOS1100009 NOS1100110';
	expect(licenseNumbersSource([seated, unseated], '2026-11-02', earlier)).toContain(
		'\nBEV 2026-06-18:11 7\nSEA/NOS 2026-11-02:11 9\nCAT 2025-08-19:23 9\n',
	);
	const read = readNumberings('BEV 2026-06-18:11 7\nSEA/NOS 2025-08-19:23 9').get('NOS');
	expect(read).toEqual({ day: '2025-08-19', highest: new Map([['23', 9]]) });
});
