import { describe, expect, it } from 'vitest';

import { filingKind, readNumberings } from '../../nodes/LicensingData/licenses/filingKind.ts';
import { LICENSE_NUMBERS } from '../../nodes/LicensingData/licenses/licenseNumbers.ts';
import { licenseNumbersSource } from '../../scripts/license-numbers.mts';
import { license } from '../support/records.mts';

const { day, highest } = readNumberings(LICENSE_NUMBERS).get('BEV') as {
	day: string;
	highest: Map<string, number>;
};
const HIGHEST = highest.get('23') as number;
const LATER = `${Number(day.slice(0, 4)) + 1}-01-15`;
const numbered = (number: number, county = '23') =>
	`BEV${county}${String(number).padStart(5, '0')}`;
const kindOf = (licenseNumber: unknown, filedDate: unknown = LATER, more: object = {}) =>
	filingKind({
		...license({ eventType: 'new_filing' }),
		licenseNumber,
		filedDate,
		...more,
	} as never);

describe('What a new filing is for', () => {
	it.each([
		['above the highest', HIGHEST + 1, 'newLicense'],
		['the highest', HIGHEST, null],
		['a little below it', HIGHEST - 49, null],
		['well below it', HIGHEST - 50, 'newHolder'],
		['the first of all', 1, 'newHolder'],
	])('is told by a number of a county: %s', (_, number, kind) => {
		expect(kindOf(numbered(number))).toBe(kind);
		expect(kindOf(numbered(number), day)).toBeNull();
	});

	it.each([
		['COP-2026-00123', '2026-11-02', 'newLicense'],
		['cop-2026-00123 ', '2026-11-02', 'newLicense'],
		['COP-2025-00123', '2026-01-02', null],
		['COP-2024-00123', '2026-11-02', 'newHolder'],
		['MOBILE_FOOD-2019-7', '2026-11-02', 'newHolder'],
		['COP-2027-00123', '2026-11-02', null],
	])('is told by a number with a year: %s, filed on %s', (number, filed, kind) => {
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
		['no event', numbered(1), LATER, { eventType: null }],
	])('is not known of %s', (_, number, filed, more) => {
		expect(kindOf(number, filed, more)).toBeNull();
	});

	it('is told alike for the series that share a numbering', () => {
		const all = readNumberings(LICENSE_NUMBERS);
		expect(all.get('SEA')).toEqual(all.get('NOS'));
		expect(all.get('MFD')?.highest.size).toBeGreaterThan(50);
	});
});

describe('The table of license numbers', () => {
	const numbers = (series: string, ...all: number[]) =>
		all.map((number) => `"X","${series}${String(number).padStart(7, '0')}","Y"`).join('\r\n');
	const write = (...texts: string[]) =>
		licenseNumbersSource(texts, '2026-11-02', 'BEV 2026-06-18:11 7\nCAT 2025-08-19:23 9')
			.split('`')[1]
			?.trim();

	it('has the highest number of each county with five licenses, of all series that share it', () => {
		const seated = numbers('SEA', 1100001, 1100005, 1100002, 2300001, 2300002, 2300003, 2300004);
		const unseated = numbers('NOS', 1100003, 1100009, 1100009);
		expect(write(seated, unseated)).toBe(
			'BEV 2026-06-18:11 7\nSEA/NOS 2026-11-02:11 9\nCAT 2025-08-19:23 9',
		);
	});

	it('believes no number that stands alone far above the others', () => {
		expect(write(numbers('BEV', 1100001, 1100002, 1100003, 1100050, 1100150, 1100251))).toMatch(
			'BEV 2026-11-02:11 150\n',
		);
	});

	it('is checked in as the script writes it', () => {
		const source = licenseNumbersSource([], '2026-11-02', LICENSE_NUMBERS);
		expect(source.split('`')[1]).toBe(LICENSE_NUMBERS);
	});
});
